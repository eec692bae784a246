import Testing

@testable import DiscoverableCore

@Suite("What errors of datagram calls mean")
struct ReceiveDecisionTests {
    @Test("A failed receive call: nothing of the network's ends the socket")
    func receive() {
        #expect(ReceiveDecision(.wouldBlock) == .wait)
        #expect(ReceiveDecision(.interrupted) == .again)
        #expect(ReceiveDecision(.noBufferSpace) == .waitForMemory)
        #expect(ReceiveDecision(.outOfResources) == .waitForMemory)
        #expect(ReceiveDecision(.notASocket) == .stop)
        let reports: [SystemCondition] = [
            .refused, .unreachable, .tooLarge, .permissionDenied, .inputOutput, .invalidArgument, .other, .addressInUse,
            .addressUnavailable, .familyUnsupported, .noSuchInterface,
        ]
        for condition in reports { #expect(ReceiveDecision(condition) == .report) }
    }

    @Test("A failed send call: split what was merged, wait where there is no room, give up what cannot pass")
    func send() {
        func decision(_ condition: SystemCondition, count: Int = 1) -> SendDecision {
            var attempt = SendAttempt()
            return attempt.failed(condition, count: count)
        }
        #expect(decision(.interrupted) == .again)
        #expect(decision(.wouldBlock) == .waitForRoom)
        #expect(decision(.inputOutput, count: 2) == .split(byDevice: true))
        #expect(decision(.invalidArgument, count: 2) == .split(byDevice: false))
        #expect(decision(.tooLarge, count: 2) == .split(byDevice: false))
        for condition in [SystemCondition.noBufferSpace, .notASocket, .outOfResources] {
            #expect(decision(condition) == .fail && decision(condition, count: 2) == .fail)
        }
        for condition in [SystemCondition.refused, .inputOutput, .invalidArgument, .tooLarge, .other] {
            #expect(decision(condition) == .again)
        }
    }

    @Test("Reports are believed to be others' three times; interruptions and waits do not count")
    func patience() {
        var attempt = SendAttempt()
        let conditions: [SystemCondition] = [.refused, .interrupted, .wouldBlock]
        for _ in 0..<SendAttempt.reportLimit {
            let decisions = conditions.map { attempt.failed($0, count: 1) }
            #expect(decisions == [.again, .again, .waitForRoom])
        }
        let decision = attempt.failed(.unreachable, count: 1)
        #expect(decision == .fail)
    }

    @Test("The kernel's count of dropped datagrams rises, stands still, and wraps")
    func drops() {
        var counter = DropCounter()
        let dropped = [0, 5, 5, .max, 2].map { counter.advance(to: $0) }
        #expect(dropped == [0, 5, 0, .max - 5, 3])
    }
}

@Suite("How large datagrams may be that leave together")
struct SegmentLimitsTests {
    private func address(_ number: Int, port: UInt16 = 9) -> SocketAddress {
        SocketAddress(.v4(IPv4Address(10, 0, UInt8(number / 256), UInt8(number % 256))), port: port)
    }

    @Test("All, until the kernel refuses; none, where it does not know the option")
    func initial() {
        #expect(SegmentLimits(isSupported: true).limit(for: address(1)) == .max)
        #expect(SegmentLimits(isSupported: true).limit(for: nil) == .max)
        #expect(SegmentLimits(isSupported: false).limit(for: address(1)) == 0)
    }

    @Test("A refusal counts for its path, whatever the port, and never makes the limit larger")
    func refusal() {
        var limits = SegmentLimits(isSupported: true)
        limits.refused(1_200, to: address(1), byDevice: false)
        #expect(limits.limit(for: address(1)) == 1_199 && limits.limit(for: address(1, port: 10)) == 1_199)
        #expect(limits.limit(for: address(2)) == .max && limits.limit(for: nil) == .max)
        limits.refused(1_400, to: address(1), byDevice: false)
        #expect(limits.limit(for: address(1)) == 1_199)
        limits.refused(1_000, to: address(1), byDevice: false)
        #expect(limits.limit(for: address(1)) == 999)
        limits.refused(500, to: address(1), byDevice: true)
        #expect(limits.limit(for: address(1)) == 0)
        limits.refused(500, to: nil, byDevice: true)
        #expect(limits.limit(for: nil) == 0)
    }

    @Test("The memory is bounded: when too many paths have refused, all others do")
    func bound() {
        var limits = SegmentLimits(isSupported: true)
        for number in 0..<64 { limits.refused(1_200, to: address(number), byDevice: false) }
        #expect(limits.limit(for: address(100)) == .max)
        limits.refused(1_200, to: address(100), byDevice: false)
        #expect(limits.limit(for: address(100)) == 0 && limits.limit(for: address(101)) == 0)
        #expect(limits.limit(for: address(0)) == 1_199)
        limits.refused(1_000, to: address(0), byDevice: false)
        #expect(limits.limit(for: address(0)) == 999)
    }
}
