import Discoverable
import DiscoverableRuntime
import Testing

extension KnowledgeDaemonTests {
    @Suite("Verifying that a service is there", .needsTestbed, .timeLimit(.minutes(2)))
    struct Verifying {
        @Test("A service of a living daemon answers afresh, within a second and with its port", .needsHosts)
        func living() async throws {
            let type = try ServiceType.named("verify", "_tcp")
            let publisher = try Testbed.start(on: Testbed.peer, "avahi-publish", "-s", "Here", type.text, "4711")
            defer { publisher.end() }
            let discovery = try Discovery()
            let events = Follower(discovery.browse(type))
            let event = try await events.first(within: .seconds(15)) { $0.shows("Here", paths: expectedPaths) }
            let service = try #require(event.service)
            // The pointer is told before the service has been probed for, which takes a second.
            _ = try await discovery.resolve(service)
            let answer = try #require(try await discovery.verify(service))
            #expect(answer.location.port == 4711)
            #expect(answer.location.target.text == "\(Testbed.peer).local")
            #expect(service.paths.contains(answer.path))
            #expect(answer.roundTrip < .seconds(1))
            let again = try await discovery.verify(service.instance)
            #expect(again?.location.port == 4711)
        }

        @Test("A service whose host died without a goodbye is listed still, and does not answer", .needsHosts)
        func killed() async throws {
            let type = try ServiceType.named("verify-killed", "_tcp")
            let publisher = try Testbed.start(on: "beta", "avahi-publish", "-s", "Dead", type.text, "1")
            defer { publisher.end() }
            let discovery = try Discovery()
            let events = Follower(discovery.browse(type))
            let event = try await events.first(within: .seconds(15)) { $0.shows("Dead", paths: 4) }
            let service = try #require(event.service)
            _ = try await discovery.resolve(service)
            try await Testbed.with(["daemon", "beta", "kill"], undoneBy: ["daemon", "beta", "start"]) {
                // The daemon's cache still resolves it.
                let resolved = try await discovery.resolve(service)
                #expect(resolved.port == 1)
                let start = MonotonicClock.now
                let silence = try await discovery.verify(service, timeout: .seconds(1))
                #expect(silence == nil)
                #expect(start.duration(to: MonotonicClock.now) < .seconds(2))
            }
        }

        @Test("A service behind a link that is down does not answer, and answers on the other link", .needsHosts)
        func linkDown() async throws {
            let type = try ServiceType.named("verify-link", "_tcp")
            let publisher = try Testbed.start(on: "beta", "avahi-publish", "-s", "Cut", type.text, "1")
            defer { publisher.end() }
            let discovery = try Discovery()
            let events = Follower(discovery.browse(type))
            let event = try await events.first(within: .seconds(15)) { $0.shows("Cut", paths: 4) }
            let service = try #require(event.service)
            _ = try await discovery.resolve(service)
            let lan1 = try Link("lan1")
            let onLAN0 = BrowsedService(
                identity: service.instance,
                paths: service.paths.filter { $0.interface != lan1.index }
            )
            try await Testbed.with(["link", "beta", "lan0", "down"], undoneBy: ["link", "beta", "lan0", "up"]) {
                let other = try await discovery.verify(service)
                #expect(other?.path.interface == lan1.index)
                let cut = try await discovery.verify(onLAN0, timeout: .milliseconds(600))
                #expect(cut == nil)
            }
            let back = try await discovery.verify(onLAN0, timeout: .seconds(15))
            #expect(back?.location.port == 1)
        }

        @Test("python-zeroconf answers afresh, and no more once it is killed", .needsHosts)
        func zeroconf() async throws {
            let type = try ServiceType.named("verify-py", "_tcp")
            let address = try await ipv4Address(of: "beta")
            let publisher = try Testbed.start(
                on: "beta",
                Testbed.peerScript("zeroconf_publish.py") + ["Py", type.text, "99", "--interface-address", address]
            )
            _ = try await publisher.line(within: .seconds(15)) { $0.contains("published") }
            let discovery = try Discovery()
            let instance = try ServiceInstance(name: ServiceName("Py"), type: type)
            let alive = try await discovery.verify(instance)
            #expect(alive?.location.port == 99)
            publisher.send(9)
            _ = try await publisher.waitForEnd()
            let dead = try await discovery.verify(instance, timeout: .milliseconds(600))
            #expect(dead == nil)
        }

        @Test("It works while the daemon hangs, and a cancelled call ends at once", .needsHosts)
        func hangingDaemon() async throws {
            let type = try ServiceType.named("verify-hang", "_tcp")
            let publisher = try Testbed.start(on: "beta", "avahi-publish", "-s", "Up", type.text, "5")
            defer { publisher.end() }
            let discovery = try Discovery()
            let events = Follower(discovery.browse(type))
            let event = try await events.first(within: .seconds(15)) { $0.shows("Up", paths: 4) }
            let service = try #require(event.service)
            try await Testbed.with(["daemon", "alpha", "pause"], undoneBy: ["daemon", "alpha", "resume"]) {
                let answer = try await discovery.verify(service)
                #expect(answer?.location.port == 5)
                let nobody = try ServiceInstance(name: ServiceName("Nobody"), type: type)
                let waiting = Task { try await discovery.verify(nobody, timeout: .seconds(60)) }
                waiting.cancel()
                let error = await #expect(throws: DiscoveryError.self) { try await waiting.value }
                #expect(error?.code == .cancelled)
            }
        }

        @Test("A service in another domain cannot be asked on the link")
        func otherDomain() async throws {
            let instance = try ServiceInstance(
                name: ServiceName("X"),
                type: ServiceType("_http._tcp"),
                domain: Domain("example.org")
            )
            let error = await #expect(throws: DiscoveryError.self) { try await Discovery().verify(instance) }
            #expect(error?.code == .invalidArgument)
        }
    }
}
