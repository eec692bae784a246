import DiscoverableCore
import Testing

@Suite("Outstanding messages")
struct OutstandingMessagesTests {
    private typealias Entry = OutstandingMessages.Entry

    private let timeout = Duration.seconds(2)
    private let first = Entry.message(MessageID(rawValue: 1), "a")
    private let second = Entry.message(MessageID(rawValue: 2), "b")

    private func outstanding(_ entries: Entry...) -> OutstandingMessages {
        var outstanding = OutstandingMessages()
        for entry in entries { outstanding.append(entry, now: .origin, timeout: timeout) }
        return outstanding
    }

    @Test("Acknowledgements without a number settle the oldest first")
    func order() {
        var outstanding = outstanding(first, second)
        #expect(outstanding.messages.map(\.text) == ["a", "b"])
        #expect(outstanding.acknowledge(nil, now: .seconds(1))?.entry == first)
        #expect(outstanding.acknowledge(nil, now: .seconds(1))?.entry == second)
        #expect(outstanding.acknowledge(nil, now: .seconds(1)) == nil)
    }

    @Test("One with a number settles that message, once")
    func number() {
        var outstanding = outstanding(.probe, first, second)
        let settled = outstanding.acknowledge(MessageID(rawValue: 2), now: .seconds(0.5))
        #expect(settled?.entry == second && settled?.elapsed == .seconds(0.5))
        #expect(outstanding.acknowledge(MessageID(rawValue: 2), now: .seconds(0.5)) == nil)
        #expect(outstanding.acknowledge(MessageID(rawValue: 3), now: .seconds(0.5)) == nil)
        #expect(outstanding.messages.map(\.text) == ["a"])
    }

    @Test("Entries expire in order, each at its own time")
    func expiry() {
        var outstanding = outstanding(first)
        outstanding.append(second, now: .seconds(1), timeout: timeout)
        #expect(outstanding.nextExpiry == .seconds(2))
        #expect(outstanding.expireOldest(now: .seconds(1.9)) == nil)
        #expect(outstanding.expireOldest(now: .seconds(2)) == first)
        #expect(outstanding.expireOldest(now: .seconds(2)) == nil)
        #expect(outstanding.nextExpiry == .seconds(3))
    }

    @Test("A discover's late acknowledgement is not a message's, if it comes at once")
    func straggler() {
        var outstanding = outstanding(first)
        outstanding.expectStraggler(until: .seconds(0.01))
        #expect(outstanding.acknowledge(nil, now: .seconds(0.005)) == nil)
        #expect(outstanding.acknowledge(nil, now: .seconds(0.006))?.entry == first)
    }

    @Test("A server that never acknowledges discovers costs no message its acknowledgement")
    func noStraggler() {
        var outstanding = outstanding(first)
        outstanding.expectStraggler(until: .seconds(0.01))
        #expect(outstanding.acknowledge(nil, now: .seconds(0.01))?.entry == first)
    }

    @Test("A probe's acknowledgement is not a message's; a handshake stands for it")
    func probes() {
        var outstanding = outstanding(.probe, first)
        var answered = outstanding
        #expect(answered.acknowledge(nil, now: .seconds(1))?.entry == .probe)
        outstanding.settleProbes()
        #expect(outstanding.acknowledge(nil, now: .seconds(1))?.entry == first)
    }
}
