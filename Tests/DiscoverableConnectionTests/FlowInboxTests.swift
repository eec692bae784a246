import DiscoverableCore
import Testing

@testable import DiscoverableConnection

@Suite("When a flow is idle")
struct FlowInboxTests {
    private let second = Duration.seconds(1)

    private func moment(_ milliseconds: Int) -> Instant { Instant(sinceOrigin: .milliseconds(milliseconds)) }

    private func inbox() -> FlowInbox {
        FlowInbox(peer: .loopback(.ipv4, port: 9), limit: 2, now: .origin)
    }

    /// When to ask again; nil where the flow has ended.
    private func deadline(_ check: FlowInbox.IdleCheck) -> Instant? {
        switch check {
        case .active(let deadline): deadline
        case .ended: nil
        }
    }

    @Test("What is sent puts the end off; a clock read earlier does not bring it nearer")
    func sending() {
        let inbox = inbox()
        #expect(deadline(inbox.endIfIdle(for: second, now: moment(999))) == moment(1_000))
        _ = inbox.departure(now: moment(500))
        _ = inbox.departure(now: moment(400))
        #expect(deadline(inbox.endIfIdle(for: second, now: moment(1_000))) == moment(1_500))
        #expect(deadline(inbox.endIfIdle(for: second, now: moment(1_500))) == nil)
    }

    @Test("The first end counts")
    func ends() {
        let inbox = inbox()
        _ = inbox.endIfIdle(for: second, now: moment(1_000))
        _ = inbox.end(.closed)
        guard case .failure(let ended) = inbox.departure(now: nil) else {
            Issue.record("a flow that is over still sends")
            return
        }
        #expect(ended.code == .timedOut)
    }
}
