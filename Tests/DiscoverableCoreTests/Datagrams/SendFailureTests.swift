import Testing

@testable import DiscoverableCore

@Suite("What a send call's failure means")
struct SendFailureTests {
    @Test("EAGAIN: everything waits until the socket is writable, and then leaves in order")
    func wouldBlock() {
        var sender = ScriptedSender()
        sender.enqueue([10, 20, 30])
        let step = sender.run(.fails(.wouldBlock))
        #expect(step == .waitForRoom)
        #expect(sender.machine.isBlocked && sender.kernel.departed.isEmpty && sender.outcomes.isEmpty)
        sender.enqueue([40])
        sender.machine.becameWritable()
        #expect(!sender.machine.isBlocked)
        let next = sender.run()
        #expect(next == .rest)
        #expect(sender.departedLengths == [10, 20, 30, 40])
        #expect(sender.machine.backlog == 0)
    }

    @Test("EAGAIN in the middle keeps the rest only")
    func wouldBlockInTheMiddle() {
        var sender = ScriptedSender()
        sender.enqueue([10, 20, 30])
        let step = sender.run(.takes(1), .fails(.wouldBlock))
        #expect(step == .waitForRoom)
        #expect(sender.departedLengths == [10])
        sender.machine.becameWritable()
        let next = sender.run()
        #expect(next == .rest)
        #expect(sender.departedLengths == [10, 20, 30])
    }

    @Test("EINTR: the same call again, without an end to it")
    func interrupted() {
        var sender = ScriptedSender()
        sender.enqueue([10, 20])
        for _ in 0..<100 {
            let answer = sender.machine.failed(.interrupted, ScriptedSender.error(.interrupted))
            #expect(answer == .sendAgain)
        }
        let step = sender.run()
        #expect(step == .rest)
        #expect(sender.departedLengths == [10, 20] && sender.outcomes.isEmpty)
    }

    @Test("A call that takes fewer messages than it was given is followed by one with the others")
    func partial() {
        var sender = ScriptedSender()
        sender.enqueue([10, 20, 30, 40, 50])
        let step = sender.run(.takes(2), .takes(1))
        #expect(step == .rest)
        #expect(sender.departedLengths == [10, 20, 30, 40, 50])
        #expect(sender.kernel.calls.map(\.count) == [5, 3, 2])
    }

    @Test(
        "A full queue of the system drops one message; nothing waits",
        arguments: [SystemCondition.noBufferSpace, .outOfResources]
    )
    func dropped(condition: SystemCondition) {
        var sender = ScriptedSender()
        sender.enqueue([10, 20, 30])
        let step = sender.run(.fails(condition))
        #expect(step == .rest)
        #expect(sender.departedLengths == [20, 30] && !sender.machine.isBlocked)
        let expected = SendMachine.Outcome(
            route: .peer(1),
            ticket: nil,
            failure: ScriptedSender.error(condition),
            datagrams: 1
        )
        #expect(sender.outcomes == [expected])
    }

    @Test("The last message's failure leaves nothing to do")
    func lastFails() {
        var sender = ScriptedSender()
        sender.enqueue([10])
        let step = sender.run(.fails(.noBufferSpace))
        #expect(step == .rest)
        #expect(sender.machine.isEmpty && sender.machine.backlog == 0)
    }

    @Test("A peer's report is taken by the call: it is made again, and each datagram leaves once")
    func refusedOnce() {
        var sender = ScriptedSender()
        sender.enqueue([10, 20], tickets: [1, 2])
        let step = sender.run(.fails(.refused), .takes(1), .fails(.refused))
        #expect(step == .rest)
        #expect(sender.departedLengths == [10, 20])
        #expect(sender.sentTickets == [1, 2] && sender.failedTickets.isEmpty)
    }

    @Test(
        "What is refused again and again fails with its error, alone",
        arguments: [
            SystemCondition.refused, .unreachable, .permissionDenied, .tooLarge, .invalidArgument, .inputOutput,
        ]
    )
    func refusedForEver(condition: SystemCondition) {
        var sender = ScriptedSender()
        sender.enqueue([10, 20], tickets: [1, 2])
        let again = FakeKernel.Answer.fails(condition)
        let step = sender.run(again, again, again, again)
        #expect(step == .rest)
        #expect(sender.departedLengths == [20])
        #expect(sender.failedTickets == [1] && sender.sentTickets == [2])
        #expect(sender.outcomes.first?.failure == ScriptedSender.error(condition))
    }

    @Test("Each message has the whole patience: reports about others do not add up")
    func patience() {
        var sender = ScriptedSender()
        sender.enqueue([10, 20], tickets: [1, 2])
        let report = FakeKernel.Answer.fails(.refused)
        let step = sender.run(report, report, report, .takes(1), report, report, report)
        #expect(step == .rest)
        #expect(sender.sentTickets == [1, 2])
    }

    @Test("Without segmentation the kernel's refusals of it fail one datagram")
    func withoutSegmentation() {
        var sender = ScriptedSender(usesSegmentation: false)
        sender.enqueue([10, 10, 10])
        let refusal = FakeKernel.Answer.fails(.invalidArgument)
        let step = sender.run(refusal, refusal, refusal, refusal)
        #expect(step == .rest)
        #expect(sender.kernel.calls.first == [1, 1, 1] && sender.departedLengths == [10, 10])
    }
}
