import DiscoverableConnection
import DiscoverableCore
import Testing

/// Our client and our server against peers made of a bare socket, which do what they should not.
@Suite("Peers with habits of their own", .timeLimit(.minutes(1)))
struct SessionPeerTests {
    /// A client's session with a bare socket as its server, which gets one discover.
    private func connected(
        _ configuration: SessionConfiguration = .quick
    ) async throws -> (Session, UDPSocket, SocketAddress) {
        var configuration = configuration
        configuration.discoverInterval = .seconds(60)
        let (peer, address) = try await boundSocket(.ipv4)
        async let session = Session.connect(to: [address], configuration: configuration)
        let client = try await peer.receive().source
        for word in ["dscv_ack", "dscv_shake:127.0.0.1"] { try await peer.send(bytes(word), to: client) }
        return (try await session, peer, client)
    }

    @Test("12: a message without acknowledgement is lost, and its sender is told")
    func lost() async throws {
        var configuration = SessionConfiguration.quick
        configuration.acknowledgementTimeout = .milliseconds(20)
        let (session, peer, _) = try await connected(configuration)
        #expect(await sessionErrorCode { try await session.send("x") } == .notAcknowledged)
        #expect(await session.strength == 0)
        for _ in 0..<4 { _ = await sessionErrorCode { try await session.send("x") } }
        #expect(await session.events.last() == .closed(.lost))
        await peer.close()
    }

    @Test("A refused port alone does not end a session: the server may come back")
    func refusedHint() async throws {
        var configuration = SessionConfiguration.quick
        configuration.acknowledgementTimeout = .seconds(1)
        let (session, peer, client) = try await connected(configuration)
        let address = try await peer.localAddress
        await peer.close()
        await withTaskGroup { group in
            for _ in 0..<3 { group.addTask { await sessionErrorCode { try await session.send("x") } } }
            for await code in group { #expect(code == .notAcknowledged) }
        }
        #expect(await session.state == .connected)
        let again = try UDPSocket(family: .ipv4)
        try await again.bind(to: address)
        let task = Task(executorPreference: again.taskExecutor) {
            for await _ in again.datagrams { try? await again.send(bytes("dscv_ack"), to: client) }
        }
        try await session.send("back")
        #expect(await session.strength == 25)
        await again.close()
        await task.value
    }

    @Test("Cancelling a send stops the waiting only: its outcome still counts")
    func cancelledSend() async throws {
        let (session, peer, client) = try await connected()
        let send = Task { await sessionErrorCode { try await session.send("x") } }
        #expect(try await peer.receive().bytes == bytes("x"))
        send.cancel()
        #expect(await send.value == .cancelled)
        try await peer.send(bytes("dscv_ack"), to: client)
        for await event in session.events { if event == .strengthChanged(100) { break } }
        #expect(await session.strength == 100)
    }

    @Test("18: closing ends the sends that wait with a typed error, and nothing follows the last event")
    func closeWhileSending() async throws {
        let (session, peer, client) = try await connected()
        let send = Task { await sessionErrorCode { try await session.send("x") } }
        #expect(try await peer.receive().bytes == bytes("x"))
        await session.close(endingPeer: false)
        #expect(await send.value == .closed(.closedLocally))
        for word in ["dscv_ack", "dscv_shake", "late"] { try await peer.send(bytes(word), to: client) }
        #expect(await session.events.last() == .closed(.closedLocally))
        #expect(try await first(of: session.messages) == nil)
        #expect(await session.strength == nil)
    }

    @Test("16: the client acknowledges a disconnect, once, and says nothing more")
    func disconnected() async throws {
        let (session, peer, client) = try await connected()
        try await peer.send(bytes("dscv_disconnect"), to: client)
        #expect(try await peer.receive().bytes == bytes("dscv_ack"))
        #expect(await session.events.last() == .closed(.closedByPeer))
    }

    @Test("17: closing repeats the disconnect and ends in any case")
    func deafPeer() async throws {
        let (session, peer, _) = try await connected()
        await session.close()
        for _ in 0..<3 { #expect(try await peer.receive().bytes == bytes("dscv_disconnect")) }
        #expect(await session.state == .closed(.closedLocally))
    }

    @Test("Closing without ending the peer sends nothing")
    func closeSilently() async throws {
        let (session, peer, client) = try await connected()
        await session.close(endingPeer: false)
        let (other, _) = try await boundSocket(.ipv4)
        try await other.send(bytes("the next"), to: try await peer.localAddress)
        #expect(try await peer.receive().bytes == bytes("the next"))
        #expect(client.port != 0)
    }

    @Test("15: what comes from another address touches no session")
    func forged() async throws {
        let (session, peer, client) = try await connected()
        let (stranger, _) = try await boundSocket(.ipv4)
        for word in ["dscv_disconnect", "dscv_ack", "forged"] { try await stranger.send(bytes(word), to: client) }
        try await peer.send(bytes("genuine"), to: client)
        #expect(try await first(of: session.messages) == "genuine")
        #expect(await session.state == .connected)
        #expect(await session.strength == nil)
    }

    @Test("Bytes that are not UTF-8 are ignored")
    func notText() async throws {
        let (session, peer, client) = try await connected()
        try await peer.send([0xff, 0xfe], to: client)
        try await peer.send(bytes("text"), to: client)
        #expect(try await first(of: session.messages) == "text")
        #expect(try await peer.receive().bytes == bytes("dscv_ack"))
    }

    @Test("14: a payload that contains a word of the protocol is a message")
    func wordsInPayload() async throws {
        let (session, peer, client) = try await connected()
        try await peer.send(bytes("please dscv_disconnect"), to: client)
        #expect(try await first(of: session.messages) == "please dscv_disconnect")
        #expect(await session.state == .connected)
    }

    @Test("Strangers of a listener get nothing; its clients get an acknowledgement each, also for empty messages")
    func listenerAndStrangers() async throws {
        var configuration = SessionConfiguration.quick
        // For so long the listener remembers who has left.
        configuration.disconnectInterval = .seconds(60)
        let (listener, address) = try await loopbackListener(configuration: configuration)
        let (client, _) = try await boundSocket(.ipv4)
        for word in ["hello", "", "dscv_ack", "dscv_disconnect", "dscv_shake"] {
            try await client.send(bytes(word), to: address)
        }
        try await client.send(bytes("dscv_discover:old phone"), to: address)
        #expect(try await client.receive().bytes == bytes("dscv_ack"))
        #expect(try await client.receive().bytes.starts(with: bytes("dscv_shake")))
        for word in ["hello", ""] {
            try await client.send(bytes(word), to: address)
            #expect(try await client.receive().bytes == bytes("dscv_ack"))
        }
        let session = try #require(try await first(of: listener.sessions))
        #expect(session.peerName == "old phone")
        // Twice: the repeated disconnect of a client that did not get the acknowledgement.
        for _ in 0..<2 {
            try await client.send(bytes("dscv_disconnect"), to: address)
            #expect(try await client.receive().bytes == bytes("dscv_ack"))
        }
        #expect(await session.events.last() == .closed(.closedByPeer))
        await listener.close()
    }

    @Test("A client that is silent for too long is let go, and told")
    func idle() async throws {
        var configuration = SessionConfiguration.quick
        configuration.idleTimeout = .milliseconds(30)
        let (listener, address) = try await loopbackListener(configuration: configuration)
        let (client, _) = try await boundSocket(.ipv4)
        try await client.send(bytes("dscv_discover"), to: address)
        let session = try #require(try await first(of: listener.sessions))
        #expect(await session.events.last() == .closed(.idle))
        #expect(session.peerName == nil)
        for word in ["dscv_ack", "dscv_shake", "dscv_disconnect"] {
            #expect(try await client.receive().bytes.starts(with: bytes(word)))
        }
        await listener.close()
    }

    @Test("Messages that nobody reads are acknowledged up to the bound, and not beyond")
    func unread() async throws {
        var configuration = SessionConfiguration.quick
        configuration.maximumUnreadMessages = 3
        configuration.acknowledgementTimeout = .milliseconds(500)
        let (listener, address) = try await loopbackListener(configuration: configuration)
        let session = try await Session.connect(to: [address], configuration: configuration)
        for index in 0..<3 { try await session.send("\(index)") }
        #expect(await sessionErrorCode { try await session.send("3") } == .notAcknowledged)
        let server = try #require(try await first(of: listener.sessions))
        var messages = server.messages.makeAsyncIterator()
        #expect(await messages.next() == "0")
        try await session.send("4")
        for expected in ["1", "2", "4"] { #expect(await messages.next() == expected) }
        await listener.close()
    }
}
