/// The smoothed round-trip time (RFC 6298 section 2: a new sample weighs one eighth).
package struct RoundTripTime: Hashable, Sendable {
    /// The estimate; nil before the first sample.
    package private(set) var smoothed: Duration?

    package init() {}

    package mutating func record(_ sample: Duration) {
        smoothed = smoothed.map { $0 + (sample - $0) / 8 } ?? sample
    }
}
