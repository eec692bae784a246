import DiscoverableConnection
import DiscoverableCore
import Testing

@Suite("What an app follows and asks of a session", .timeLimit(.minutes(1)))
struct SessionValuesTests {
    private func pair(
        _ configuration: SessionConfiguration = .quick
    ) async throws -> (client: Session, server: Session, listener: SessionListener) {
        let (listener, address) = try await loopbackListener(configuration: configuration)
        async let accepted = first(of: listener.sessions)
        let client = try await Session.connect(to: [address], configuration: configuration)
        return (client, try #require(try await accepted), listener)
    }

    @Test("Any number of consumers get the present state, then the newest, and the last one is final")
    func states() async throws {
        let (client, _, listener) = try await pair()
        let followers = (0..<3).map { _ in
            let sequence = client.states
            return Task { await sequence.reduce(into: []) { $0.append($1) } }
        }
        var states = client.states.makeAsyncIterator()
        #expect(await states.next() == .connected)
        await client.close()
        for follower in followers {
            let seen = await follower.value
            #expect(seen.last == .closed(.closedLocally))
            #expect(zip(seen, seen.dropFirst()).allSatisfy { $0 != $1 })
        }
        // A late one gets the truth, and its end.
        var late = client.states.makeAsyncIterator()
        #expect(await late.next() == .closed(.closedLocally))
        #expect(await late.next() == nil)
        await listener.close()
    }

    @Test("Strength and round-trip time are told once they are known, and when they have changed")
    func values() async throws {
        let (client, _, listener) = try await pair()
        var strengths = client.strengths.makeAsyncIterator()
        try await client.send("x")
        #expect(await strengths.next() == 100)
        var times = client.roundTripTimes.makeAsyncIterator()
        let time = try #require(await times.next())
        #expect(time > .zero && time < .seconds(10))
        await client.close()
        // The strength has not changed since.
        #expect(await strengths.next() == nil)
        await listener.close()
    }

    @Test("Cancelling ends the following, and touches nothing else")
    func cancel() async throws {
        let (client, _, listener) = try await pair()
        let sequence = client.strengths
        let follower = Task { await sequence.first { _ in true } }
        follower.cancel()
        #expect(await follower.value == nil)
        try await client.send("x")
        #expect(await client.strength == 100)
        await listener.close()
    }

    @Test("Messages that nobody waits for leave in order, and each outcome is told under its number")
    func enqueue() async throws {
        let (client, server, listener) = try await pair()
        let texts = (1...20).map { "message \($0)" }
        var ids: [MessageID] = []
        for text in texts { ids.append(try await client.enqueue(text)) }
        #expect(ids.map(\.rawValue) == Array(1...20))
        var received: [String] = []
        for await text in server.messages {
            received.append(text)
            if received.count == texts.count { break }
        }
        #expect(received == texts)
        var acknowledged: [MessageID: String] = [:]
        for await event in client.events {
            if case .acknowledged(let id, let text, _) = event { acknowledged[id] = text }
            if acknowledged.count == texts.count { break }
        }
        #expect(acknowledged == Dictionary(uniqueKeysWithValues: zip(ids, texts)))
        await listener.close()
    }

    @Test("Who enqueues without measure is told, and what was under way when the session ends is told as abandoned")
    func tooMany() async throws {
        var configuration = SessionConfiguration.quick
        configuration.maximumOutstandingMessages = 3
        let (peer, address) = try await boundSocket(.ipv4)
        async let connecting = Session.connect(to: [address], configuration: configuration)
        let client = try await peer.receive().source
        for word in ["dscv_ack", "dscv_shake"] { try await peer.send(bytes(word), to: client) }
        let session = try await connecting
        for text in ["a", "b", "c"] { try await session.enqueue(text) }
        #expect(await sessionErrorCode { try await session.enqueue("d") } == .tooManyOutstanding)
        await session.close(endingPeer: false)
        var abandoned: [String] = []
        for await event in session.events { if case .abandoned(_, let text) = event { abandoned.append(text) } }
        #expect(abandoned == ["a", "b", "c"])
    }

    @Test("A host is connected to by its name; one that does not exist is told as that")
    func host() async throws {
        let listener = try await SessionListener.bind(port: 0, configuration: .quick)
        let session = try await Session.connect(host: "localhost", port: listener.port, configuration: .quick)
        try await session.send("by name")
        await session.close(endingPeer: false)
        await listener.close()
        let code = await sessionErrorCode { _ = try await Session.connect(host: "no such host", port: 1) }
        #expect(code == .socket(.nameNotFound))
        let cancelled = Task { await sessionErrorCode { _ = try await Session.connect(host: "localhost", port: 1) } }
        cancelled.cancel()
        #expect(await cancelled.value == .cancelled)
    }

    @Test("A session can be closed while it connects: telling means one disconnect, not telling means none")
    func closeWhileConnecting() async throws {
        for tells in [true, false] {
            let (peer, address) = try await boundSocket(.ipv4)
            var configuration = SessionConfiguration.quick
            configuration.discoverInterval = .seconds(60)
            let session = await Session.begin(connectingTo: [address], configuration: configuration)
            #expect(await session.state == .connecting)
            #expect(try await peer.receive().bytes == bytes("dscv_discover:test device"))
            await session.close(endingPeer: tells)
            let (marker, _) = try await boundSocket(.ipv4)
            try await marker.send(bytes("marker"), to: address)
            if tells { #expect(try await peer.receive().bytes == bytes("dscv_disconnect")) }
            #expect(try await peer.receive().bytes == bytes("marker"))
            #expect(await session.events.last() == .closed(.closedLocally))
            #expect(await session.connectError == nil)
        }
    }
}
