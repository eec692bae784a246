import DiscoverableCore
import Testing

@Suite("The backlog of a state")
struct LatestValueTests {
    @Test("Only the newest value waits, and is taken once")
    func newest() {
        var backlog = LatestValue<Int>()
        #expect(backlog.pop() == nil)
        for value in 1...3 { backlog.push(value) }
        #expect(backlog.pop() == 3)
        #expect(backlog.pop() == nil)
    }

    @Test("A value that is itself nothing is a value")
    func optionalValue() {
        var backlog = LatestValue<Int?>()
        backlog.push(nil)
        #expect(backlog.pop() == .some(nil))
        #expect(backlog.pop() == nil)
    }
}
