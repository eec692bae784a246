import Discoverable
import DiscoverableConnection
import DiscoverableCore
import Testing

@Suite("Talking by the class", .timeLimit(.minutes(1)))
struct TalkingFaultTests {
    private func connected(
        _ configuration: SessionConfiguration = .quick
    ) async throws -> (Discoverable, Recorder, LoopbackServer, SocketAddress) {
        var configuration = configuration
        configuration.discoverInterval = .seconds(60)
        let server = try await LoopbackServer()
        let (service, recorder, _) = Discoverable.recorded(configuration)
        service.connect(to: server.host, on: server.port)
        let client = try await server.admit()
        await recorder.wait(for: .connected)
        return (service, recorder, server, client)
    }

    @Test("4: only acknowledgements count, each for one message: never more than 100 %")
    func counting() async throws {
        let (service, recorder, server, client) = try await connected()
        for word in ["dscv_shake", "dscv_shake:x", "dscv_ack", "dscv_ack", "hello"] {
            try await server.send(word, to: client)
        }
        await recorder.wait(for: .received("hello"))
        service.send("one")
        try await server.acknowledge(client)
        await recorder.wait(for: .strength(100))
        #expect(recorder.strengths == [100])
    }

    @Test(
        "6, 8, 12: a message that is not acknowledged is lost, whatever came for others, and is told; the strength follows"
    )
    func lost() async throws {
        var configuration = SessionConfiguration.quick
        configuration.acknowledgementTimeout = .seconds(3)
        let (service, recorder, server, client) = try await connected(configuration)
        service.send("kept")
        try await server.acknowledge(client)
        await recorder.wait(for: .strength(100))
        service.send("lost")
        #expect(try await server.receiveMessage() == "lost")
        await recorder.wait(for: .strength(50))
        let told = recorder.told.filter { $0.state == nil }
        #expect(told == [.strength(100), .notSent("lost", .notAcknowledged), .strength(50)])
        #expect(service.state == .connected)
    }

    @Test("3, 6: five that are lost of the last five end the connection; a healthy one is told as 100 %")
    func lostConnection() async throws {
        var configuration = SessionConfiguration.quick
        configuration.acknowledgementTimeout = .seconds(3)
        let (service, recorder, server, client) = try await connected(configuration)
        for number in 1...7 {
            service.send("\(number)")
            try await server.acknowledge(client)
            await recorder.wait { $0.compactMap(\.strength).count == number }
        }
        #expect(recorder.strengths == Array(repeating: 100, count: 7))
        for number in 1...5 { service.send("lost \(number)") }
        await recorder.wait(for: .disconnected)
        #expect(recorder.strengths.suffix(5) == [80, 60, 40, 20, 0])
        #expect(recorder.told.last == .state(.disconnected))
        #expect(recorder.told.count { $0.isFailedSend } == 5)
    }

    @Test("13: a server that is gone is noticed without a message of ours")
    func gone() async throws {
        var configuration = SessionConfiguration.hasty
        configuration.keepAliveInterval = .milliseconds(20)
        let (service, recorder, _, _) = try await connected(configuration)
        await recorder.wait(for: .disconnected)
        #expect(recorder.told == [.state(.connecting), .state(.connected), .state(.disconnected)])
        #expect(service.state == .disconnected)
    }

    @Test("14: a message that mentions a word of the protocol is a message")
    func mentions() async throws {
        let (service, recorder, server, client) = try await connected()
        for text in ["please dscv_disconnect", "dscv_shaken"] { try await server.send(text, to: client) }
        for text in ["please dscv_disconnect", "dscv_shaken"] { await recorder.wait(for: .received(text)) }
        #expect(service.state == .connected)
    }

    @Test("15: what comes from another address is nobody's word")
    func forged() async throws {
        let (service, recorder, server, client) = try await connected()
        let stranger = try await LoopbackServer()
        for word in ["dscv_disconnect", "forged"] { try await stranger.send(word, to: client) }
        try await server.send("true", to: client)
        await recorder.wait(for: .received("true"))
        #expect(service.state == .connected)
        #expect(!recorder.told.contains(.received("forged")))
    }

    @Test("21: a server that restarts is heard again: its closed port is no end of the reception")
    func restart() async throws {
        let (service, recorder, server, client) = try await connected()
        await server.socket.close()
        // Refused by the kernel.
        for text in ["1", "2"] { service.send(text) }
        let again = try UDPSocket(family: .ipv4)
        try await again.bind(to: server.address)
        try await again.send(Array("back".utf8), to: client)
        await recorder.wait(for: .received("back"))
        #expect(service.state == .connected)
    }

    @Test("24: the strength is told once for each outcome, and whenever the app asks")
    func strength() async throws {
        let (service, recorder, server, client) = try await connected()
        service.fetchConnectionStrength()
        await recorder.wait { $0.compactMap(\.strength).count == 1 }
        for number in 1...3 {
            service.send("\(number)")
            try await server.acknowledge(client)
            await recorder.wait { $0.compactMap(\.strength).count == 1 + number }
        }
        service.fetchConnectionStrength()
        await recorder.wait { $0.compactMap(\.strength).count == 5 }
        #expect(recorder.strengths == [0, 100, 100, 100, 100])
    }

    @Test("12: what is under way when the peer ends is told as of unknown outcome, before the end")
    func abandoned() async throws {
        let (service, recorder, server, client) = try await connected()
        for text in ["1", "2"] { service.send(text) }
        for text in ["1", "2"] { #expect(try await server.receiveMessage() == text) }
        try await server.send("dscv_disconnect", to: client)
        await recorder.wait(for: .disconnected)
        #expect(
            recorder.told.suffix(3) == [
                .notSent("1", .closed(.closedByPeer)), .notSent("2", .closed(.closedByPeer)), .state(.disconnected),
            ]
        )
        #expect(recorder.strengths == [])
    }

    @Test("Messages are told in their order, all of them, and before the end that follows them")
    func receiving() async throws {
        let (service, recorder, server, client) = try await connected()
        for number in 1...100 { try await server.send("\(number)", to: client) }
        try await server.send("dscv_disconnect", to: client)
        await recorder.wait(for: .disconnected)
        let messages = (1...100).map { Told.received("\($0)") }
        #expect(recorder.told == [.state(.connecting), .state(.connected)] + messages + [.state(.disconnected)])
        #expect(service.state == .disconnected)
    }
}
