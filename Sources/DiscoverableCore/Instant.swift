/// A moment on a clock that never goes back, as the time that has passed since that clock's own, arbitrary origin.
///
/// The machines of this module never read a clock: whoever drives them hands in `now`. Only differences mean anything.
public struct Instant: Hashable, Comparable, Sendable {
    /// The time since the clock's origin. Two instants of different clocks must not be compared.
    public var sinceOrigin: Duration

    /// An instant that lies `sinceOrigin` after the clock's origin.
    public init(sinceOrigin: Duration) {
        self.sinceOrigin = sinceOrigin
    }

    /// The origin itself: where simulated time begins.
    public static let origin = Instant(sinceOrigin: .zero)

    /// The instant that lies `duration` after this one.
    public func advanced(by duration: Duration) -> Instant {
        Instant(sinceOrigin: sinceOrigin + duration)
    }

    /// The time from this instant until `other`; negative where `other` is earlier.
    public func duration(to other: Instant) -> Duration {
        other.sinceOrigin - sinceOrigin
    }

    /// The earlier one comes first.
    public static func < (left: Instant, right: Instant) -> Bool {
        left.sinceOrigin < right.sinceOrigin
    }
}
