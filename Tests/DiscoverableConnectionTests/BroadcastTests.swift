import Testing

@testable import DiscoverableConnection

@Suite("Broadcasts", .timeLimit(.minutes(1)))
struct BroadcastTests {
    @Test("The first consumer gets what came before it, every consumer what comes after")
    func consumers() async {
        let broadcast = Broadcast<Int>(capacity: 10)
        broadcast.push(1)
        let first = broadcast.subscribe()
        let second = broadcast.subscribe()
        broadcast.push(2)
        broadcast.finish()
        broadcast.push(3)
        #expect(await first.take(3) == [1, 2])
        #expect(await second.take(2) == [2])
    }

    @Test("A consumer that leaves hands back what it has not taken")
    func handBack() async {
        let broadcast = Broadcast<Int>(capacity: 10)
        for value in 1...3 { broadcast.push(value) }
        do {
            let consumer = broadcast.subscribe()
            #expect(await consumer.next() == 1)
        }
        #expect(broadcast.unread == 2)
        #expect(await broadcast.subscribe().next() == 2)
    }

    @Test("Of too much the newest is kept, whether somebody listens or not")
    func bound() async {
        let broadcast = Broadcast<Int>(capacity: 2)
        for value in 1...5 { broadcast.push(value) }
        let consumer = broadcast.subscribe()
        #expect(await consumer.next() == 4)
        for value in 6...9 { broadcast.push(value) }
        #expect(await consumer.take(2) == [8, 9])
    }

    @Test("A cancelled consumer loses nothing")
    func cancel() async {
        let broadcast = Broadcast<Int>(capacity: 2)
        let task = Task { await broadcast.subscribe().next() }
        task.cancel()
        #expect(await task.value == nil)
        broadcast.push(1)
        #expect(await broadcast.subscribe().next() == 1)
    }
}

extension Broadcast.Subscription {
    /// The next elements, fewer at the end.
    fileprivate func take(_ count: Int) async -> [Element] {
        var taken: [Element] = []
        while taken.count < count, let element = await next() { taken.append(element) }
        return taken
    }
}
