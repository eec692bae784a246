import DiscoverableCore
import Testing

@Suite("Acknowledgement ledger")
struct AcknowledgementLedgerTests {
    private let timeout = Duration.seconds(2)

    /// Ids as a machine gives them.
    private func ids(_ count: Int) -> [MessageID] {
        var machine = connectedClient()
        return (0..<count).compactMap { machine.mustSend("\($0)", at: 0) }
    }

    @Test("Acknowledgements settle the oldest first")
    func order() {
        let ids = ids(2)
        var ledger = AcknowledgementLedger()
        for id in ids { ledger.append(.message(id), now: .origin, timeout: timeout) }
        #expect(ledger.messages == ids)
        #expect(ledger.acknowledge(now: .seconds(1))?.entry == .message(ids[0]))
        #expect(ledger.acknowledge(now: .seconds(1))?.entry == .message(ids[1]))
        #expect(ledger.acknowledge(now: .seconds(1)) == nil)
    }

    @Test("Entries expire in order, each at its own time")
    func expiry() {
        let ids = ids(2)
        var ledger = AcknowledgementLedger()
        ledger.append(.message(ids[0]), now: .seconds(0), timeout: timeout)
        ledger.append(.message(ids[1]), now: .seconds(1), timeout: timeout)
        #expect(ledger.nextExpiry == .seconds(2))
        #expect(ledger.expireOldest(now: .seconds(1.9)) == nil)
        #expect(ledger.expireOldest(now: .seconds(2)) == .message(ids[0]))
        #expect(ledger.expireOldest(now: .seconds(2)) == nil)
        #expect(ledger.nextExpiry == .seconds(3))
    }

    @Test("A discover's late acknowledgement is not a message's, if it comes at once")
    func straggler() {
        let id = ids(1)[0]
        var ledger = AcknowledgementLedger()
        ledger.expectStraggler(until: .seconds(0.01))
        ledger.append(.message(id), now: .origin, timeout: timeout)
        #expect(ledger.acknowledge(now: .seconds(0.005)) == nil)
        #expect(ledger.acknowledge(now: .seconds(0.006))?.entry == .message(id))
    }

    @Test("A server that never acknowledges discovers costs no message its acknowledgement")
    func noStraggler() {
        let id = ids(1)[0]
        var ledger = AcknowledgementLedger()
        ledger.expectStraggler(until: .seconds(0.01))
        ledger.append(.message(id), now: .origin, timeout: timeout)
        #expect(ledger.acknowledge(now: .seconds(0.01))?.entry == .message(id))
    }

    @Test("A probe's acknowledgement is not a message's; a handshake stands for it")
    func probes() {
        let id = ids(1)[0]
        var ledger = AcknowledgementLedger()
        ledger.append(.probe, now: .origin, timeout: timeout)
        ledger.append(.message(id), now: .origin, timeout: timeout)
        var answered = ledger
        #expect(answered.acknowledge(now: .seconds(1))?.entry == .probe)
        ledger.settleProbes()
        #expect(ledger.acknowledge(now: .seconds(1))?.entry == .message(id))
    }
}
