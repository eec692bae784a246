import Discoverable
import DiscoverableRuntime
import Testing

extension DaemonTests {
    @Suite("Finding a peer and talking to it", .needsTestbed, .timeLimit(.minutes(2)))
    struct Facade {
        private func serve(_ name: String, _ type: ServiceType) async throws -> ChildProcess {
            let server = try Dscv.start(on: Testbed.peer, "serve", name, "--type", type.text, "--port", "0", "--json")
            try await server.told("serving")
            return server
        }

        private func findErrorCode(
            _ type: ServiceType,
            named name: String? = nil,
            timeout: Duration = .milliseconds(500),
            discovery: Discovery = .shared
        ) async -> DiscoveryError.Code? {
            do throws(DiscoveryError) {
                _ = try await Peer.find(type.text, named: name, timeout: timeout, discovery: discovery)
                return nil
            } catch {
                #expect(error.description.contains(type.text))
                return error.code
            }
        }

        @Test("The first peer of a type is found and talked to in three lines; the server is told our name")
        func first() async throws {
            let type = try ServiceType.named("facade-first")
            let server = try await serve("Käse 🧀 a.b", type)
            let peer = try await Peer.find(type.text)
            let session = try await peer.connect(as: "Tester")
            try await session.send("hello")
            #expect(peer.name == "Käse 🧀 a.b")
            #expect(peer.service.host == "\(Testbed.peer).local")
            #expect(peer.service.txt["service"]?.text == "Discoverable Service")
            try await server.told("received") { $0.text == "hello" && $0.peer?.hasPrefix("Tester (") == true }
            await session.close()
            try await server.told("closed")
        }

        @Test("A peer of a name is found among others, and one of another name is not")
        func named() async throws {
            let type = try ServiceType.named("facade-named")
            let servers = [try await serve("One", type), try await serve("Two", type)]
            let peer = try await Peer.find(type.text, named: "Two")
            #expect(peer.name == "Two")
            let session = try await peer.connect()
            try await session.send("for two")
            try await servers[1].told("received") { $0.text == "for two" }
            #expect(!servers[0].lines.contains { $0.contains("connected") })
            await session.close()
            let start = MonotonicClock.now
            #expect(await findErrorCode(type, named: "Three") == .notFound)
            #expect(start.duration(to: MonotonicClock.now) < .seconds(3))
        }

        @Test("A peer that is listed but no longer answers is passed over for the next one", .needsHosts)
        func stale() async throws {
            let type = try ServiceType.named("facade-stale")
            let pointer = try Testbed.start(
                on: "beta",
                Testbed.peerScript("stale_pointer.py")
                    + ["Stale", type.text, "--interface-address", try await ipv4Address(of: "beta")]
            )
            #expect(try await pointer.waitForEnd() == 0)
            let events = Follower(try Discovery().browse(type))
            _ = try await events.first(within: .seconds(10)) { $0.shows("Stale") }
            #expect(await findErrorCode(type) == .notFound)
            let finding = Task { try await Peer.find(type.text, timeout: .seconds(15)) }
            _ = try await serve("Alive", type)
            #expect(try await finding.value.name == "Alive")
        }

        @Test("A daemon that is not there, or hangs, is told apart from a peer that is not there")
        func daemonProblems() async throws {
            let type = try ServiceType.named("facade-none")
            let discovery = try Discovery()
            #expect(await findErrorCode(type, discovery: discovery) == .notFound)
            try await Testbed.with(["daemon", "alpha", "stop"], undoneBy: ["daemon", "alpha", "start"]) {
                for discovery in [discovery, try Discovery()] {
                    #expect(await findErrorCode(type, discovery: discovery) == .daemonUnavailable)
                }
            }
            let states = Follower(discovery.states)
            _ = try await states.first(within: .seconds(15)) { $0 == .running }
            try await Testbed.with(["daemon", "alpha", "pause"], undoneBy: ["daemon", "alpha", "resume"]) {
                for discovery in [discovery, try Discovery()] {
                    let code = await findErrorCode(type, timeout: .milliseconds(1_500), discovery: discovery)
                    #expect(code == .daemonNotResponding)
                }
            }
        }

        @Test("Who is found but does not listen is told as refused, over every address", .needsHosts)
        func nobodyListens() async throws {
            let type = try ServiceType.named("facade-refused")
            let publisher = try Testbed.start(on: "beta", "avahi-publish", "-s", "Deaf", type.text, "4999")
            defer { publisher.end() }
            let peer = try await Peer.find(type.text, timeout: .seconds(10))
            let code = await sessionErrorCode { _ = try await peer.connect(configuration: .quick) }
            #expect(code == .connectFailed(.refused))
        }

        @Test("Who is found but is not reached is told as without answer", .needsHosts)
        func nobodyAnswers() async throws {
            let type = try ServiceType.named("facade-silent")
            _ = try await serve("Far", type)
            try await Testbed.with(["loss", "beta", "100"], undoneBy: ["loss", "beta", "0"]) {
                let peer = try await Peer.find(type.text, timeout: .seconds(10))
                let code = await sessionErrorCode { _ = try await peer.connect(configuration: .quick) }
                #expect(code == .connectFailed(.noAnswer))
            }
        }

        @Test("Cancelling ends the finding and the connecting at once")
        func cancelling() async throws {
            let type = try ServiceType.named("facade-cancelled")
            let finding = Task { await findErrorCode(type, timeout: .seconds(60)) }
            finding.cancel()
            #expect(await finding.value == .cancelled)
            let server = try await ReferenceServer.start("silent")
            let connecting = Task {
                await sessionErrorCode { _ = try await Session.connect(to: [server.address]) }
            }
            try await server.receives { $0.hasPrefix("dscv_discover") }
            connecting.cancel()
            #expect(await connecting.value == .cancelled)
        }
    }
}
