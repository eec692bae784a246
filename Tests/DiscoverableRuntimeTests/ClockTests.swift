import DiscoverableRuntime
import Testing

@Test("The clock does not go back")
func clockIsMonotonic() {
    let first = MonotonicClock.now
    #expect(MonotonicClock.now >= first)
}
