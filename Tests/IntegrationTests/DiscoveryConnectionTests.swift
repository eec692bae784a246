import AvahiDiscovery
import DiscoverableRuntime
import Glibc
import Testing

extension DiscoveryDaemonTests {
    @Suite("One connection to the daemon", .needsTestbed, .timeLimit(.minutes(isSoak ? 20 : 2)))
    struct OneConnection {
        @Test("13: 300 operations at once have one D-Bus socket, also where the daemon takes one client only")
        func oneSocket() async throws {
            try await Testbed.with(
                ["config", "alpha", "server", "clients-max", "1"],
                undoneBy: ["config", "alpha", "server", "clients-max", "4096"]
            ) {
                let before = Set(try busSockets().keys)
                let type = try ServiceType.named("crowded", "_tcp")
                let discovery = try Discovery()
                let publication = try await discovery.publish(
                    ServiceAdvertisement(name: ServiceName("Crowded"), type: type, port: 4242)
                )
                let instance = ServiceInstance(name: publication.name, type: type)
                let browses = (0..<50).map { _ in Follower(discovery.browse(type)) }
                let resolves = (0..<249).map { _ in
                    Task { try await discovery.resolve(instance, timeout: .seconds(60)).port }
                }
                for browse in browses { _ = try await browse.first(within: .seconds(30)) { $0.shows("Crowded") } }
                #expect(Set(try busSockets().keys).subtracting(before).count == 1)
                for resolve in resolves { #expect(try await resolve.value == 4242) }
                for browse in browses { await browse.stop() }
                await publication.withdraw()
            }
        }

        @Test("5: resolves that are given up at any moment leave nothing in the daemon")
        func cancelledResolves() async throws {
            try await Testbed.with(
                ["config", "alpha", "server", "objects-per-client-max", "4"],
                undoneBy: ["config", "alpha", "server", "objects-per-client-max", "1024"]
            ) {
                let type = try ServiceType.named("givenup", "_tcp")
                let discovery = try Discovery()
                let publication = try await discovery.publish(
                    ServiceAdvertisement(name: ServiceName("There"), type: type, port: 1)
                )
                let there = ServiceInstance(name: publication.name, type: type)
                let nobody = ServiceInstance(name: try ServiceName("Nobody"), type: type)
                var random = SeededNumbers(seed: 5)
                for _ in 0..<(isSoak ? 1_000 : 20) {
                    let calls = (0..<10).map { _ in
                        (Bool.random(using: &random) ? there : nobody, Int.random(in: 0..<50_000, using: &random))
                    }
                    await withTaskGroup(of: Void.self) { group in
                        for (instance, limit) in calls {
                            group.addTask { _ = try? await discovery.resolve(instance, timeout: .microseconds(limit)) }
                        }
                    }
                }
                // Three of the four objects are free again, or this had none.
                #expect(try await discovery.resolve(there, timeout: .seconds(10)).port == 1)
                let browses = (0..<3).map { _ in Follower(discovery.browse(type)) }
                for browse in browses { _ = try await browse.first(within: .seconds(10)) { $0.shows("There") } }
                for browse in browses { await browse.stop() }
                await publication.withdraw()
            }
        }

        @Test("6: browses and publications that are begun and ended while events are handled, in many tasks")
        func withinEvents() async throws {
            let type = try ServiceType.named("within", "_tcp")
            let discovery = try Discovery()
            let publication = try await discovery.publish(
                ServiceAdvertisement(name: ServiceName("Seen"), type: type, port: 7)
            )
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        for try await event in discovery.browse(type) where event.shows("Seen") {
                            let service = try #require(event.service)
                            // Both live and end inside the handling of an event.
                            for try await inner in discovery.browse(type) where inner.shows("Seen") { break }
                            #expect(try await discovery.resolve(service, timeout: .seconds(20)).port == 7)
                            return
                        }
                    }
                }
                try await group.waitForAll()
            }
            await publication.withdraw()
        }

        @Test("27: a browse that waits computes less than 10 ms in 5 s")
        func idle() async throws {
            let discovery = try Discovery()
            let events = Follower(discovery.browse(try .named("idle")))
            _ = try await events.first(within: .seconds(10)) { $0 == .settled }
            let before = try ProcessTime(of: getpid())
            _ = await events.rest(within: .seconds(5))
            #expect(try ProcessTime(of: getpid()).since(before, thread: "avahi-client") < .milliseconds(10))
            await events.stop()
        }

        @Test(
            "10: a bus that ends the connection, as with a client that exceeds a limit, is connected to anew",
            .needsHosts
        )
        func disconnected() async throws {
            let type = try ServiceType.named("cutoff", "_tcp")
            let peer = try Testbed.start(on: "beta", "avahi-publish", "-s", "Stays", type.text, "80")
            defer { peer.end() }
            let discovery = try Discovery()
            let publication = try await discovery.publish(
                ServiceAdvertisement(name: ServiceName("Mine"), type: type, port: 1)
            )
            let events = Follower(discovery.browse(type))
            _ = try await events.first(within: .seconds(15)) { $0.shows("Stays", paths: expectedPaths) }
            _ = try await events.first(within: .seconds(15)) { $0 == .settled }
            let states = Follower(publication.states)
            _ = try await states.first(within: .seconds(10)) { $0 == .established(publication.name) }
            for socket in try busSockets().values { breakConnection(socket) }
            // The connection is back in the same moment, so that only what was registered shows that it was gone.
            _ = try await states.first(within: .seconds(10)) { $0 != .established(publication.name) }
            _ = try await states.first(within: .seconds(10)) { $0 == .established(publication.name) }
            // Longer than the review of what nobody confirmed. The publication's own service may go and come.
            let told = await events.rest(within: .seconds(7))
            #expect(told.allSatisfy { $0.name == "Mine" || (!$0.isRemoval && !$0.isAddition) }, "told: \(told)")
            #expect(publication.state == .established(try ServiceName("Mine")))
            await events.stop()
            await publication.withdraw()
        }
    }
}

/// Numbers that look random and are the same in each run (xorshift64).
private struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 | 1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
