import Discoverable
import Glibc
import Testing

extension DaemonTests {
    @Suite("Sessions with the reference server", .needsTestbed, .timeLimit(.minutes(1)))
    struct SessionWithReference {
        /// A session with a server, with short times.
        private func connect(
            to server: ReferenceServer,
            _ change: (inout SessionConfiguration) -> Void = { _ in }
        ) async throws -> Session {
            var configuration = SessionConfiguration.quick
            change(&configuration)
            return try await Session.connect(to: [server.address], configuration: configuration)
        }

        @Test("Ten messages arrive in order, each acknowledged: strength 100", arguments: ["dscv", "astv"])
        func tenMessages(prefix: String) async throws {
            let server = try await ReferenceServer.start(prefix: prefix)
            let session = try await connect(to: server) { $0.prefix = prefix }
            let events = Follower(session.events)
            let texts = (1...10).map { "message \($0) 🧀" }
            for text in texts { try await session.send(text) }
            #expect(await session.strength == 100)
            #expect(await session.peerAddress == server.address)
            #expect(await session.roundTripTime != nil)
            #expect(try await server.payloads(until: "message 10 🧀") == texts)
            #expect(try server.received.first == "\(prefix)_discover:tests")
            await session.close()
            _ = try await events.first(within: .seconds(5)) { $0.isLast }
            let acknowledged = events.all.filter { if case .acknowledged = $0 { true } else { false } }
            #expect(acknowledged.count == 10)
            #expect(try await server.process.waitForEnd() == 0)
        }

        @Test("Closing ends the classic server, which hears one disconnect and says why it goes")
        func closing() async throws {
            let server = try await ReferenceServer.start()
            let session = try await connect(to: server)
            await session.close()
            #expect(try await server.closed() == "disconnect")
            #expect(try server.received.filter { $0 == "dscv_disconnect" }.count == 1)
            #expect(await session.state == .closed(.closedLocally))
            #expect(await sessionErrorCode { try await session.send("late") } == .closed(.closedLocally))
        }

        @Test("Closing without ending the peer leaves the server to the next client")
        func closingQuietly() async throws {
            let server = try await ReferenceServer.start()
            let first = try await connect(to: server)
            try await first.send("one")
            await first.close(endingPeer: false)
            let second = try await connect(to: server)
            try await second.send("two")
            #expect(try await server.payloads(until: "two") == ["one", "two"])
            #expect(try !server.received.contains("dscv_disconnect"))
            await second.close()
        }

        @Test("A server that echoes is heard: messages go both ways, each acknowledged")
        func echo() async throws {
            let server = try await ReferenceServer.start("echo")
            let session = try await connect(to: server)
            let messages = Follower(session.messages)
            let texts = (1...10).map { "echo \($0)" }
            for text in texts {
                try await session.send(text)
                #expect(try await messages.first(within: .seconds(5)) == text)
            }
            for _ in texts { try await server.receives { $0 == "dscv_ack" } }
            #expect(messages.all == texts)
            #expect(await session.strength == 100)
            await session.close()
        }

        @Test("A server that stops ends the session: closed by the peer, and nothing is sent after it")
        func stopped() async throws {
            let server = try await ReferenceServer.start("disconnect-after-3")
            let session = try await connect(to: server)
            let events = Follower(session.events)
            for text in ["1", "2", "3"] { try await session.send(text) }
            #expect(try await events.first(within: .seconds(5)) { $0.isLast } == .closed(.closedByPeer))
            #expect(try await server.closed() == "disconnect-after")
            #expect(await sessionErrorCode { try await session.send("4") } == .closed(.closedByPeer))
            // Who comes next on that port hears nothing of the old session.
            let next = try await ReferenceServer.start(port: server.address.port)
            await session.close()
            _ = await next.process.rest(within: .seconds(1))
            #expect(try next.received == [])
        }

        @Test("A server that restarts is connected to again")
        func restarted() async throws {
            let server = try await ReferenceServer.start()
            let first = try await connect(to: server)
            let events = Follower(first.events)
            try await first.send("before")
            server.process.end()
            #expect(try await server.closed() == "signal")
            #expect(try await events.first(within: .seconds(5)) { $0.isLast } == .closed(.closedByPeer))
            let again = try await ReferenceServer.start(port: server.address.port)
            let second = try await connect(to: again)
            try await second.send("after")
            #expect(try await again.payloads(until: "after") == ["after"])
            await second.close()
        }

        @Test("A server that crashes and comes back is the same to a session, which lost what was sent meanwhile")
        func crashed() async throws {
            let server = try await ReferenceServer.start()
            let session = try await connect(to: server) { $0.acknowledgementTimeout = .milliseconds(500) }
            try await session.send("before")
            server.process.send(SIGKILL)
            _ = try await server.process.waitForEnd()
            #expect(await sessionErrorCode { try await session.send("lost") } == .notAcknowledged)
            #expect(await session.state == .connected)
            let again = try await ReferenceServer.start(port: server.address.port)
            try await session.send("after")
            #expect(try await again.payloads(until: "after") == ["after"])
            #expect(await session.strength == 66)
            await session.close()
        }

        @Test("A server reads 1,024 bytes of a datagram: the longest message and the longest name arrive whole")
        func longest() async throws {
            let server = try await ReferenceServer.start()
            var configuration = SessionConfiguration.quick
            configuration.deviceName = String(repeating: "🧀", count: 500)
            let session = try await Session.connect(to: [server.address], configuration: configuration)
            let texts = [String(repeating: "x", count: 1024), String(repeating: "🧀", count: 256)]
            for text in texts { try await session.send(text) }
            #expect(try await server.payloads(until: texts[1]) == texts)
            #expect(try server.received.first == "dscv_discover:" + String(repeating: "🧀", count: 252))
            await session.close()
        }

        @Test("The predecessor's Windows server: admits once, with an IPv6 address, and answers a goodbye by one")
        func windows() async throws {
            let server = try await ReferenceServer.start("windows", prefix: "astv")
            var configuration = SessionConfiguration.quick
            configuration.prefix = "astv"
            configuration.keepAliveInterval = .milliseconds(100)
            let session = try await Session.connect(to: [server.address], configuration: configuration)
            for command in ["astv-up", "astv-down"] { try await session.send(command) }
            // It only acknowledges the questions whether it is there, which is enough.
            for _ in 0..<3 { try await server.receives { $0.hasPrefix("astv_discover") } }
            #expect(await session.state == .connected)
            #expect(await session.strength == 100)
            await session.close()
            #expect(try await server.closed() == "disconnect")
            #expect(await session.state == .closed(.closedLocally))
        }

        @Test("A server that ends for want of words says so, and the session is closed by the peer")
        func silence() async throws {
            let server = try await ReferenceServer.start("silent-for-300-ms")
            let session = try await Session.connect(to: [server.address], configuration: .quick)
            let events = Follower(session.events)
            #expect(try await events.first(within: .seconds(5)) { $0.isLast } == .closed(.closedByPeer))
            #expect(try await server.closed() == "silence")
        }

        @Test("The oldest server admits only who says no name")
        func nameless() async throws {
            let server = try await ReferenceServer.start("whole-discover", prefix: "astv")
            var configuration = SessionConfiguration.quick
            configuration.prefix = "astv"
            let refused = configuration
            let code = await sessionErrorCode {
                _ = try await Session.connect(to: [server.address], configuration: refused)
            }
            #expect(code == .connectFailed(.noHandshake))
            configuration.deviceName = ""
            let session = try await Session.connect(to: [server.address], configuration: configuration)
            try await session.send("through")
            await session.close()
        }
    }
}
