import DiscoverableRuntime
import Testing

@Suite("States that any number of consumers follow")
struct StateBroadcastTests {
    private let broadcast = StateBroadcast(0)

    @Test("A consumer gets the present state first, whenever it comes")
    func presentFirst() async {
        #expect(await first() == 0)
        broadcast.send(1)
        #expect(await first() == 1)
        #expect(broadcast.current == 1)
    }

    @Test("A slow consumer finds the newest state and none that was overtaken")
    func newestWins() async {
        var iterator = StateSequence(broadcast).makeAsyncIterator()
        #expect(await iterator.next() == 0)
        for state in 1...5 { broadcast.send(state) }
        #expect(await iterator.next() == 5)
        broadcast.send(6)
        #expect(await iterator.next() == 6)
    }

    @Test("A consumer that has not begun to iterate finds the newest state only")
    func newestBeforeTheFirst() async {
        var iterator = StateSequence(broadcast).makeAsyncIterator()
        broadcast.send(1)
        broadcast.send(2)
        broadcast.finish()
        #expect(await iterator.next() == 2)
        #expect(await iterator.next() == nil)
    }

    @Test("A state equal to the present one is not told")
    func equalState() async {
        var iterator = StateSequence(broadcast).makeAsyncIterator()
        #expect(await iterator.next() == 0)
        broadcast.send(0)
        broadcast.finish()
        #expect(await iterator.next() == nil)
    }

    @Test(
        "The last state is told before the end, to those who follow and to those who come later; then nothing changes"
    )
    func finish() async {
        var iterator = StateSequence(broadcast).makeAsyncIterator()
        broadcast.send(1)
        broadcast.finish()
        broadcast.finish()
        broadcast.send(2)
        #expect(await iterator.next() == 1)
        #expect(await iterator.next() == nil)
        #expect(broadcast.current == 1)
        #expect(await collected() == [1])
    }

    @Test("Consumers that wait are told each change, every one of them")
    func twoConsumers() async {
        let (first, second) = (follower(), follower())
        #expect(broadcast.current == 0)
        broadcast.send(1)
        broadcast.finish()
        #expect(await first.value.last == 1)
        #expect(await second.value.last == 1)
    }

    @Test("A consumer in each of many tasks sees states rise and the last one")
    func concurrentConsumers() async {
        let followers = (0..<8).map { _ in follower() }
        for state in 1...2_000 { broadcast.send(state) }
        broadcast.finish()
        for follower in followers {
            let states = await follower.value
            #expect(states.last == 2_000)
            #expect(zip(states, states.dropFirst()).allSatisfy { $0 < $1 })
        }
    }

    @Test("The end of one consumer's task ends its iteration and no other's")
    func cancellation() async {
        let (cancelled, other) = (follower(), follower())
        cancelled.cancel()
        #expect(await cancelled.value == [0])
        broadcast.send(1)
        broadcast.finish()
        #expect(await other.value.last == 1)
    }

    private func first() async -> Int? {
        var iterator = StateSequence(broadcast).makeAsyncIterator()
        return await iterator.next()
    }

    private func collected() async -> [Int] {
        var states: [Int] = []
        for await state in StateSequence(broadcast) { states.append(state) }
        return states
    }

    /// A consumer that follows when this returns, and waits for the second state: it runs here until it suspends.
    private func follower() -> Task<[Int], Never> {
        Task.immediate { await collected() }
    }
}
