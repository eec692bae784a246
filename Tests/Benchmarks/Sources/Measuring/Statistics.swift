extension [Double] {
    /// The middle of the values, the mean of the two middle ones of an even number; nil where there are none.
    package var median: Double? { quantile(0.5) }

    /// The value below which that share of the values lies, between two neighbours in proportion.
    package func quantile(_ share: Double) -> Double? {
        guard !isEmpty else { return nil }
        let sorted = sorted()
        let position = Swift.min(Swift.max(share, 0), 1) * Double(count - 1)
        let below = Int(position)
        let above = Swift.min(below + 1, count - 1)
        return sorted[below] + (sorted[above] - sorted[below]) * (position - Double(below))
    }

    /// The distance between the quartiles as a share of the median: how far half of the rounds agree. 0 where the median is.
    package var spread: Double? {
        guard let median, let lower = quantile(0.25), let upper = quantile(0.75) else { return nil }
        return median == 0 ? 0 : (upper - lower) / median
    }
}
