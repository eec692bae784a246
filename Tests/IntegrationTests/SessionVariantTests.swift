import Discoverable
import DiscoverableRuntime
import Glibc
import Testing

extension DaemonTests {
    @Suite("Sessions with servers that do not do their part", .needsTestbed, .timeLimit(.minutes(1)))
    struct SessionWithVariants {
        @Test("A server that acknowledges nothing is lost: each message is told so, the fifth ends the session")
        func noAcknowledgement() async throws {
            let server = try await ReferenceServer.start("no-ack")
            let session = try await Session.connect(to: [server.address], configuration: .impatient)
            let events = Follower(session.events)
            for number in 1...5 {
                #expect(await sessionErrorCode { try await session.send("\(number)") } == .notAcknowledged)
                #expect(await session.strength == 0)
            }
            #expect(try await events.first(within: .seconds(5)) { $0.isLast } == .closed(.lost))
            #expect(await sessionErrorCode { try await session.send("6") } == .closed(.lost))
            #expect(try await server.payloads(until: "5") == ["1", "2", "3", "4", "5"])
        }

        @Test(
            "Who acknowledges but does not admit us is told apart from who does not answer at all",
            arguments: [
                ("ack-only", SessionConnectFailure.noHandshake), ("silent", .noAnswer),
                // A handshake of another port is nobody's word: the session is with the address that was asked.
                ("shake-other-port", .noHandshake),
            ]
        )
        func notAdmitted(variant: String, failure: SessionConnectFailure) async throws {
            let server = try await ReferenceServer.start(variant)
            let start = MonotonicClock.now
            let code = await sessionErrorCode {
                _ = try await Session.connect(to: [server.address], configuration: .quick)
            }
            #expect(code == .connectFailed(failure))
            let elapsed = start.duration(to: MonotonicClock.now)
            #expect(elapsed > .milliseconds(900) && elapsed < .seconds(3))
            #expect(try server.received == Array(repeating: "dscv_discover:tests", count: 5))
        }

        @Test("A port that nobody listens on is refused, which is told as that")
        func refused() async throws {
            let server = try await ReferenceServer.start()
            server.process.end()
            _ = try await server.closed()
            let code = await sessionErrorCode {
                _ = try await Session.connect(to: [server.address], configuration: .quick)
            }
            #expect(code == .connectFailed(.refused))
        }

        @Test("A handshake that comes twice is one: every acknowledgement counts for its own message")
        func twice() async throws {
            let server = try await ReferenceServer.start("shake-twice")
            let session = try await Session.connect(to: [server.address], configuration: .quick)
            for number in 1...6 { try await session.send("\(number)") }
            #expect(await session.strength == 100)
            #expect(try await server.payloads(until: "6").count == 6)
            await session.close()
        }

        @Test("Discovers that are lost are repeated until one gets through")
        func repeated() async throws {
            let server = try await ReferenceServer.start("drop-first-2")
            let session = try await Session.connect(to: [server.address], configuration: .quick)
            try await session.send("through")
            try await server.receives { $0 == "through" }
            #expect(try server.received.count { $0 == "dscv_discover:tests" } >= 3)
            #expect(await session.strength == 100)
            await session.close()
        }

        @Test(
            "A server that admits once: our questions whether it is there keep the session, the next client is refused"
        )
        func admittedOnce() async throws {
            let server = try await ReferenceServer.start("second-discover-not-shaken")
            var configuration = SessionConfiguration.quick
            configuration.keepAliveInterval = .milliseconds(100)
            let session = try await Session.connect(to: [server.address], configuration: configuration)
            for _ in 0..<4 { try await server.receives { $0.hasPrefix("dscv_discover") } }
            #expect(await session.state == .connected)
            let code = await sessionErrorCode {
                _ = try await Session.connect(to: [server.address], configuration: .quick)
            }
            #expect(code == .connectFailed(.noHandshake))
            try await session.send("still here")
            #expect(await session.strength == 100)
            await session.close()
        }

        @Test("A server that has gone without a word is noticed by the questions whether it is there")
        func silentLater() async throws {
            let server = try await ReferenceServer.start()
            var configuration = SessionConfiguration.impatient
            configuration.keepAliveInterval = .milliseconds(100)
            let session = try await Session.connect(to: [server.address], configuration: configuration)
            let events = Follower(session.events)
            server.process.send(SIGKILL)
            #expect(try await events.first(within: .seconds(5)) { $0.isLast } == .closed(.silent))
        }

        @Test(
            "On a link that loses every fifth datagram each message has one outcome, and the session lives",
            .needsHosts
        )
        func loss() async throws {
            let server = try await ReferenceServer.start()
            var configuration = SessionConfiguration.impatient
            configuration.discoverAttempts = 50
            // Five in a row are lost once in 300 runs.
            configuration.strengthWindow = 12
            let rules = configuration
            try await Testbed.with(["loss", "beta", "20"], undoneBy: ["loss", "beta", "0"]) {
                let session = try await Session.connect(to: [server.address], configuration: rules)
                let events = Follower(session.events)
                var outcomes: [SessionError.Code?] = []
                for number in 1...24 {
                    outcomes.append(await sessionErrorCode { try await session.send("\(number)") })
                }
                #expect(await session.state == .connected)
                #expect(outcomes.allSatisfy { $0 == nil || $0 == .notAcknowledged })
                await session.close()
                _ = try await events.first(within: .seconds(5)) { $0.isLast }
                expectOneOutcomeEach(events.all, acknowledged: outcomes.count { $0 == nil }, of: 24)
                // Its end, so that all its lines have been read.
                server.process.end()
                _ = try await server.process.finished()
                #expect(try server.received.count >= outcomes.count { $0 == nil })
            }
        }

        private func expectOneOutcomeEach(_ events: [SessionEvent], acknowledged: Int, of count: Int) {
            var outcomes: [String: [Bool]] = [:]
            for event in events {
                switch event {
                case .acknowledged(_, let text, _): outcomes[text, default: []].append(true)
                case .lost(_, let text), .abandoned(_, let text): outcomes[text, default: []].append(false)
                case .connecting, .connected, .sent, .received, .strengthChanged, .closed, .failed: continue
                }
            }
            #expect(outcomes.count == count)
            #expect(outcomes.values.allSatisfy { $0.count == 1 })
            #expect(outcomes.values.count { $0 == [true] } == acknowledged)
        }
    }
}
