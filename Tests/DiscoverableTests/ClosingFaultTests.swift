import Discoverable
import DiscoverableConnection
import DiscoverableCore
import Testing

@Suite("Closing by the class", .timeLimit(.minutes(1)))
struct ClosingFaultTests {
    private func connected(
        to server: LoopbackServer,
        _ configuration: SessionConfiguration = .quick
    ) async throws -> (Discoverable, Recorder, SocketAddress) {
        var configuration = configuration
        configuration.discoverInterval = .seconds(60)
        let (service, recorder, _) = Discoverable.recorded(configuration)
        service.connect(to: server.host, on: server.port)
        let client = try await server.admit()
        await recorder.wait(for: .connected)
        return (service, recorder, client)
    }

    @Test("9: what waits for an acknowledgement of a connection that was closed does nothing to the next one")
    func oldTimers() async throws {
        var configuration = SessionConfiguration.quick
        configuration.acknowledgementTimeout = .seconds(3)
        let (first, second) = (try await LoopbackServer(), try await LoopbackServer())
        let (service, recorder, _) = try await connected(to: first, configuration)
        for number in 1...5 { service.send("old \(number)") }
        for number in 1...5 { #expect(try await first.receiveMessage() == "old \(number)") }
        service.close(false)
        await service.delegateQueue.settle()
        service.connect(to: second.host, on: second.port)
        let client = try await second.admit()
        await recorder.wait { $0.compactMap(\.state).count == 5 }
        // Lost after the old ones would have been.
        service.send("new")
        #expect(try await second.receiveMessage() == "new")
        await recorder.wait(for: .notSent("new", .notAcknowledged))
        service.send("newer")
        try await second.acknowledge(client)
        await recorder.wait(for: .strength(50))
        #expect(recorder.states == [.connecting, .connected, .disconnected, .connecting, .connected])
        #expect(recorder.strengths == [0, 50])
        #expect(recorder.told.count { $0.isFailedSend } == 1)
    }

    @Test("16: an end by the peer is acknowledged, never answered by a disconnect")
    func endedByPeer() async throws {
        let server = try await LoopbackServer()
        let (service, recorder, client) = try await connected(to: server)
        try await server.send("dscv_disconnect", to: client)
        await recorder.wait(for: .disconnected)
        #expect(service.state == .disconnected)
        #expect(try await server.receive().text == "dscv_ack")
        service.close()
        #expect(try await server.arrived() == [])
        #expect(recorder.states == [.connecting, .connected, .disconnected])
    }

    @Test("17: closing lets the last message leave, then says goodbye, repeatedly until that is acknowledged")
    func farewell() async throws {
        let server = try await LoopbackServer()
        let (service, recorder, client) = try await connected(to: server)
        service.send("last words")
        service.close()
        #expect(service.state == .disconnected)
        #expect(try await server.receive().text == "last words")
        for _ in 0..<2 { #expect(try await server.receive().text == "dscv_disconnect") }
        try await server.send("dscv_ack", to: client)
        await recorder.wait(for: .disconnected)
        #expect(recorder.states == [.connecting, .connected, .disconnected])
    }

    @Test("17: closing while connecting tells whom we have greeted")
    func farewellWhileConnecting() async throws {
        let server = try await LoopbackServer()
        let (service, recorder, _) = Discoverable.recorded()
        service.connect(to: server.host, on: server.port)
        _ = try await server.receive()
        await recorder.wait(for: .connecting)
        service.close()
        #expect(try await server.receiveMessage() == "dscv_disconnect")
        await recorder.wait(for: .disconnected)
        #expect(recorder.states == [.connecting, .disconnected])
    }

    @Test("17: closing without killing the server sends nothing", arguments: [true, false])
    func silently(whileConnecting: Bool) async throws {
        let server = try await LoopbackServer()
        let (service, recorder, _) = Discoverable.recorded()
        service.connect(to: server.host, on: server.port)
        await recorder.wait(for: .connecting)
        if !whileConnecting {
            try await server.admit()
            await recorder.wait(for: .connected)
        }
        service.close(false)
        await recorder.wait(for: .disconnected)
        #expect(try await server.arrived().allSatisfy { $0.hasPrefix("dscv_discover") })
    }

    @Test(
        "18: after a close comes the state that it sets, once, and nothing else",
        arguments: [
            Discoverable.State.disconnected, .failed(.connectOther), .failed(.connectTimeout),
        ]
    )
    func nothingAfterwards(end: Discoverable.State) async throws {
        let server = try await LoopbackServer()
        let (service, recorder, client) = try await connected(to: server)
        for number in 1...3 { service.send("\(number)") }
        try await server.send("before", to: client)
        await recorder.wait(for: .received("before"))
        service.close(true, state: end)
        service.close()
        service.close(false, state: .failed(.connectRefused))
        for word in ["dscv_ack", "dscv_ack", "dscv_ack", "late", "dscv_shake"] {
            try await server.send(word, to: client)
        }
        await recorder.wait(for: .state(end))
        while try await server.receiveMessage() != "dscv_disconnect" {}
        await service.delegateQueue.settle()
        #expect(recorder.states == [.connecting, .connected, end])
        #expect(recorder.told.last == .state(end))
        #expect(service.state == end)
    }

    @Test("18, 26: closing while connecting or searching ends that: no error follows, and no end of its time")
    func closeWhileConnecting() async throws {
        let server = try await LoopbackServer()
        let (service, recorder, queue) = Discoverable.recorded(.hasty)
        service.connect(to: server.host, on: server.port)
        _ = try await server.receive()
        await recorder.wait(for: .connecting)
        service.close(false)
        let (other, otherRecorder, _) = Discoverable.recorded(.hasty)
        // Its five greetings began later: when they are over, so were those.
        other.connect(to: server.host, on: server.port)
        await otherRecorder.wait(for: .failed(.connectShakeNoResponse))
        await queue.settle()
        #expect(recorder.states == [.connecting, .disconnected])
    }

    @Test("9, 22: attempts that are closed or replaced at once leave nothing behind that goes on greeting")
    func nothingLeft() async throws {
        let server = try await LoopbackServer()
        let (service, recorder, queue) = Discoverable.recorded()
        // No more than the server's socket holds, should each of them greet it.
        for turn in 0..<100 {
            service.connect(to: server.host, on: server.port)
            if turn % 2 == 0 { service.close(false) }
        }
        service.close(false)
        // Longer than two intervals between greetings, twice: what still comes in the first is on its way already.
        for round in 0..<2 {
            let (other, otherRecorder, _) = Discoverable.recorded(.hasty)
            other.connect(to: "127.0.0.1", on: try await closedPort())
            await otherRecorder.wait(for: .failed(.connectRefused))
            let arrived = try await server.arrived()
            if round == 1 { #expect(arrived == []) }
        }
        await queue.settle()
        #expect(recorder.states.last ?? .disconnected == .disconnected)
        #expect(service.state == .disconnected)
    }

    @Test("19: no state is told twice, also where handshakes come again")
    func duplicates() async throws {
        let server = try await LoopbackServer()
        let (service, recorder, client) = try await connected(to: server)
        for word in ["dscv_shake", "dscv_shake:127.0.0.1", "done"] { try await server.send(word, to: client) }
        await recorder.wait(for: .received("done"))
        service.close()
        service.close()
        await recorder.wait(for: .disconnected)
        await service.delegateQueue.settle()
        #expect(recorder.states == [.connecting, .connected, .disconnected])
    }

    @Test("14: a handshake that comes late revives nothing")
    func lateHandshake() async throws {
        let server = try await LoopbackServer()
        let (service, recorder, _) = Discoverable.recorded(.hasty)
        service.connect(to: server.host, on: server.port)
        let (_, client) = try await server.receive()
        await recorder.wait(for: .failed(.connectShakeNoResponse))
        try await server.send("dscv_shake", to: client)
        // Another connection's beginning on the same loop: by its end the handshake has arrived where it can.
        _ = try await connected(to: LoopbackServer())
        await service.delegateQueue.settle()
        #expect(recorder.states == [.connecting, .failed(.connectShakeNoResponse)])
        #expect(service.state == .failed(.connectShakeNoResponse))
    }

    @Test("29: several connections to one server are several; closing one ends that one only")
    func several() async throws {
        let listener = try await SessionListener.bind(port: 0, families: [.ipv4], configuration: .quick)
        let (first, firstRecorder, _) = Discoverable.recorded()
        let (second, secondRecorder, _) = Discoverable.recorded()
        for service in [first, second] { service.connect(to: "127.0.0.1", on: listener.port) }
        for recorder in [firstRecorder, secondRecorder] { await recorder.wait(for: .connected) }
        #expect(await listener.sessionCount == 2)
        first.close()
        await firstRecorder.wait(for: .disconnected)
        second.send("still here")
        await secondRecorder.wait(for: .strength(100))
        #expect(second.state == .connected)
        await listener.close()
        await secondRecorder.wait(for: .disconnected)
    }
}
