import Discoverable
import Foundation
import Glibc
import Testing

extension DaemonTests {
    @Suite("A listener with a crowd of clients", .needsHosts, .timeLimit(.minutes(3)))
    struct SessionCrowd {
        /// With `DISCOVERABLE_SOAK=1` a thousand clients of 100 messages each, whose losses take half a minute.
        private static let isSoak = ProcessInfo.processInfo.environment["DISCOVERABLE_SOAK"] == "1"
        private static let clientCount = isSoak ? 1_000 : 250
        private static let messageCount = isSoak ? 100 : 40

        /// What one client has seen.
        private struct Tally: Sendable {
            var acknowledged = 0
            var lost = 0
            /// Messages with another number of outcomes than one.
            var wrong = 0
            var strength: Int?
        }

        /// Datagrams are lost on the way to the server only: each lost message is one that was dropped there.
        private var rules: SessionConfiguration {
            var rules = SessionConfiguration()
            rules.deviceName = "crowd"
            rules.discoverInterval = .milliseconds(500)
            rules.discoverAttempts = 40
            // So that what is late on a busy machine is not taken for lost: acknowledgements do not say what they are for.
            rules.acknowledgementTimeout = Self.isSoak ? .seconds(2) : .seconds(1)
            rules.strengthWindow = Self.messageCount
            return rules
        }

        @Test(
            "Many clients, 100 messages each, one datagram in ten lost: each message has one outcome, strength near 90"
        )
        func crowd() async throws {
            try allowDescriptors(UInt(Self.clientCount + 200))
            let server = try Dscv.start(on: Testbed.peer, "serve", "Crowd", "--type", "_crowd._udp", "--port", "1101")
            _ = try await server.line(within: .seconds(15)) { $0.contains("serving") }
            let address = try #require(SocketAddress.parse("\(try await ipv4Address(of: Testbed.peer)):1101"))
            let tallies = try await Testbed.with(["loss", "beta", "10"], undoneBy: ["loss", "beta", "0"]) {
                try await withThrowingTaskGroup(of: Tally.self) { group in
                    for _ in 0..<Self.clientCount { group.addTask { try await talk(to: address) } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
            }
            server.end()
            #expect(tallies.count == Self.clientCount)
            for tally in tallies {
                #expect(tally.acknowledged + tally.lost == Self.messageCount && tally.wrong == 0)
                let percent = 100 * tally.acknowledged / Self.messageCount
                // 90, with a standard deviation of 3 for 100 messages and of 4.7 for 40.
                #expect(tally.strength == percent && (Self.isSoak ? 70 : 60)...100 ~= percent)
            }
            let acknowledged = tallies.reduce(0) { $0 + $1.acknowledged }
            let mean = 100 * Double(acknowledged) / Double(Self.clientCount * Self.messageCount)
            #expect((88.8...91.2).contains(mean), "the mean strength is \(mean)")
            print(
                "crowd: \(acknowledged) of \(Self.clientCount * Self.messageCount) acknowledged, strengths",
                tallies.compactMap(\.strength).min() ?? 0,
                "to",
                tallies.compactMap(\.strength).max() ?? 0
            )
        }

        private func talk(to address: SocketAddress) async throws -> Tally {
            let session = try await Session.connect(to: [address], configuration: rules)
            let events = Task { await session.events.reduce(into: []) { $0.append($1) } }
            for number in 1...Self.messageCount {
                _ = await sessionErrorCode { try await session.send("message \(number)") }
            }
            var tally = Tally()
            tally.strength = await session.strength
            await session.close(endingPeer: false)
            var outcomes: [MessageID: Int] = [:]
            for event in await events.value {
                switch event {
                case .sent(let id, _): outcomes[id, default: 0] += 0
                case .acknowledged(let id, _, _):
                    outcomes[id, default: 0] += 1
                    tally.acknowledged += 1
                case .lost(let id, _), .abandoned(let id, _):
                    outcomes[id, default: 0] += 1
                    tally.lost += 1
                case .connecting, .connected, .received, .strengthChanged, .closed, .failed: continue
                }
            }
            tally.wrong = outcomes.values.count { $0 != 1 } + (outcomes.count == Self.messageCount ? 0 : 1)
            return tally
        }

        private func allowDescriptors(_ count: UInt) throws {
            var limit = rlimit()
            unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            guard limit.rlim_cur < count else { return }
            limit.rlim_cur = min(count, limit.rlim_max)
            try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
        }
    }
}
