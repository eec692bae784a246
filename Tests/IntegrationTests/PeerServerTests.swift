import Discoverable
import DiscoverableRuntime
import Testing

extension DaemonTests {
    @Suite("A server that peers find", .needsTestbed, .timeLimit(.minutes(2)))
    struct PeerServers {
        private func startError(
            _ type: ServiceType,
            named name: String = "Fails",
            port: UInt16 = 0,
            within timeout: Duration? = .seconds(5),
            discovery: Discovery = .shared
        ) async -> PeerServerError? {
            do throws(PeerServerError) {
                let server = try await PeerServer.start(
                    name,
                    type: type.text,
                    port: port,
                    visibleWithin: timeout,
                    discovery: discovery
                )
                await server.close()
                return nil
            } catch {
                return error
            }
        }

        /// Whether the port can be opened again, as after every end.
        private func isFree(_ port: UInt16) async -> Bool {
            await sessionErrorCode { await (try await SessionListener.bind(port: port)).close() } == nil
        }

        private func freePort() async throws -> UInt16 {
            let listener = try await SessionListener.bind(port: 0)
            await listener.close()
            return listener.port
        }

        /// The names that are seen of a type, once all is known.
        private func names(_ type: ServiceType) async throws -> [String] {
            let events = Follower(try Discovery().browse(type))
            _ = try await events.first(within: .seconds(15)) { if case .settled = $0 { true } else { false } }
            return events.all.compactMap(\.name)
        }

        @Test("One call serves and publishes, one closes and withdraws: found, talked to, gone, and its port is free")
        func whole() async throws {
            let type = try ServiceType.named("server-whole")
            let witness = try Testbed.start(on: Testbed.peer, "avahi-browse", "-rp", type.text)
            defer { witness.end() }
            let txt = try TXTRecord([.init(key: "path", text: "/")])
            let server = try await PeerServer.start("Whole 🧀 a.b", type: type.text, port: 0, txt: txt)
            #expect(server.name.text == "Whole 🧀 a.b" && server.type == type)
            #expect(server.state == .established(server.name))
            let told = try await witness.line(within: .seconds(15)) { $0.hasPrefix("=") }
            #expect(told.contains(";\(server.port);") && told.hasSuffix(#""path=/""#), "\(told)")

            let client = try await Peer.find(type.text).connect(as: "Client")
            var sessions = server.sessions.makeAsyncIterator()
            let session = try #require(await sessions.next())
            #expect(session.peerName == "Client")
            #expect(await server.sessionCount == 1)
            try await client.send("hello")
            var messages = session.messages.makeAsyncIterator()
            #expect(await messages.next() == "hello")

            await server.close()
            #expect(server.state == .withdrawn)
            #expect(await client.state == .closed(.closedByPeer))
            #expect(await sessions.next() == nil)
            #expect(await isFree(server.port))
            _ = try await witness.line(within: .seconds(5)) { $0.hasPrefix("-") }
            await server.close()
        }

        @Test("Without further words it is what the reference server is: name, type, port and TXT record")
        func classic() async throws {
            let server = try await PeerServer.start()
            #expect(server.name.text == "alpha Service" || !Testbed.hasHosts)
            #expect(server.port == 1024 && server.type.text == "_discoverable._udp")
            let service = try await Peer.find("_discoverable._udp", named: server.name.text).service
            #expect(service.port == 1024)
            #expect(service.txt.strings == ["service=Discoverable Service", "version=1.0.0"].map { Array($0.utf8) })
            await server.close()
        }

        @Test("A name that another host holds is renamed, and the server says so", .needsHosts)
        func renamed() async throws {
            let type = try ServiceType.named("server-renamed")
            let other = try Testbed.start(on: "beta", "avahi-publish", "-s", "Same", type.text, "1")
            defer { other.end() }
            _ = try await other.errorLine(within: .seconds(15)) { $0.contains("Established") }
            let server = try await PeerServer.start("Same", type: type.text, port: 0)
            #expect(server.name.text == "Same #2")
            #expect(server.state == .established(server.name))
            await server.close()
        }

        @Test("A port that is taken is told as such, and nothing is published")
        func portTaken() async throws {
            let type = try ServiceType.named("server-taken")
            let listener = try await SessionListener.bind(port: 0)
            let error = await startError(type, port: listener.port)
            guard case .listening(let cause) = error else { throw Unexpected(error) }
            #expect(cause.code == .socket(.addressInUse))
            #expect(error?.description.contains("another port") == true && error?.isCancellation == false)
            #expect(try await names(type) == [])
            await listener.close()
        }

        @Test("What can be no name or type is refused before a port is opened")
        func badNames() async throws {
            let listener = try await SessionListener.bind(port: 0)
            for (name, type) in [("", "_x._udp"), ("x", "nonsense"), (String(repeating: "x", count: 64), "_x._udp")] {
                do throws(PeerServerError) {
                    await (try await PeerServer.start(name, type: type, port: listener.port)).close()
                    Issue.record("\"\(name)\" (\(type)) was published")
                } catch {
                    guard case .publishing(let cause) = error else { throw Unexpected(error) }
                    #expect(cause.code == .invalidName)
                }
            }
            let type = try ServiceType.named("server-control")
            guard case .publishing(let cause) = await startError(type, named: "a\nb") else { throw Unexpected(nil) }
            #expect(cause.code == .invalidName)
            await listener.close()
        }

        @Test("Without a daemon it fails in time, or is cancelled at once, and leaves neither port nor service behind")
        func noDaemon() async throws {
            let type = try ServiceType.named("server-none")
            let discovery = try Discovery()
            let port = try await freePort()
            try await Testbed.with(["daemon", "alpha", "stop"], undoneBy: ["daemon", "alpha", "start"]) {
                let timeout = Duration.milliseconds(500)
                let error = await startError(type, port: port, within: timeout, discovery: discovery)
                guard case .publishing(let cause) = error else { throw Unexpected(error) }
                #expect(cause.code == .daemonUnavailable)
                #expect(await isFree(port))
                let starting = Task { await startError(type, port: port, within: .seconds(60), discovery: discovery) }
                starting.cancel()
                #expect(await starting.value?.isCancellation == true)
                #expect(await isFree(port))
            }
            let states = Follower(discovery.states)
            _ = try await states.first(within: .seconds(15)) { $0 == .running }
            #expect(try await names(type) == [])
        }

        @Test("A start that is cancelled while it waits for the daemon closes its port again")
        func cancelled() async throws {
            let type = try ServiceType.named("server-cancelled")
            let port = try await freePort()
            try await Testbed.with(["daemon", "alpha", "stop"], undoneBy: ["daemon", "alpha", "start"]) {
                let starting = Task { await startError(type, port: port, within: .seconds(60)) }
                // It is open while the start waits: a client that knows the address is admitted.
                let address = try #require(SocketAddress.parse("127.0.0.1:\(port)"))
                let client = try await Session.connect(to: [address], configuration: .quick)
                starting.cancel()
                guard case .publishing(let cause) = await starting.value else { throw Unexpected(nil) }
                #expect(cause.code == .cancelled)
                #expect(await client.state == .closed(.closedByPeer))
                #expect(await isFree(port))
            }
        }

        @Test("One that does not wait serves who knows its address, and is seen once there is a daemon")
        func withoutWaiting() async throws {
            let type = try ServiceType.named("server-early")
            let server: PeerServer
            try await Testbed.tell("daemon", "alpha", "stop")
            do {
                let discovery = try Discovery()
                server = try await PeerServer.start(
                    "Early",
                    type: type.text,
                    port: 0,
                    visibleWithin: nil,
                    discovery: discovery
                )
                #expect(server.state == .waitingForDaemon)
                let address = try #require(SocketAddress.parse("127.0.0.1:\(server.port)"))
                let client = try await Session.connect(to: [address])
                try await client.send("early")
                await client.close()
            } catch {
                try await Testbed.tell("daemon", "alpha", "start")
                throw error
            }
            try await Testbed.tell("daemon", "alpha", "start")
            let states = Follower(server.states)
            _ = try await states.first(within: .seconds(15)) { $0 == .established(server.name) }
            await server.close()
            await states.ended()
            #expect(states.all.last == .withdrawn)
        }

        @Test("It lives while somebody iterates over its sessions, and ends with the last reference")
        func lifetime() async throws {
            let type = try ServiceType.named("server-life")
            var server: PeerServer? = try await PeerServer.start("Lives", type: type.text, port: 0)
            let port = try #require(server?.port)
            let events = Follower(try Discovery().browse(type))
            _ = try await events.first(within: .seconds(15)) { $0.shows("Lives") }
            // Nothing but the iterator holds it.
            var sessions = server?.sessions.makeAsyncIterator()
            weak let alive = server
            server = nil
            #expect(alive != nil)
            let client = try await Peer.find(type.text).connect()
            await sessions?.next()?.close()
            var ends = client.events.makeAsyncIterator()
            while let event = await ends.next(), !event.isLast {}
            #expect(await client.state == .closed(.closedByPeer))
            #expect(!events.all.contains { $0.isRemoval })
            sessions = nil
            #expect(alive == nil)
            _ = try await events.first(within: .seconds(5)) { $0.isRemoval }
            #expect(await isFree(port))
        }

        @Test("Who iterates over its states holds it too, port and all")
        func heldByItsStates() async throws {
            var server: PeerServer? = try await PeerServer.start(
                "Held",
                type: ServiceType.named("server-held").text,
                port: 0
            )
            let (port, name) = (try #require(server?.port), try #require(server?.name))
            var states = server?.states.makeAsyncIterator()
            weak let alive = server
            server = nil
            #expect(await states?.next() == .established(name))
            #expect(alive != nil)
            #expect(await isFree(port) == false)
            states = nil
            #expect(alive == nil)
        }
    }
}

/// An error of another kind than the one that was expected, or none.
private struct Unexpected: Error {
    let error: PeerServerError?
    init(_ error: PeerServerError?) { self.error = error }
}
