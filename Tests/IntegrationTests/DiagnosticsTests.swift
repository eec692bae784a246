import AvahiDiscovery
import Testing

extension OutageDaemonTests {
    @Suite("Diagnostics of a real daemon", .needsTestbed, .timeLimit(.minutes(2)))
    struct Diagnostics {
        @Test("What is done with the daemon is told in order: its version, its states, objects, publications")
        func told() async throws {
            let (stream, continuation) = AsyncStream.makeStream(of: DiscoveryDiagnostics.Event.self)
            let events = Follower(stream)
            let discovery = try Discovery(diagnostics: .init(minimumLevel: .debug) { continuation.yield($0) })
            #expect(try await discovery.daemonVersion().hasPrefix("avahi 0."))
            _ = try await events.first(within: .seconds(5)) { $0.kind == .daemonState(.running) }

            let name = try ServiceName("Told")
            let publication = try await discovery.publish(
                ServiceAdvertisement(name: name, type: .named("told", "_tcp"), port: 1)
            )
            _ = try await events.first(within: .seconds(5)) { $0.kind == .objectOpened(count: 1) && $0.level == .debug }
            _ = try await events.first(within: .seconds(5)) {
                $0.kind == .publicationState(.established(name)) && $0.level == .info
            }
            try await Testbed.tell("daemon", "alpha", "restart")
            let loss = try await events.first(within: .seconds(10)) {
                if case .daemonState = $0.kind { true } else { false }
            }
            #expect(loss.level == .warning && loss.kind != .daemonState(.running), "\(loss)")
            _ = try await events.first(within: .seconds(15)) { $0.kind == .publicationState(.established(name)) }

            await publication.withdraw()
            _ = try await events.first(within: .seconds(5)) { $0.kind == .objectFreed(count: 0) }
            _ = try await events.first(within: .seconds(5)) { $0.kind == .publicationState(.withdrawn) }
            discovery.setDiagnostics(nil)
            _ = try await discovery.daemonVersion()
            #expect(await events.rest(within: .milliseconds(100)) == [])
            #expect(discovery.malformedItemCount == 0)
        }
    }
}
