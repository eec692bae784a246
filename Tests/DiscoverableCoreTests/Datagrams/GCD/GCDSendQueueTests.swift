import DiscoverableCore
import Testing

@Suite("GCD style: what leaves next")
struct GCDSendQueueTests {
    private let first = SocketAddress(.v4(.loopback), port: 1)
    private let second = SocketAddress(.v4(.loopback), port: 2)
    private let other = SocketAddress(.v6(.loopback), port: 3)

    private var open: GCDLifecycle {
        var lifecycle = GCDLifecycle()
        lifecycle.opened(.ipv4)
        return lifecycle
    }

    private func connected(to address: SocketAddress) -> GCDLifecycle {
        var lifecycle = open
        lifecycle.connected(to: address)
        return lifecycle
    }

    @Test("Datagrams are taken in order, and have their outcomes in order")
    func order() {
        var queue = GCDSendQueue()
        #expect(queue.next(open, hasFilter: false) == .rest)
        #expect(queue.add(.send, .address(first)) == 0)
        #expect(queue.add(.send, .address(second)) == 1)
        #expect(queue.next(open, hasFilter: false) == .send(first))
        #expect(queue.next(open, hasFilter: false) == .send(second))
        #expect(queue.next(open, hasFilter: false) == .rest)
        #expect(queue.takenCount == 2)
        #expect(queue.finish(1) == 0)
        #expect(queue.first == 1 && !queue.isEmpty)
        #expect(queue.finish(1) == 2)
        #expect(queue.isEmpty)
        #expect(queue.add(.send, .address(first)) == 2)
    }

    @Test("24, 25, B4, B5: destinations that do not fit")
    func destinations() {
        func step(_ destination: GCDSendQueue.Destination, _ lifecycle: GCDLifecycle) -> GCDSendQueue.Step {
            var queue = GCDSendQueue()
            let number = queue.add(.send, destination)
            if destination == .host { queue.resolved(number, to: first) }
            return queue.next(lifecycle, hasFilter: false)
        }
        #expect(step(.peer, open) == .refuse(.notConnected))
        #expect(step(.peer, connected(to: first)) == .send(nil))
        #expect(step(.address(first), connected(to: first)) == .send(nil))
        #expect(step(.address(second), connected(to: first)) == .refuse(.sendsToPeerOnly))
        #expect(step(.host, connected(to: first)) == .refuse(.sendsToPeerOnly))
        #expect(step(.host, open) == .send(first))
        #expect(step(.invalid, open) == .refuse(.notAnAddress))
        #expect(step(.address(other), open) == .refuse(.familyNotOpen(.ipv6)))
    }

    @Test("20, 26: a look-up holds up what is behind it, and its failure does not")
    func lookUp() {
        var queue = GCDSendQueue()
        let host = queue.add(.send, .host)
        queue.add(.send, .address(first))
        #expect(queue.next(open, hasFilter: false) == .wait)
        queue.resolved(host + 7, to: first)
        #expect(queue.next(open, hasFilter: false) == .wait)
        queue.resolved(host, to: nil)
        #expect(queue.next(open, hasFilter: false) == .fail)
        queue.resolved(host, to: second)
        #expect(queue.next(open, hasFilter: false) == .fail)
        #expect(queue.finish(1) == 0)
        #expect(queue.next(open, hasFilter: false) == .send(first))
    }

    @Test("20: connecting stands between what is sent before and after it")
    func connecting() {
        var queue = GCDSendQueue()
        queue.add(.send, .address(second))
        queue.add(.connect, .address(first))
        queue.add(.send, .peer)
        #expect(queue.next(open, hasFilter: true) == .filter(second))
        queue.filtered(0, passes: true)
        #expect(queue.next(open, hasFilter: true) == .send(second))
        #expect(queue.next(open, hasFilter: true) == .connect(first))
        #expect(queue.takenCount == 1)
        #expect(queue.finish(2) == 0)
        let lifecycle = connected(to: first)
        #expect(queue.next(lifecycle, hasFilter: true) == .filter(first))
        queue.filtered(2, passes: false)
        #expect(queue.next(lifecycle, hasFilter: true) == .drop)
    }

    @Test("33: a filter is asked once, and late answers mean nothing")
    func filter() {
        var queue = GCDSendQueue()
        queue.add(.send, .address(first))
        #expect(queue.next(open, hasFilter: true) == .filter(first))
        #expect(queue.next(open, hasFilter: true) == .wait)
        #expect(queue.next(open, hasFilter: false) == .wait)
        queue.filtered(0, passes: true)
        queue.filtered(0, passes: false)
        #expect(queue.next(open, hasFilter: true) == .send(first))
        queue.blocked()
        queue.unblocked()
        #expect(queue.next(open, hasFilter: true) == .send(first))
        #expect(queue.finish(1) == 1)
        queue.add(.send, .address(second))
        queue.filtered(0, passes: false)
        #expect(queue.next(open, hasFilter: false) == .send(second))
    }

    @Test("28, B1: without room everything waits, and goes on in order")
    func room() {
        var queue = GCDSendQueue()
        for _ in 0..<3 { queue.add(.send, .address(first)) }
        for _ in 0..<3 { #expect(queue.next(open, hasFilter: false) == .send(first)) }
        #expect(queue.finish(1) == 0)
        queue.blocked()
        #expect(queue.isBlocked && queue.takenCount == 0 && queue.first == 1 && queue.waitingCount == 2)
        #expect(queue.next(open, hasFilter: false) == .wait)
        queue.unblocked()
        #expect(queue.next(open, hasFilter: false) == .send(first))
        #expect(queue.nextPlace == 2)
    }

    @Test("Numbers and places stay right over thousands of datagrams that never run out")
    func compaction() {
        var queue = GCDSendQueue()
        var list: [UInt64] = []
        for _ in 0..<10 { list.append(queue.add(.send, .address(first))) }
        for round in 0..<5_000 {
            list.append(queue.add(.send, .address(first)))
            #expect(queue.next(open, hasFilter: false) == .send(first))
            #expect(list[queue.firstPlace] == UInt64(round) && queue.first == UInt64(round))
            list.removeFirst(queue.finish(1))
        }
        #expect(list.count < 1_000 && queue.waitingCount == 10)
    }
}
