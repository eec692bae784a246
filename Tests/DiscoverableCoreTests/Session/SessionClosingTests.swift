import DiscoverableCore
import Testing

@Suite("Closing")
struct SessionClosingTests {
    private var session = TestedSession.connectedClient()
    private let end = Told.happened(.closed(.closedLocally))

    @Test("17: the disconnect is repeated until the peer reacts, a bounded number of times")
    mutating func repeats() {
        #expect(session.close(at: 1) == disconnects(peer))
        #expect(session.machine.state == .closing)
        let steps = session.run()
        #expect(steps.map(\.at) == [1.25, 1.5, 1.75])
        #expect(steps.map(\.told) == [disconnects(peer), disconnects(peer), [end]])
        #expect(session.machine.state == .closed(.closedLocally))
    }

    @Test("An acknowledgement ends the closing, but not that of a message before it")
    mutating func acknowledged() {
        let message = session.mustSend(at: 1)
        #expect(session.close(at: 1) == [.happened(.abandoned(message, "message"))] + disconnects(peer))
        #expect(session.reception(of: .acknowledgement(nil), at: 1.1) == .ignored(.redundant))
        #expect(session.machine.state == .closing)
        #expect(session.hear(.acknowledgement(nil), at: 1.1) == [end])
    }

    @Test("The late acknowledgement of our discover is not that of the disconnect")
    mutating func straggler() {
        session = TestedSession()
        _ = session.connect(to: [peer], at: 0)
        _ = session.hear(.shake(text: nil), at: 0.1)
        _ = session.close(at: 0.101)
        #expect(session.reception(of: .acknowledgement(nil), at: 0.102) == .ignored(.redundant))
        #expect(session.machine.state == .closing)
        #expect(session.hear(.acknowledgement(nil), at: 0.2) == [end])
    }

    @Test("16: a disconnect is acknowledged and never answered by a disconnect")
    func closedByPeer() {
        for var session in [TestedSession.connectedClient(), .admittedClient()] {
            _ = session.outputs()
            let message = session.mustSend(at: 1)
            let told = session.hear(.disconnect, at: 1)
            let acknowledgement = Told.says(.acknowledgement(nil), to: peer)
            #expect(told.first == acknowledgement)
            #expect(told.dropFirst() == [.happened(.abandoned(message, "message")), .happened(.closed(.closedByPeer))])
        }
    }

    @Test("16: both closing at once: neither answers by another close")
    mutating func crossing() {
        _ = session.close(at: 1)
        #expect(session.hear(.disconnect, at: 1.1) == [.says(.acknowledgement(nil), to: peer), end])
    }

    @Test("A peer that refuses while we close is gone already")
    mutating func refusedWhileClosing() {
        _ = session.close(at: 1)
        #expect(session.reject(.refused, at: 1.1) == [end])
    }

    @Test("Closing without telling sends nothing")
    mutating func silently() {
        #expect(session.close(tellingPeer: false, at: 1) == [end])
    }

    @Test("A stranger's acknowledgement does not end the closing")
    mutating func stranger() {
        _ = session.close(at: 1)
        let source = DiscoverableCoreTests.stranger
        #expect(session.reception(of: .acknowledgement(nil), from: source, at: 1) == .ignored(.stranger))
        #expect(session.machine.state == .closing)
    }

    @Test("7, 9, 14, 18: after the end there is no timer, no event and no way back")
    mutating func nothingAfterTheEnd() {
        for index in 0..<7 { _ = session.mustSend("\(index)", at: 1) }
        _ = session.hear(.disconnect, at: 1)
        #expect(session.machine.nextDeadline == nil)
        #expect(session.reach(100).isEmpty)
        for statement in [SessionStatement.shake(text: nil), .acknowledgement(nil), .disconnect, .message(nil, "x")] {
            #expect(session.reception(of: statement, at: 2) == .ignored(.over))
        }
        #expect(session.reject(.refused, at: 2).isEmpty)
        #expect(session.close(at: 2).isEmpty)
        #expect(session.refusal(of: "x", at: 2) == .notConnected(.closed(.closedByPeer)))
        #expect(session.machine.state == .closed(.closedByPeer) && session.outputs().isEmpty)
    }

    @Test("19: the table of transitions has no way back and no repetition")
    func transitions() {
        let states: [SessionState] = [.connecting, .connected, .closing, .closed(.lost), .failed(.noAnswer)]
        let legal = states.map { state in states.filter(state.canBecome) }
        #expect(legal[0] == [.connected, .closed(.lost), .failed(.noAnswer)])
        #expect(legal[1] == [.closing, .closed(.lost)])
        #expect(legal[2] == [.closed(.lost)])
        #expect(legal[3].isEmpty && legal[4].isEmpty)
    }
}
