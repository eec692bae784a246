package import DiscoverableCore

/// The clock that drives every machine: `CLOCK_MONOTONIC`, as Swift's `SuspendingClock` reads it on Linux.
package enum MonotonicClock {
    private static let start = SuspendingClock.now

    /// The present moment; its origin is the moment at which the process first asked.
    package static var now: Instant {
        Instant(sinceOrigin: start.duration(to: .now))
    }
}
