@_spi(Package) import DiscoverableCore
import Testing

@Suite("What senders that wait are told")
struct SendTicketTests {
    @Test("Each ticket gets one outcome, in order, also when the kernel takes a part at a time")
    func partial() {
        var sender = ScriptedSender()
        sender.enqueue([10, 20, 30, 40], tickets: [1, nil, 3, 4])
        sender.run(.takes(1), .takes(2))
        #expect(sender.sentTickets == [1, 3, 4] && sender.outcomes.count == 3)
    }

    @Test("All of a merged message share its end; those that nobody waits for are told as a number, if they failed")
    func merged() {
        var sender = ScriptedSender()
        sender.enqueue([10, 10, 10, 10, 10], tickets: [1, nil, 3, nil, nil])
        sender.run(.fails(.noBufferSpace))
        #expect(sender.outcomes.map(\.ticket) == [1, 3, nil])
        #expect(sender.outcomes.map(\.datagrams) == [1, 1, 3])
        #expect(sender.outcomes.allSatisfy { $0.failure == ScriptedSender.error(.noBufferSpace) })
        #expect(sender.machine.backlog == 0)
    }

    @Test("What waits for the peer goes to it, though another one is connected before it leaves")
    func pinned() {
        var machine = SendMachine(usesSegmentation: true)
        let (old, other) = (SocketAddress(.v4(.loopback), port: 1), SocketAddress(.v4(.loopback), port: 2))
        machine.enqueue(length: 10, at: 0, route: DatagramRoute(nil))
        machine.enqueue(length: 10, at: 10, route: DatagramRoute(other))
        machine.pin(to: old)
        machine.enqueue(length: 10, at: 20, route: DatagramRoute(nil))
        #expect(machine.messages.map(\.route) == [DatagramRoute(old), DatagramRoute(other), DatagramRoute(nil)])
    }

    @Test("Taking back one of a merged message leaves the others, in two messages", arguments: [UInt64](1...5))
    func cancelInTheMiddle(ticket: UInt64) {
        var sender = ScriptedSender()
        sender.enqueue([10, 10, 10, 10, 7], tickets: [1, 2, 3, 4, 5])
        let cancelled = [sender.machine.cancel(ticket), sender.machine.cancel(ticket)]
        #expect(cancelled == [true, false])
        sender.run()
        let others = [1, 2, 3, 4, 5].filter { $0 != ticket }
        #expect(sender.sentTickets == others)
        #expect(sender.kernel.departed.map(\.offset) == others.map { Int($0 - 1) * 10 })
        #expect(sender.departedLengths == others.map { $0 == 5 ? 7 : 10 })
        #expect(sender.kernel.calls.first == [Int(ticket) - 1, 5 - Int(ticket)].filter { $0 > 0 })
        #expect(sender.machine.backlog == 0)
    }

    @Test("What has left, failed or never was cannot be taken back")
    func cancelTooLate() {
        var sender = ScriptedSender()
        sender.enqueue([10, 20], tickets: [1, 2])
        sender.run(.takes(1), .fails(.wouldBlock))
        let cancelled = [1, 9, 2].map { sender.machine.cancel($0) }
        #expect(cancelled == [false, false, true])
        #expect(sender.machine.isEmpty && sender.machine.backlog == 0)
        let outcomes = sender.machine.takeOutcomes()
        #expect(outcomes.isEmpty)
    }

    @Test("Nothing joins a message of which one was taken back")
    func cancelClosesMessage() {
        var sender = ScriptedSender()
        sender.enqueue([10, 10, 10], tickets: [1, 2, 3])
        let isCancelled = sender.machine.cancel(3)
        #expect(isCancelled)
        sender.enqueue([10], tickets: [4])
        sender.run()
        #expect(sender.kernel.departed.map(\.offset) == [0, 10, 30])
        #expect(sender.sentTickets == [1, 2, 4])
    }

    @Test("When all that waited for room is taken back, the next one is tried at once")
    func cancelAll() {
        var sender = ScriptedSender()
        sender.enqueue([10], tickets: [1])
        let step = sender.run(.fails(.wouldBlock))
        #expect(step == .waitForRoom)
        let isCancelled = sender.machine.cancel(1)
        #expect(isCancelled)
        #expect(sender.machine.isEmpty && !sender.machine.isBlocked)
    }

    @Test("A message whose first one is taken back has its whole patience again")
    func cancelFirst() {
        var sender = ScriptedSender()
        sender.enqueue([10, 10], tickets: [1, 2])
        let report = FakeKernel.Answer.fails(.refused)
        for _ in 0..<3 {
            let answer = sender.machine.failed(.refused, ScriptedSender.error(.refused))
            #expect(answer == .sendAgain)
        }
        let isCancelled = sender.machine.cancel(1)
        #expect(isCancelled)
        let step = sender.run(report, report, report)
        #expect(step == .rest)
        #expect(sender.sentTickets == [2])
    }

    @Test("The backlog counts bytes, and each datagram beside its bytes")
    func backlog() {
        var sender = ScriptedSender()
        sender.enqueue([10, 10, 0, 500], tickets: [1])
        #expect(sender.machine.backlog == 520 + 4 * SendMachine.overhead)
        let isCancelled = sender.machine.cancel(1)
        #expect(isCancelled)
        #expect(sender.machine.backlog == 510 + 3 * SendMachine.overhead)
        sender.run(.takes(1), .fails(.noBufferSpace))
        #expect(sender.machine.backlog == 0)
    }

    @Test("When the bytes move to the front, so do the places")
    func moved() {
        var sender = ScriptedSender()
        sender.enqueue([10, 20, 30])
        let step = sender.run(.takes(1), .fails(.wouldBlock))
        #expect(step == .waitForRoom)
        #expect(sender.machine.firstOffset == 10)
        sender.compact()
        #expect(sender.machine.firstOffset == 0)
        sender.enqueue([30])
        sender.machine.becameWritable()
        sender.run()
        #expect(sender.kernel.departed.dropFirst().map(\.offset) == [0, 20, 50])
        #expect(sender.kernel.calls.last == [1, 2])
        #expect(sender.machine.firstOffset == nil)
    }

    @Test("Long queues, of which much has left, keep their order")
    func longQueue() {
        var sender = ScriptedSender(usesSegmentation: false)
        for round in 0..<50 {
            sender.enqueue(Array(repeating: 10, count: 10), tickets: (0..<10).map { UInt64(round * 10 + $0) })
            sender.run(.takes(7), .fails(.wouldBlock))
            sender.machine.becameWritable()
        }
        sender.run()
        #expect(sender.sentTickets == Array(0..<500))
        #expect(sender.kernel.departed.map(\.offset) == (0..<500).map { $0 * 10 })
    }
}
