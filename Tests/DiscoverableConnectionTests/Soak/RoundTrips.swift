/// How long round trips took, by the millisecond.
struct RoundTrips: Sendable {
    private var counts = [Int](repeating: 0, count: 10_001)
    private(set) var count = 0

    mutating func add(_ time: Duration) {
        counts[min(max(0, Int(time / .milliseconds(1))), counts.count - 1)] += 1
        count += 1
    }

    /// In which so many of a hundred were over.
    func percentile(_ percent: Int) -> Duration {
        var rest = count * percent / 100
        for (milliseconds, number) in counts.enumerated() {
            if rest < number { return .milliseconds(milliseconds + 1) }
            rest -= number
        }
        return slowest
    }

    var slowest: Duration { .milliseconds((counts.lastIndex { $0 > 0 } ?? 0) + 1) }
}
