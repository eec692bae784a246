import DiscoverableCore
import Testing

@Suite("Connected")
struct SessionConnectedTests {
    private var client = TestedSession.connectedClient()
    private var server = TestedSession.admittedClient()

    private func lost(_ id: MessageID, _ text: String = "message") -> Told { .happened(.lost(id, text)) }
    private func closed(_ reason: SessionCloseReason) -> Told { .happened(.closed(reason)) }
    private func strength(_ percent: Int) -> Told { .happened(.strengthChanged(percent)) }

    @Test("2: a session begins with nothing counted")
    func fresh() {
        let session = TestedSession.connectedClient(at: 5)
        #expect(session.machine.strength == nil)
        #expect(session.machine.nextDeadline == SessionDeadline(at: .seconds(35), reason: .keepAlive))
    }

    @Test("A message leaves at once, as itself")
    mutating func send() throws {
        let id = try client.machine.send("hello", now: .seconds(1))
        #expect(id.rawValue == 1)
        #expect(client.outputs() == [.happened(.sent(id, "hello")), .says(.message(nil, "hello"), to: peer)])
    }

    @Test("8: one acknowledgement settles one message, the oldest")
    mutating func oneEach() {
        let first = client.mustSend("a", at: 1)
        let second = client.mustSend("b", at: 1.5)
        let told = client.hear(.acknowledgement(nil), at: 2)
        #expect(told == [.happened(.acknowledged(first, "a", roundTripTime: .seconds(1))), strength(100)])
        #expect(client.machine.nextDeadline == SessionDeadline(at: .seconds(3.5), reason: .acknowledgement))
        #expect(client.reach(3.5) == [lost(second, "b"), strength(50)])
    }

    @Test("6: an acknowledged message is never lost later")
    mutating func noLateLoss() {
        _ = client.mustSend(at: 1)
        _ = client.hear(.acknowledgement(nil), at: 1.1)
        #expect(client.machine.nextDeadline?.reason == .keepAlive)
        #expect(client.reach(3).isEmpty)
        #expect(client.machine.strength == 100)
    }

    @Test("4: only acknowledgements count as such")
    mutating func nothingElseCounts() {
        let id = client.mustSend(at: 1)
        let others: [SessionStatement] = [
            .shake(text: nil), .discover(name: "x"), .message(nil, "text"), .message(nil, ""),
            .message(nil, "dscv_acknowledge"),
        ]
        for statement in others { _ = client.hear(statement, at: 1.1) }
        client.machine.receive([0xff].span, from: peer, now: .seconds(1.1))
        #expect(client.machine.strength == nil)
        #expect(client.reach(3) == [lost(id), strength(0)])
    }

    @Test("5: an acknowledgement of nothing does nothing, and divides by nothing")
    mutating func acknowledgementOfNothing() {
        #expect(client.reception(of: .acknowledgement(nil), at: 1) == .ignored(.redundant))
        #expect(client.machine.strength == nil)
        let id = client.mustSend(at: 2)
        // The acknowledgement can be as fast as it likes: the message counts from the moment that it is handed over.
        #expect(
            client.hear(.acknowledgement(nil), at: 2).first
                == .happened(.acknowledged(id, "message", roundTripTime: .zero))
        )
        #expect(client.machine.strength == 100)
    }

    @Test("19: a repeated handshake does not connect again")
    mutating func repeatedHandshake() {
        #expect(client.hear(.shake(text: "192.0.2.9"), at: 1).isEmpty)
        #expect(client.machine.state == .connected)
    }

    @Test("Five losses end a client's session, with the fifth")
    mutating func lostSession() {
        let ids = (0..<4).map { client.mustSend("\($0)", at: 1) }
        let last = client.mustSend("4", at: 1.5)
        #expect(client.reach(3) == [lost(ids[0], "0"), strength(0)] + (1...3).map { lost(ids[$0], "\($0)") })
        #expect(client.machine.state == .connected)
        #expect(client.reach(3.5) == [lost(last, "4"), closed(.lost)])
        #expect(client.machine.state == .closed(.lost) && client.machine.strength == 0)
    }

    @Test("A server keeps a client that speaks but acknowledges nothing, and gives up one that is silent")
    mutating func lostOnServer() {
        var silent = server
        for index in 0..<5 {
            _ = server.mustSend("\(index)", at: 1)
            _ = silent.mustSend("\(index)", at: 1)
        }
        _ = server.hear(.message(nil, "x"), at: 2.5)
        _ = server.reach(3)
        #expect(server.machine.state == .connected && server.machine.strength == 0)
        #expect(silent.reach(3).last == closed(.lost))
    }

    @Test(
        "Messages are acknowledged and delivered; without room they are not acknowledged; empty ones are not delivered"
    )
    mutating func delivery() {
        _ = server.outputs()
        let acknowledgement = Told.says(.acknowledgement(nil), to: peer)
        #expect(server.hear(.message(nil, "hi"), at: 1) == [acknowledgement, .happened(.received("hi"))])
        let full = server.reception(of: .message(nil, "hi"), roomForMessage: false, at: 1)
        #expect(full == .ignored(.noRoom) && server.outputs() == [])
        #expect(server.hear(.message(nil, ""), at: 1) == [acknowledgement])
    }

    @Test("A discover is answered by the admission, at first and again; an acknowledgement is never acknowledged")
    mutating func repeatedDiscover() {
        let admission: [Told] = [.says(.acknowledgement(nil), to: peer), .says(.shake(text: "server"), to: peer)]
        #expect(server.outputs() == admission + [.happened(.connected(to: peer))])
        #expect(server.hear(.discover(name: "x"), at: 1) == admission)
        #expect(server.reception(of: .acknowledgement(nil), at: 1) == .ignored(.redundant))
        #expect(server.outputs() == [])
    }

    @Test("15: strangers neither end a session nor settle anything")
    mutating func strangers() {
        _ = client.mustSend(at: 1)
        for statement in [SessionStatement.disconnect, .acknowledgement(nil), .message(nil, "x"), .shake(text: nil)] {
            #expect(client.reception(of: statement, from: stranger, at: 1) == .ignored(.stranger))
        }
        #expect(client.outputs() == [])
        #expect(client.machine.state == .connected && client.machine.strength == nil)
    }

    @Test("A refused port alone never ends a session that stands")
    mutating func refused() {
        for _ in 0..<100 { #expect(client.reject(.refused, at: 1).isEmpty) }
        #expect(client.machine.state == .connected)
    }

    @Test("13: a client notices a server that is gone, without messages of its own")
    mutating func keepAlive() {
        let probe: [Told] = [.says(.discover(name: "tests"), to: peer)]
        let steps = client.run()
        #expect(steps.map(\.at) == [30, 32, 34, 36])
        #expect(steps.dropLast().allSatisfy { $0.told == probe })
        #expect(steps.last?.told == [closed(.silent)])
    }

    @Test("An answered probe is no outcome, and starts the wait anew")
    mutating func answeredProbe() {
        _ = client.reach(30)
        #expect(client.hear(.acknowledgement(nil), at: 30.1).isEmpty)
        #expect(client.machine.strength == nil)
        #expect(client.machine.nextDeadline == SessionDeadline(at: .seconds(60.1), reason: .keepAlive))
    }

    @Test("A server lets a silent client go, and tells it")
    mutating func idle() {
        #expect(server.machine.nextDeadline == SessionDeadline(at: .seconds(120), reason: .idle))
        _ = server.hear(.message(nil, ""), at: 100)
        #expect(server.machine.nextDeadline?.at == .seconds(220))
        #expect(server.reach(220) == disconnects(peer) + [closed(.idle)])
    }

    @Test(
        "Who has said nothing but a short discover, perhaps in another's name, is told no more than three times as much"
    )
    func credit() {
        // 8 bytes of acknowledgement and 17 of handshake leave 14 of 39: less than a goodbye has.
        var silent = TestedSession.admittedClient(afterDiscoverOf: 13)
        #expect(silent.outputs().count == 3)
        var closing = silent
        #expect(closing.close(at: 1) == [closed(.closedLocally)])
        // A repeated discover earns its own answer and 14 bytes more: with the others enough for one goodbye.
        var repeated = silent
        #expect(repeated.hear(.discover(name: nil), at: 1).count == 2)
        #expect(repeated.close(at: 1) == disconnects(peer))
        #expect(repeated.run().flatMap(\.told) == [closed(.closedLocally)])
        var speaking = silent
        _ = speaking.hear(.message(nil, "here I am"), at: 1)
        #expect(speaking.close(at: 1) == disconnects(peer))
        #expect(speaking.run().count == 3)
        #expect(silent.reach(120) == [closed(.idle)])
    }

    @Test("A client whose place is needed goes without a word")
    mutating func displaced() {
        _ = server.outputs()
        let id = server.mustSend(at: 1)
        server.machine.displace()
        #expect(server.outputs() == [.happened(.abandoned(id, "message")), closed(.displaced)])
        #expect(server.machine.nextDeadline == nil)
    }

    @Test("23: what cannot be sent is refused with its reason")
    func refusals() {
        var configuration = SessionConfiguration()
        configuration.maximumOutstandingMessages = 1
        var client = TestedSession.connectedClient(configuration: configuration)
        #expect(client.refusal(of: "", at: 0) == .message(.empty))
        #expect(client.refusal(of: "a dscv_disconnect", at: 0) == .message(.containsProtocolWord("dscv_disconnect")))
        _ = client.mustSend(at: 0)
        #expect(client.refusal(of: "second", at: 0) == .tooManyOutstanding)
    }

    @Test("24: asking for the strength changes nothing")
    mutating func pureQueries() {
        _ = client.mustSend(at: 1)
        _ = client.hear(.acknowledgement(nil), at: 1.1)
        for _ in 0..<10 { #expect(client.machine.strength == 100) }
        _ = client.mustSend(at: 2)
        #expect(client.reach(4).last == strength(50))
    }

    @Test("12: no message goes without an outcome, and each has only one")
    mutating func oneOutcome() {
        let ids = (0..<4).map { client.mustSend("\($0)", at: Double($0)) }
        var told = client.hear(.acknowledgement(nil), at: 3) + client.reach(3.5) + client.close(at: 3.6)
        told += client.hear(.acknowledgement(nil), at: 3.7) + client.run().flatMap(\.told)
        let outcomes = told.compactMap { told -> MessageID? in
            switch told {
            case .happened(.acknowledged(let id, _, _)), .happened(.lost(let id, _)), .happened(.abandoned(let id, _)):
                id
            default: nil
            }
        }
        #expect(outcomes.sorted() == ids)
    }
}
