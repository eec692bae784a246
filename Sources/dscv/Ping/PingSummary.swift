internal import Foundation

/// The last line of a ping: an object for programs, some lines for people.
struct PingSummary: Encodable {
    let event = "summary"
    let peer: String
    let sent: Int
    let acknowledged: Int
    let lost: Int
    let abandoned: Int
    /// In percent.
    let loss: Double?
    // In seconds.
    let rttMin: Double?
    let rttMedian: Double?
    let rttP95: Double?
    let rttP99: Double?
    let rttMax: Double?

    init(_ statistics: PingStatistics, peer: String) {
        self.peer = peer
        sent = statistics.sent
        acknowledged = statistics.acknowledged
        lost = statistics.lost
        abandoned = statistics.abandoned
        loss = statistics.loss
        rttMin = statistics.times.percentile(0)?.inSeconds
        rttMedian = statistics.times.median?.inSeconds
        rttP95 = statistics.times.percentile(95)?.inSeconds
        rttP99 = statistics.times.percentile(99)?.inSeconds
        rttMax = statistics.times.percentile(100)?.inSeconds
    }

    /// What people read; no line of the graph is longer than `columns`.
    func text(strengths: StrengthHistory, columns: Int) -> String {
        let label = "strength  "
        let graph = strengths.graph(columns: max(1, columns - label.count))
        return [counts, times, graph.isEmpty ? nil : label + graph].compactMap { $0 }.joined(separator: "\n")
    }

    private var counts: String {
        var text = "\(printable(peer)): \(sent) sent, \(acknowledged) acknowledged, \(lost) lost"
        if let loss { text += String(format: " (%.1f %%)", loss) }
        if abandoned > 0 { text += ", \(abandoned) without outcome" }
        return text
    }

    private var times: String? {
        guard let rttMin, let rttMedian, let rttP95, let rttP99, let rttMax else { return nil }
        let figures = [rttMin, rttMedian, rttP95, rttP99, rttMax].map { String(format: "%.3f", $0 * 1000) }
        return "rtt min/median/p95/p99/max  \(figures.joined(separator: "/")) ms"
    }
}
