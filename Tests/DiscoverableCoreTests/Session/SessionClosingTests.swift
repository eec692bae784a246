import DiscoverableCore
import Testing

@Suite("Closing")
struct SessionClosingTests {
    @Test("fault 17: the disconnect is repeated until the peer reacts, a bounded number of times")
    func repeats() {
        var machine = connectedClient()
        #expect(machine.close(tellingPeer: true, now: .seconds(1)) == .disconnect(abandoned: []))
        #expect(machine.state == .closing)
        #expect(machine.deadlineReached(now: .seconds(1.25)) == .disconnect)
        #expect(machine.deadlineReached(now: .seconds(1.5)) == .disconnect)
        guard case .end(let end) = machine.deadlineReached(now: .seconds(1.75)) else {
            Issue.record("closing goes on for ever")
            return
        }
        #expect(end.reason == .closedLocally && end.farewell == nil)
        #expect(machine.state == .closed(.closedLocally))
    }

    @Test("An acknowledgement ends the closing, but not that of a message before it")
    func acknowledged() {
        var machine = connectedClient()
        let message = machine.mustSend(at: 1)
        #expect(
            machine.close(tellingPeer: true, now: .seconds(1)) == .disconnect(abandoned: [message].compactMap { $0 })
        )
        #expect(machine.receive(.acknowledgement, from: peer, now: .seconds(1.1)) == .ignore(.redundant))
        #expect(machine.state == .closing)
        _ = machine.receive(.acknowledgement, from: peer, now: .seconds(1.1))
        #expect(machine.state == .closed(.closedLocally))
    }

    @Test("fault 16: a disconnect is acknowledged and never answered by a disconnect")
    func closedByPeer() {
        for var machine in [connectedClient(), admittedClient()] {
            let message = machine.mustSend(at: 1)
            guard case .end(let end) = machine.receive(.disconnect, from: peer, now: .seconds(1)) else {
                Issue.record("the disconnect was not taken")
                continue
            }
            #expect(end.reason == .closedByPeer && end.farewell == .acknowledgement)
            #expect(end.abandoned == [message].compactMap { $0 })
        }
    }

    @Test("Both closing at once: neither answers by another close")
    func crossing() {
        var machine = connectedClient()
        _ = machine.close(tellingPeer: true, now: .seconds(1))
        guard case .end(let end) = machine.receive(.disconnect, from: peer, now: .seconds(1.1)) else {
            Issue.record("the crossing disconnect was not taken")
            return
        }
        #expect(end.farewell == .acknowledgement)
    }

    @Test("A peer that refuses while we close is gone already")
    func refusedWhileClosing() {
        var machine = connectedClient()
        _ = machine.close(tellingPeer: true, now: .seconds(1))
        guard case .end = machine.peerRejected(.refused, from: peer, now: .seconds(1.1)) else {
            Issue.record("the closing waits for nobody")
            return
        }
        #expect(machine.state == .closed(.closedLocally))
    }

    @Test("Closing without telling sends nothing")
    func silently() {
        var machine = connectedClient()
        guard case .end(let end) = machine.close(tellingPeer: false, now: .seconds(1)) else {
            Issue.record("the session is not over")
            return
        }
        #expect(end.farewell == nil)
    }

    @Test("A stranger's acknowledgement does not end the closing")
    func stranger() {
        var machine = connectedClient()
        _ = machine.close(tellingPeer: true, now: .seconds(1))
        let action = machine.receive(.acknowledgement, from: DiscoverableCoreTests.stranger, now: .seconds(1))
        #expect(action == .ignore(.stranger) && machine.state == .closing)
    }

    @Test("faults 7, 9, 14, 18: after the end there is no timer, no event and no way back")
    func nothingAfterTheEnd() {
        var machine = connectedClient()
        for index in 0..<7 { _ = machine.mustSend("\(index)", at: 1) }
        _ = machine.receive(.disconnect, from: peer, now: .seconds(1))
        #expect(machine.nextDeadline == nil)
        #expect(machine.deadlineReached(now: .seconds(100)) == .wait)
        for datagram in [ClassicDatagram.shake(text: nil), .acknowledgement, .disconnect, .payload("x")] {
            #expect(machine.receive(datagram, from: peer, now: .seconds(2)) == .ignore(.over))
        }
        #expect(machine.peerRejected(.refused, from: peer, now: .seconds(2)) == .note)
        #expect(machine.close(tellingPeer: true, now: .seconds(2)) == .ignore)
        #expect(machine.send("x", now: .seconds(2)) == .refuse(.notConnected(.closed(.closedByPeer))))
        #expect(machine.state == .closed(.closedByPeer))
    }

    @Test("fault 19: the table of transitions has no way back and no repetition")
    func transitions() {
        let states: [SessionState] = [.connecting, .connected, .closing, .closed(.lost), .failed(.noAnswer)]
        let legal = states.map { state in states.filter(state.canBecome) }
        #expect(legal[0] == [.connected, .closed(.lost), .failed(.noAnswer)])
        #expect(legal[1] == [.closing, .closed(.lost)])
        #expect(legal[2] == [.closed(.lost)])
        #expect(legal[3].isEmpty && legal[4].isEmpty)
    }
}
