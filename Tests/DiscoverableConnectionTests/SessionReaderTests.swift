import DiscoverableCore
import Glibc
import Testing

@testable import DiscoverableConnection
@testable import DiscoverableRuntime

@Suite("Who reads, and what ends a listener", .timeLimit(.minutes(1)))
struct SessionReaderTests {
    private func pair(
        _ configuration: SessionConfiguration
    ) async throws -> (client: Session, server: Session, listener: SessionListener) {
        let (listener, address) = try await loopbackListener(configuration: configuration)
        async let accepted = first(of: listener.sessions)
        let client = try await Session.connect(to: [address], configuration: .quick)
        return (client, try #require(try await accepted), listener)
    }

    @Test("An app that follows the events only gets every message there, however many")
    func eventsOnly() async throws {
        var configuration = SessionConfiguration.quick
        configuration.maximumUnreadMessages = 10
        let (client, server, listener) = try await pair(configuration)
        var events = server.events.makeAsyncIterator()
        #expect(await events.next() == .connected(to: try #require(await server.peerAddress)))
        for number in 0..<50 {
            try await client.send("\(number)")
            #expect(await events.next() == .received("\(number)"))
        }
        await listener.close()
    }

    @Test("One that follows the events too slowly costs the sender acknowledgements, not us memory")
    func slowEvents() async throws {
        var configuration = SessionConfiguration.quick
        configuration.maximumUnreadMessages = 3
        let (listener, address) = try await loopbackListener(configuration: configuration)
        async let accepted = first(of: listener.sessions)
        var impatient = SessionConfiguration.quick
        impatient.acknowledgementTimeout = .seconds(2)
        let client = try await Session.connect(to: [address], configuration: impatient)
        let server = try #require(try await accepted)
        var events = server.events.makeAsyncIterator()
        _ = await events.next()
        for number in 0..<3 { try await client.send("\(number)") }
        #expect(await sessionErrorCode { try await client.send("3") } == .notAcknowledged)
        for number in 0..<3 { #expect(await events.next() == .received("\(number)")) }
        try await client.send("4")
        #expect(await events.next() == .received("4"))
        await listener.close()
    }

    @Test("What one task takes as messages is not kept as events for nobody")
    func messagesOnly() async throws {
        let (client, server, listener) = try await pair(.quick)
        var messages = server.messages.makeAsyncIterator()
        for number in 0..<20 {
            try await client.send("\(number)")
            #expect(await messages.next() == "\(number)")
        }
        await client.close()
        #expect(await messages.next() == nil)
        var story: [SessionEvent] = []
        for await event in server.events { story.append(event) }
        #expect(story.count == 2 && story.last == .closed(.closedByPeer), "\(story)")
        await listener.close()
    }

    @Test("A text of 4,096 bytes is taken whole, a longer one not at all")
    func longMessages() async throws {
        let (listener, address) = try await loopbackListener()
        let (client, _) = try await boundSocket(.ipv4)
        try await client.send(bytes("dscv_discover"), to: address)
        for _ in 0..<2 { _ = try await client.receive() }
        let server = try #require(try await first(of: listener.sessions))
        for length in [4_097, 4_096] {
            try await client.send(Array(repeating: UInt8(ascii: "x"), count: length), to: address)
        }
        #expect(try await client.receive().bytes == bytes("dscv_ack"))
        #expect(try await first(of: server.messages)?.utf8.count == 4_096)
        await listener.close()
    }

    @Test("A client that is displaced while we close its session leaves its place to its successor for good")
    func displacedWhileClosing() async throws {
        var configuration = SessionConfiguration.quick
        configuration.maximumSessions = 1
        configuration.disconnectInterval = .milliseconds(20)
        let (listener, address) = try await loopbackListener(configuration: configuration)
        let (first, _) = try await boundSocket(.ipv4)
        let (second, _) = try await boundSocket(.ipv4)
        // Long enough for goodbyes, which a short discover would not pay for.
        let discover = bytes("dscv_discover:" + String(repeating: "x", count: 60))
        var sessions = listener.sessions.makeAsyncIterator()
        try await first.send(discover, to: address)
        let old = try #require(await sessions.next())
        let closing = Task { await old.close() }
        while await old.state == .connected { await Task.yield() }
        try await second.send(discover, to: address)
        _ = await sessions.next()
        try await first.send(discover, to: address)
        let new = try #require(await sessions.next())
        await closing.value
        try await first.send(bytes("still here?"), to: address)
        var messages = new.messages.makeAsyncIterator()
        #expect(await messages.next() == "still here?")
        #expect(await listener.sessionCount == 1)
        await listener.close()
    }

    @Test("A listener that cannot watch its port any more ends its sessions and its sequence")
    func stopped() async throws {
        let (client, server, listener) = try await pair(.quick)
        for engine in await listener.engines {
            listener.loop.execute { listener.stopped(.system(ENOSPC, call: "epoll_ctl"), on: engine) }
        }
        #expect(await server.events.last() == .closed(.closedLocally))
        #expect(try await first(of: listener.sessions) == nil)
        await client.close(endingPeer: false)
        await listener.close()
    }

    @Test("As many sessions as there are, without trapping")
    func noLimit() async throws {
        var configuration = SessionConfiguration.quick
        configuration.maximumSessions = .max
        configuration.disconnectAttempts = .max
        let (client, _, listener) = try await pair(configuration)
        try await client.send("x")
        await client.close()
        await listener.close()
    }
}
