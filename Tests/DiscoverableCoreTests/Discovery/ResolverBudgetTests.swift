import DiscoverableCore
import Testing

@Suite("How many resolvers run at once")
struct ResolverBudgetTests {
    private var budget = ResolverBudget<Int>()
    private let limit = ResolverBudget<Int>.initialLimit

    @Test("As many run as the limit allows, in the order of their coming, and each end lets in the next")
    mutating func limitAndOrder() {
        enqueue(0..<limit + 3)
        #expect(started() == Array(0..<limit))
        budget.end(17)
        #expect(started() == [limit])
        budget.end(3)
        budget.end(4)
        #expect(started() == [limit + 1, limit + 2])
        budget.end(5)
        #expect(started() == [])
    }

    @Test("An unused budget has nothing to start and waits for nothing")
    mutating func empty() {
        #expect(started() == [])
        #expect(budget.nextDeadline == nil)
    }

    @Test("A refused one waits at the head, and no more run than did")
    mutating func refusal() {
        enqueue(0..<6)
        for id in 0..<4 { #expect(budget.next(now: .origin) == id) }
        budget.refused(3, now: .origin)
        #expect(started() == [])
        #expect(budget.nextDeadline == nil, "an end of ours will make room")
        budget.end(0)
        #expect(started() == [3, 4], "the limit grows by one with each end")
    }

    @Test("Refusals in a row keep the order")
    mutating func refusalsInOrder() {
        enqueue(0..<5)
        for _ in 0..<4 { _ = budget.next(now: .origin) }
        budget.refused(3, now: .origin)
        budget.refused(2, now: .origin)
        for id in 0..<2 { budget.end(id) }
        #expect(started() == [2, 3, 4])
    }

    @Test("Where nothing of ours can make room, it is asked for again after a pause")
    mutating func refusalWithNothingActive() {
        enqueue(0..<3)
        _ = budget.next(now: .origin)
        budget.refused(0, now: .origin)
        let due = Instant.origin.advanced(by: ResolverBudget<Int>.pause)
        #expect(budget.nextDeadline == due)
        #expect(budget.next(now: due.advanced(by: .nanoseconds(-1))) == nil)
        #expect(budget.next(now: due) == 0)
        #expect(budget.nextDeadline == nil)
        #expect(budget.next(now: due) == nil, "one at a time until one has ended")
        budget.end(0)
        #expect(budget.next(now: due) == 1)
        #expect(budget.next(now: due) == 2)
    }

    @Test("The limit grows back with each end, and no further than it began")
    mutating func growth() {
        enqueue(0..<10 * limit)
        #expect(started(at: .origin).count == limit)
        var running = Array(0..<limit)
        for _ in 0..<limit / 2 { budget.refused(running.removeLast(), now: .origin) }
        for _ in 0..<4 * limit {
            budget.end(running.removeFirst())
            running += started()
        }
        #expect(running.count == limit)
    }

    @Test("One that is given up while it waits is never started and frees no place")
    mutating func endWhileWaiting() {
        enqueue(0..<limit + 3)
        _ = started()
        budget.end(limit)
        budget.end(limit + 99)
        #expect(started() == [])
        budget.end(0)
        #expect(started() == [limit + 1])
    }

    @Test("A refusal of what does not run means nothing")
    mutating func refusalOfUnknown() {
        enqueue(0..<2)
        budget.refused(1, now: .origin)
        budget.refused(7, now: .origin)
        #expect(budget.nextDeadline == nil)
        #expect(started() == [0, 1])
    }

    @Test("After a loss of the connection all wait again, those that ran before the others, under the first limit")
    mutating func connectionLost() {
        enqueue(0..<limit + 2)
        _ = started()
        budget.refused(0, now: .origin)
        budget.connectionLost()
        let again = started()
        #expect(again.count == limit)
        #expect(Set(again) == Set(0..<limit))
        budget.end(again[0])
        #expect(started() == [limit])
    }

    @Test("A loss of the connection ends a pause")
    mutating func connectionLostDuringPause() {
        enqueue(0..<1)
        _ = started()
        budget.refused(0, now: .origin)
        budget.connectionLost()
        #expect(budget.nextDeadline == nil)
        #expect(started() == [0])
    }

    private mutating func enqueue(_ ids: Range<Int>) {
        for id in ids { budget.enqueue(id) }
    }

    private mutating func started(at now: Instant = .origin) -> [Int] {
        var ids: [Int] = []
        while let id = budget.next(now: now) { ids.append(id) }
        return ids
    }

    @Test("One that the daemon cannot take for now waits at the head, and so does everybody until the pause is over")
    func postponed() {
        var budget = ResolverBudget<Int>()
        for id in 1...2 { budget.enqueue(id) }
        #expect(budget.next(now: .origin) == 1)
        budget.postpone(1, now: .origin)
        #expect(budget.next(now: .origin) == nil)
        let later = Instant.origin.advanced(by: ResolverBudget<Int>.pause)
        #expect(budget.nextDeadline == later)
        #expect(budget.next(now: later) == 1)
        #expect(budget.next(now: later) == 2)
    }

    @Test("One that found nothing makes room where others wait, and keeps its place where none does")
    func yielding() {
        var budget = ResolverBudget<Int>()
        let limit = ResolverBudget<Int>.initialLimit
        for id in 0..<limit { budget.enqueue(id) }
        while budget.next(now: .origin) != nil {}
        #expect(budget.yield(0) == false)
        budget.enqueue(limit)
        #expect(budget.yield(0) == true)
        #expect(budget.next(now: .origin) == limit)
        #expect(budget.next(now: .origin) == nil)
        budget.end(1)
        #expect(budget.next(now: .origin) == 0)
    }
}
