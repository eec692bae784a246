import DiscoverableCore
import Testing

@Suite("Instants")
struct InstantTests {
    @Test("An instant advances by durations, forward and back, and measures them")
    func arithmetic() {
        let start = Instant(sinceOrigin: .seconds(5))
        let later = start.advanced(by: .milliseconds(250))
        #expect(later.sinceOrigin == .milliseconds(5_250))
        #expect(start.duration(to: later) == .milliseconds(250))
        #expect(later.duration(to: start) == .milliseconds(-250))
        #expect(later.advanced(by: .milliseconds(-5_250)) == .origin)
    }

    @Test("The order is that of time")
    func order() {
        let early = Instant(sinceOrigin: .nanoseconds(-1))
        #expect(early < .origin)
        #expect([Instant.origin, early].min() == early)
    }
}
