/// The strength after each outcome, from the first on, in bounded memory: the longer it is, the coarser it gets.
struct StrengthHistory {
    private static let capacity = 1024

    /// Each the mean of `stride` outcomes, oldest first.
    private var means: [Double] = []
    private var stride = 1
    /// What has come since the last mean was full.
    private var sum = 0
    private var count = 0
    /// The strength after the last outcome, which may still be corrected.
    private var latest: Int?

    /// A message has an outcome. The strength is the one before, unless it is corrected.
    mutating func addOutcome() {
        guard let before = latest else { return latest = 0 }
        sum += before
        count += 1
        guard count == stride else { return }
        means.append(Double(sum) / Double(stride))
        (sum, count) = (0, 0)
        if means.count == Self.capacity { halve() }
    }

    /// The last outcome has changed the strength.
    mutating func correct(to strength: Int) {
        latest = strength
    }

    private mutating func halve() {
        means = Swift.stride(from: 0, to: means.count, by: 2).map { (means[$0] + means[$0 + 1]) / 2 }
        stride *= 2
    }

    /// One block for each outcome, or for as many as have to share one so that the graph fits.
    func graph(columns: Int) -> String {
        var values = means
        if let latest { values.append(Double(sum + latest) / Double(count + 1)) }
        let bars = max(1, min(columns, values.count))
        return (0..<bars).reduce(into: "") { graph, bar in
            let part = values[(bar * values.count / bars)..<((bar + 1) * values.count / bars)]
            if !part.isEmpty { graph.append(block(part.reduce(0, +) / Double(part.count))) }
        }
    }
}

/// 0 % is the lowest block, 100 % the highest.
private func block(_ percent: Double) -> Character {
    let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
    return blocks[max(0, min(blocks.count - 1, Int(percent / 100 * Double(blocks.count))))]
}
