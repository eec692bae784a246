import DiscoverableConnection
import DiscoverableCore
import Testing

@Suite("Sessions over the loopback interface", .timeLimit(.minutes(1)))
struct SessionTests {
    /// A client and the server's side of its session.
    private func pair(
        _ family: AddressFamily = .ipv4,
        configuration: SessionConfiguration = .quick
    ) async throws -> (client: Session, server: Session, listener: SessionListener) {
        let (listener, address) = try await loopbackListener(family, configuration: configuration)
        async let accepted = first(of: listener.sessions)
        let client = try await Session.connect(to: [address], configuration: configuration)
        return (client, try #require(try await accepted), listener)
    }

    @Test("Ten messages each way, all acknowledged: strength 100", arguments: AddressFamily.allCases)
    func messages(family: AddressFamily) async throws {
        let (client, server, listener) = try await pair(family)
        #expect(server.peerName == "test device" && client.peerName == nil)
        #expect(await client.strength == nil)
        var fromServer = client.messages.makeAsyncIterator()
        var fromClient = server.messages.makeAsyncIterator()
        for index in 0..<10 {
            try await client.send("question \(index)")
            #expect(await fromClient.next() == "question \(index)")
            try await server.send("answer \(index)")
            #expect(await fromServer.next() == "answer \(index)")
        }
        #expect(await client.strength == 100)
        #expect(await server.strength == 100)
        #expect(try #require(await client.roundTripTime) > .zero)
        #expect(await client.peerAddress == .loopback(family, port: listener.port))
        await client.close()
        #expect(await fromServer.next() == nil)
        await listener.close()
    }

    @Test("The client closes: the server's side ends, acknowledged, and the listener goes on")
    func clientCloses() async throws {
        let (client, server, listener) = try await pair()
        await client.close()
        #expect(await client.state == .closed(.closedLocally))
        #expect(await server.events.last() == .closed(.closedByPeer))
        #expect(await server.state == .closed(.closedByPeer))
        #expect(await listener.sessionCount == 0)
        let next = try await Session.connect(to: [.loopback(.ipv4, port: listener.port)], configuration: .quick)
        #expect(await next.state == .connected)
        await listener.close()
    }

    @Test("The server closes: the client's side ends")
    func serverCloses() async throws {
        let (client, server, listener) = try await pair()
        await server.close()
        #expect(await server.state == .closed(.closedLocally))
        #expect(await client.events.last() == .closed(.closedByPeer))
        #expect(await sessionErrorCode { try await client.send("x") } == .closed(.closedByPeer))
        await listener.close()
    }

    @Test("Closing the listener ends every session and frees the port")
    func listenerCloses() async throws {
        let address = try await closedPort(.ipv4)
        let listener = try await SessionListener.bind(to: [address], configuration: .quick)
        var clients: [Session] = []
        for _ in 0..<5 { clients.append(try await Session.connect(to: [address], configuration: .quick)) }
        await listener.close()
        for client in clients { #expect(await client.events.last() == .closed(.closedByPeer)) }
        let again = try await SessionListener.bind(to: [address], configuration: .quick)
        #expect(again.port == address.port)
        await again.close()
    }

    @Test("19: the events tell the whole story, each state once")
    func events() async throws {
        let (client, server, listener) = try await pair()
        let address = SocketAddress.loopback(.ipv4, port: listener.port)
        try await client.send("hello")
        try await server.send("welcome")
        await client.close()
        var story: [SessionEvent] = []
        for await event in client.events { story.append(event) }
        let id = MessageID(rawValue: 1)
        #expect(story.prefix(3) == [.connecting(to: address), .connected(to: address), .sent(id, "hello")])
        guard case .acknowledged(id, "hello", let time) = story.dropFirst(3).first else {
            Issue.record("\(story)")
            return
        }
        #expect(time > .zero)
        #expect(story.dropFirst(4) == [.strengthChanged(100), .received("welcome"), .closed(.closedLocally)])
        await listener.close()
    }

    @Test("What cannot be a message is refused with its reason, and costs nothing")
    func refusals() async throws {
        let (client, _, listener) = try await pair()
        #expect(await sessionErrorCode { try await client.send("") } == .emptyMessage)
        let long = String(repeating: "x", count: 1025)
        #expect(await sessionErrorCode { try await client.send(long) } == .messageTooLong(bytes: 1025))
        let word = await sessionErrorCode { try await client.send("no dscv_disconnect, please") }
        #expect(word == .messageContainsProtocolWord("dscv_disconnect"))
        #expect(await client.strength == nil)
        try await client.send(String(repeating: "x", count: 1024))
        await listener.close()
    }

    @Test("29: many clients at once, each with a session of its own")
    func manyClients() async throws {
        let (listener, address) = try await loopbackListener()
        let echo = Task {
            await withDiscardingTaskGroup { group in
                var count = 0
                for await session in listener.sessions {
                    group.addTask { for await text in session.messages { try? await session.send("echo \(text)") } }
                    count += 1
                    if count == 30 { return }
                }
            }
        }
        try await withThrowingTaskGroup { group in
            for index in 0..<30 { group.addTask { try await talk(to: address, as: index) } }
            try await group.waitForAll()
        }
        // A client may be gone before its server knows; each session's messages end when it does.
        await echo.value
        #expect(await listener.sessionCount == 0)
        await listener.close()
    }

    private func talk(to address: SocketAddress, as index: Int) async throws {
        let session = try await Session.connect(to: [address], configuration: .quick)
        var answers = session.messages.makeAsyncIterator()
        for message in 0..<10 {
            try await session.send("\(index).\(message)")
            #expect(await answers.next() == "echo \(index).\(message)")
        }
        #expect(await session.strength == 100)
        await session.close()
    }

    @Test("Dropping a session tells the peer")
    func drop() async throws {
        let (listener, address) = try await loopbackListener()
        async let accepted = first(of: listener.sessions)
        _ = try await Session.connect(to: [address], configuration: .quick)
        let server = try #require(try await accepted)
        #expect(await server.events.last() == .closed(.closedByPeer))
        await listener.close()
    }
}

extension SessionEvents {
    /// The last event, once the session is over.
    func last() async -> SessionEvent? {
        var last: SessionEvent?
        for await event in self { last = event }
        return last
    }
}
