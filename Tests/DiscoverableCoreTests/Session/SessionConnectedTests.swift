import DiscoverableCore
import Testing

@Suite("Connected")
struct SessionConnectedTests {
    @Test("fault 2: a session begins with nothing counted")
    func fresh() {
        let machine = connectedClient(at: 5)
        #expect(machine.strength == nil)
        #expect(machine.nextDeadline?.reason == .keepAlive && machine.nextDeadline?.at == .seconds(35))
    }

    @Test("fault 8: one acknowledgement settles one message, the oldest")
    func oneEach() {
        var machine = connectedClient()
        let first = machine.mustSend("a", at: 1)
        let second = machine.mustSend("b", at: 1.5)
        let settled = machine.receive(.acknowledgement, from: peer, now: .seconds(2)).settlement
        #expect(settled?.message == first && settled?.roundTripTime == .seconds(1) && settled?.newStrength == 100)
        #expect(machine.nextDeadline?.at == .seconds(3.5))
        #expect(machine.deadlineReached(now: .seconds(3.5)).settlement?.message == second)
        #expect(machine.strength == 50)
    }

    @Test("fault 6: an acknowledged message is never lost later")
    func noLateLoss() {
        var machine = connectedClient()
        _ = machine.mustSend(at: 1)
        _ = machine.receive(.acknowledgement, from: peer, now: .seconds(1.1))
        #expect(machine.nextDeadline?.reason == .keepAlive)
        #expect(machine.deadlineReached(now: .seconds(3)) == .wait)
        #expect(machine.strength == 100)
    }

    @Test("fault 4: only acknowledgements count as such")
    func nothingElseCounts() {
        var machine = connectedClient()
        _ = machine.mustSend(at: 1)
        let others: [ClassicDatagram?] = [
            .shake(text: nil), .discover(name: "x"), .payload("text"), .payload(""), .payload("dscv_acknowledge"), nil,
        ]
        for datagram in others { #expect(machine.receive(datagram, from: peer, now: .seconds(1.1)).settlement == nil) }
        #expect(machine.strength == nil)
        #expect(machine.deadlineReached(now: .seconds(3)).settlement?.newStrength == 0)
    }

    @Test("fault 5: an acknowledgement of nothing does nothing")
    func acknowledgementOfNothing() {
        var machine = connectedClient()
        #expect(machine.receive(.acknowledgement, from: peer, now: .seconds(1)) == .ignore(.redundant))
        #expect(machine.strength == nil)
    }

    @Test("fault 19: a repeated handshake does not connect again")
    func repeatedHandshake() {
        var machine = connectedClient()
        #expect(machine.receive(.shake(text: "192.0.2.9"), from: peer, now: .seconds(1)) == .ignore(.redundant))
        #expect(machine.state == .connected)
    }

    @Test("Five losses end a client's session, with the fifth")
    func lost() {
        var machine = connectedClient()
        let ids = (0..<5).compactMap { machine.mustSend("\($0)", at: 1) }
        for id in ids.dropLast() {
            #expect(machine.deadlineReached(now: .seconds(3)).settlement?.message == id)
            #expect(machine.state == .connected)
        }
        guard case .settleAndEnd(let settlement, let end) = machine.deadlineReached(now: .seconds(3)) else {
            Issue.record("the fifth loss did not end the session")
            return
        }
        #expect(settlement.message == ids[4] && end.reason == .lost && end.farewell == nil && end.abandoned.isEmpty)
        #expect(machine.state == .closed(.lost) && machine.strength == 0)
    }

    @Test("A server keeps a client that speaks but acknowledges nothing, and gives up one that is silent")
    func lostOnServer() {
        var speaking = admittedClient()
        var silent = admittedClient()
        for index in 0..<5 {
            _ = speaking.mustSend("\(index)", at: 1)
            _ = silent.mustSend("\(index)", at: 1)
        }
        _ = speaking.receive(.payload("x"), from: peer, now: .seconds(2.5))
        for _ in 0..<5 {
            _ = speaking.deadlineReached(now: .seconds(3))
            _ = silent.deadlineReached(now: .seconds(3))
        }
        #expect(speaking.state == .connected && speaking.strength == 0)
        #expect(silent.state == .closed(.lost))
    }

    @Test("Messages are delivered; without room they are not acknowledged")
    func delivery() {
        var machine = admittedClient()
        #expect(machine.receive(.payload("hi"), from: peer, now: .seconds(1)) == .deliver("hi"))
        let full = machine.receive(.payload("hi"), from: peer, roomForMessage: false, now: .seconds(1))
        #expect(full == .ignore(.noRoom))
        #expect(machine.receive(.payload(""), from: peer, now: .seconds(1)) == .answer([.acknowledgement]))
    }

    @Test("A repeated discover gets the admission again; an acknowledgement is never acknowledged")
    func repeatedDiscover() {
        var machine = admittedClient()
        let admission: [ClassicDatagram] = [.acknowledgement, .shake(text: "server")]
        #expect(machine.receive(.discover(name: "x"), from: peer, now: .seconds(1)) == .answer(admission))
        #expect(machine.receive(.acknowledgement, from: peer, now: .seconds(1)) == .ignore(.redundant))
    }

    @Test("fault 15: strangers neither end a session nor settle anything")
    func strangers() {
        var machine = connectedClient()
        _ = machine.mustSend(at: 1)
        for datagram in [ClassicDatagram.disconnect, .acknowledgement, .payload("x"), .shake(text: nil)] {
            #expect(machine.receive(datagram, from: stranger, now: .seconds(1)) == .ignore(.stranger))
        }
        #expect(machine.state == .connected && machine.strength == nil)
    }

    @Test("A refused port alone never ends a session that stands")
    func refused() {
        var machine = connectedClient()
        for _ in 0..<100 { #expect(machine.peerRejected(.refused, from: peer, now: .seconds(1)) == .note) }
        #expect(machine.state == .connected)
    }

    @Test("fault 13: a client notices a server that is gone, without messages of its own")
    func keepAlive() {
        var machine = connectedClient()
        #expect(machine.deadlineReached(now: .seconds(30)) == .probe)
        #expect(machine.deadlineReached(now: .seconds(32)) == .probe)
        #expect(machine.deadlineReached(now: .seconds(34)) == .probe)
        guard case .end(let end) = machine.deadlineReached(now: .seconds(36)) else {
            Issue.record("the session goes on without a server")
            return
        }
        #expect(end.reason == .silent && machine.nextDeadline == nil)
    }

    @Test("An answered probe is no outcome, and starts the wait anew")
    func answeredProbe() {
        var machine = connectedClient()
        _ = machine.deadlineReached(now: .seconds(30))
        #expect(machine.receive(.acknowledgement, from: peer, now: .seconds(30.1)) == .ignore(.redundant))
        #expect(machine.strength == nil)
        #expect(machine.nextDeadline?.at == .seconds(60.1))
    }

    @Test("A server lets a silent client go, and tells it")
    func idle() {
        var machine = admittedClient()
        #expect(machine.nextDeadline?.at == .seconds(120) && machine.nextDeadline?.reason == .idle)
        _ = machine.receive(.payload(""), from: peer, now: .seconds(100))
        #expect(machine.nextDeadline?.at == .seconds(220))
        guard case .end(let end) = machine.deadlineReached(now: .seconds(220)) else {
            Issue.record("the session goes on without a client")
            return
        }
        #expect(end.reason == .idle && end.farewell == .disconnect)
    }

    @Test("fault 23: what cannot be sent is refused with its reason")
    func refusals() {
        var configuration = SessionConfiguration()
        configuration.maximumOutstandingMessages = 1
        var machine = connectedClient(configuration: configuration)
        #expect(machine.send("", now: .origin) == .refuse(.payload(.empty)))
        let word = machine.send("a dscv_disconnect", now: .origin)
        #expect(word == .refuse(.payload(.containsProtocolWord("dscv_disconnect"))))
        _ = machine.mustSend(at: 0)
        #expect(machine.send("second", now: .origin) == .refuse(.tooManyOutstanding))
    }

    @Test("fault 24: asking for the strength changes nothing")
    func pureQueries() {
        var machine = connectedClient()
        _ = machine.mustSend(at: 1)
        _ = machine.receive(.acknowledgement, from: peer, now: .seconds(1.1))
        #expect(machine.strength == machine.strength && machine.roundTripTime == machine.roundTripTime)
    }
}
