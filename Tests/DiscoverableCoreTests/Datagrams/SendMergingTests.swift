@_spi(Package) import DiscoverableCore
import Testing

@Suite("Datagrams that leave in one message")
struct SendMergingTests {
    /// How many datagrams each message would hold.
    private func counts(_ lengths: [Int], usesSegmentation: Bool = true) -> [Int] {
        var sender = ScriptedSender(usesSegmentation: usesSegmentation)
        sender.enqueue(lengths)
        sender.run()
        #expect(sender.departedLengths == lengths && sender.machine.backlog == 0)
        return sender.kernel.calls.first ?? []
    }

    @Test("Up to 64 equal ones")
    func segments() {
        #expect(counts(Array(repeating: 100, count: 64)) == [64])
        #expect(counts(Array(repeating: 100, count: 65)) == [64, 1])
        #expect(counts(Array(repeating: 100, count: 130)) == [64, 64, 2])
    }

    @Test("One datagram that waits alone and goes as the socket sends by itself needs no message")
    func plain() {
        let destination = SocketAddress(.v4(.loopback), port: 9)
        var machine = SendMachine(usesSegmentation: true)
        #expect(machine.onlyPlainMessage == nil)
        machine.enqueue(length: 5, at: 0, route: DatagramRoute(destination))
        #expect(machine.onlyPlainMessage?.length == 5 && machine.onlyPlainMessage?.route.destination == destination)
        machine.enqueue(length: 5, at: 5, route: DatagramRoute(destination))
        #expect(machine.onlyPlainMessage == nil)
        _ = machine.sent(1)
        machine.enqueue(length: 5, at: 0, route: DatagramRoute(nil))
        machine.enqueue(length: 5, at: 5, route: DatagramRoute(destination))
        #expect(machine.onlyPlainMessage == nil)
        _ = machine.sent(2)
        machine.enqueue(
            length: 5,
            at: 0,
            route: DatagramRoute(destination, options: SendOptions(source: .v4(.loopback)))
        )
        #expect(machine.onlyPlainMessage == nil)
    }

    @Test("Up to 65,487 bytes in all")
    func bytes() {
        let limit = SendMachine.maximumMessageLength
        #expect(limit == 65_487)
        #expect(counts(Array(repeating: 21_829, count: 3)) == [3])
        #expect(counts(Array(repeating: 21_830, count: 3)) == [2, 1])
        #expect(counts([32_744, 32_743]) == [2])
        #expect(counts([32_744, 32_744]) == [1, 1])
        #expect(counts([65_507, 65_507]) == [1, 1])
    }

    @Test("A shorter one is the last; a longer one begins a message")
    func shorter() {
        #expect(counts([10, 10, 5, 10, 10]) == [3, 2])
        #expect(counts([10, 5, 5]) == [2, 1])
        #expect(counts([10, 20]) == [1, 1])
        #expect(counts([10, 9, 8, 7]) == [2, 2])
    }

    @Test("Empty ones are alone")
    func empty() {
        #expect(counts([0, 0, 0]) == [1, 1, 1])
        #expect(counts([10, 0, 10, 10]) == [1, 1, 2])
    }

    @Test("None, where the kernel cannot cut")
    func unsupported() {
        #expect(counts([10, 10, 10], usesSegmentation: false) == [1, 1, 1])
    }

    @Test("None with another destination, port or option")
    func routes() {
        let first = DatagramRoute.peer(1)
        let port = DatagramRoute(SocketAddress(.v4(IPv4Address(192, 0, 2, 1)), port: 10))
        let routes: [DatagramRoute] = [
            first, .peer(2), port, DatagramRoute(nil), .peer(1, options: SendOptions(source: .v4(.loopback))),
            .peer(1, options: SendOptions(interface: InterfaceIndex(rawValue: 2))),
            .peer(1, options: SendOptions(trafficClass: TrafficClass(dscp: 46))),
        ]
        var sender = ScriptedSender()
        for route in routes {
            sender.enqueue([10], route: first)
            sender.enqueue([10], route: route)
        }
        sender.run()
        // Only the neighbours on the first route itself are merged: the first three.
        #expect(sender.kernel.calls == [[3] + Array(repeating: 1, count: 11)])
        #expect(sender.kernel.departed.map(\.route) == routes.flatMap { [first, $0] })
    }

    @Test("None behind a gap in the buffer")
    func gap() {
        var machine = SendMachine(usesSegmentation: true)
        machine.enqueue(length: 10, at: 0, route: .peer(1))
        machine.enqueue(length: 10, at: 11, route: .peer(1))
        #expect(machine.messages.map(\.count) == [1, 1])
    }

    @Test("EIO: the device cannot do it. The same datagrams leave one by one, and never together again on that path")
    func device() {
        var sender = ScriptedSender()
        sender.enqueue([10, 10, 10], tickets: [1, 2, 3])
        let step = sender.run(.fails(.inputOutput))
        #expect(step == .rest)
        #expect(sender.kernel.calls == [[3], [1, 1, 1]])
        #expect(sender.departedLengths == [10, 10, 10] && sender.sentTickets == [1, 2, 3])
        sender.enqueue([5, 5])
        sender.enqueue([5, 5], route: .peer(2))
        sender.run()
        #expect(sender.kernel.calls.last == [1, 1, 2])
    }

    @Test("What waits behind a refused message on the same path is not tried in vain")
    func deviceWithOthersWaiting() {
        var sender = ScriptedSender()
        sender.enqueue(Array(repeating: 10, count: 66))
        sender.enqueue([10, 10], route: .peer(2))
        sender.run(.fails(.inputOutput))
        #expect(sender.kernel.calls == [[64, 2, 2], Array(repeating: 1, count: 66) + [2]])
        #expect(sender.kernel.departed.count == 68)
    }

    @Test(
        "Too large for the path: one by one, and datagrams of that length never together again",
        arguments: [SystemCondition.tooLarge, .invalidArgument]
    )
    func size(condition: SystemCondition) {
        var sender = ScriptedSender()
        sender.enqueue([1_200, 1_200])
        let step = sender.run(.fails(condition))
        #expect(step == .rest)
        #expect(sender.kernel.calls == [[2], [1, 1]])
        sender.enqueue([1_200, 1_200, 1_199, 1_199])
        sender.enqueue([1_200, 1_200], route: .peer(2))
        sender.run()
        #expect(sender.kernel.calls.last == [1, 1, 2, 2])
    }

    @Test("EINVAL that the datagrams get alone as well says nothing about merging")
    func invalidOptions() {
        var sender = ScriptedSender()
        let wrong = DatagramRoute.peer(1, options: SendOptions(source: .v4(.loopback)))
        sender.enqueue([10, 10], route: wrong, tickets: [1, 2])
        let refusal = FakeKernel.Answer.fails(.invalidArgument)
        sender.run(refusal, refusal, refusal, refusal, refusal, refusal, refusal, refusal, refusal)
        #expect(sender.failedTickets == [1, 2] && sender.kernel.departed.isEmpty)
        sender.enqueue([10, 10])
        sender.run()
        #expect(sender.kernel.calls.last == [2])
    }

    @Test("A datagram of a split message that is too large by itself fails alone")
    func partFails() {
        var sender = ScriptedSender()
        sender.enqueue([10, 10, 5], tickets: [1, 2, 3])
        let refusal = FakeKernel.Answer.fails(.tooLarge)
        let step = sender.run(refusal, .takes(1), refusal, refusal, refusal, refusal)
        #expect(step == .rest)
        #expect(sender.departedLengths == [10, 5])
        #expect(sender.outcomes.map(\.ticket) == [1, 2, 3] && sender.failedTickets == [2])
    }
}
