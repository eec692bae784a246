import DiscoverableCore
import Testing

@_spi(Package) @testable import DiscoverableRuntime

@Suite("Deadlines")
struct DeadlineQueueTests {
    private func at(_ milliseconds: Int) -> Instant { Instant(sinceOrigin: .milliseconds(milliseconds)) }

    @Test("They are due in order, equal ones in the order of their adding")
    func order() {
        let ran = Locked<[Int]>([])
        var queue = DeadlineQueue()
        let deadlines = (0..<200).map { ($0 * 7919) % 50 }
        for (index, deadline) in deadlines.enumerated() {
            _ = queue.insert({ ran.withLock { $0.append(index) } }, at: at(deadline))
        }
        while let body = queue.popDue(at: at(50)) { body() }
        let expected = deadlines.indices.sorted { (deadlines[$0], $0) < (deadlines[$1], $1) }
        #expect(ran.withLock { $0 } == expected)
        #expect(queue.count == 0)
    }

    @Test("Only what is due is taken")
    func due() {
        var queue = DeadlineQueue()
        for milliseconds in 1...10 { _ = queue.insert({}, at: at(milliseconds)) }
        #expect(queue.popDue(at: at(0)) == nil)
        for _ in 1...5 { #expect(queue.popDue(at: at(5)) != nil) }
        #expect(queue.popDue(at: at(5)) == nil)
        #expect(queue.earliest() == at(6))
    }

    @Test("A cancelled one is gone, also from the memory")
    func cancel() {
        var queue = DeadlineQueue()
        let ids = (0..<1000).map { queue.insert({}, at: at($0)) }
        for id in ids.dropLast() { #expect(queue.cancel(id) != nil) }
        #expect(queue.cancel(ids[0]) == nil)
        #expect(queue.count == 1 && queue.earliest() == at(999))
    }
}
