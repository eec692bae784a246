import DiscoverableRuntime
import Testing

@testable import AvahiDiscovery

extension KnowledgeDaemonTests {
    @Suite("Looking up", .needsTestbed, .timeLimit(.minutes(2)))
    struct LookingUp {
        @Test("2, 3: a host's name has every address of its links, link-local ones with their interface", .needsHosts)
        func hostAddresses() async throws {
            let discovery = try Discovery()
            let expected = try await addresses(of: "beta")
            let once = try await discovery.lookUpAddresses(of: DNSName("beta.local"))
            #expect(Set(once.map(\.hostText)) == expected)
            for name in ["lan0", "lan1"] {
                let link = try Link(name)
                let onLink = once.filter { $0.interfaces == [link.index] }
                let expected = try await link.addresses(of: "beta")
                #expect(Set(onLink.map(\.hostText)) == expected)
            }
        }

        @Test("3: an address that a host gains or loses is told, and nothing else", .needsHosts)
        func addressesComeAndGo() async throws {
            let events = Follower(try Discovery().addresses(of: DNSName("beta.local")))
            _ = try await events.first(within: .seconds(10)) { $0 == .settled }
            let count = events.all.count
            try await Testbed.with(
                ["on", "beta", "ip", "address", "add", "10.99.0.2/24", "dev", "lan0"],
                undoneBy: ["on", "beta", "ip", "address", "del", "10.99.0.2/24", "dev", "lan0"]
            ) {
                let event = try await events.first(within: .seconds(10))
                guard case .added(let address) = event else { return #expect(Bool(false), "\(event)") }
                #expect(address.hostText == "10.99.0.2")
            }
            let event = try await events.first(within: .seconds(15)) { if case .removed = $0 { true } else { false } }
            guard case .removed(let address) = event else { return }
            #expect(address.hostText == "10.99.0.2")
            #expect(events.all.dropFirst(count).filter { if case .updated = $0 { false } else { true } }.count == 2)
        }

        @Test("Each address of a host leads back to its name", .needsHosts)
        func hostNames() async throws {
            let discovery = try Discovery()
            for address in try await discovery.lookUpAddresses(of: DNSName("beta.local")) {
                let scope = address.identity.scope.map(DiscoveryScope.interface) ?? .everywhere
                let name = try await discovery.lookUpHostName(of: address.ip, on: scope)
                #expect(name.text == "beta.local")
            }
        }

        @Test("Records of every kind are found with their data")
        func records() async throws {
            let type = try ServiceType.named("records", "_tcp")
            let publisher = try Testbed.start(on: Testbed.peer, "avahi-publish", "-s", "a.b é", type.text, "80", "k=v")
            defer { publisher.end() }
            let discovery = try Discovery()
            let instance = try ServiceInstance(name: ServiceName("a.b é"), type: type)
            let name = try DNSName(instance)
            let pointers = try await discovery.lookUpRecords(RecordQuestion(DNSName("\(type.text).local"), .ptr))
            #expect(pointers.map(\.record.data) == [.ptr(name)])
            #expect(pointers[0].paths.count == expectedPaths)
            let host = try DNSName("\(Testbed.peer).local")
            let locations = try await discovery.lookUpRecords(RecordQuestion(name, .srv))
            #expect(
                locations.map(\.record) == [
                    DNSRecord(name: name, data: .srv(RecordData.ServiceLocation(port: 80, target: host)))
                ]
            )
            let texts = try await discovery.lookUpRecords(RecordQuestion(name, .txt))
            #expect(texts.map(\.record.data) == [.txt(try TXTRecord([TXTRecord.Entry(key: "k", text: "v")]))])
        }

        @Test("HINFO is told where a host publishes it, and a record that nobody has is not found in the caller's time")
        func hostInformation() async throws {
            try await Testbed.with(
                ["config", Testbed.peer, "publish", "publish-hinfo", "yes"],
                undoneBy: ["config", Testbed.peer, "publish", "publish-hinfo", "no"]
            ) {
                let discovery = try Discovery()
                let question = RecordQuestion(try DNSName("\(Testbed.peer).local"), .hinfo)
                let found = try await discovery.lookUpRecords(question, timeout: .seconds(10))
                guard case .hinfo(let info)? = found.first?.record.data else { return #expect(Bool(false), "\(found)") }
                #expect(String(decoding: info.system, as: UTF8.self) == "LINUX")
            }
            let error = await #expect(throws: DiscoveryError.self) {
                try await Discovery().lookUpRecords(
                    RecordQuestion(DNSName("nobody.local"), .srv),
                    timeout: .milliseconds(1200)
                )
            }
            #expect(error?.code == .notFound)
        }

        @Test("A look-up's time-out holds while the daemon hangs, and it is answered when the daemon goes on")
        func hangingDaemon() async throws {
            let discovery = try Discovery()
            let host = try DNSName("\(Testbed.peer).local")
            _ = try await discovery.lookUpAddresses(of: host)
            let waiting = Task { try await discovery.lookUpHostName(of: .v4(IPv4Address("127.0.0.1")!)) }
            waiting.cancel()
            try await Testbed.with(["daemon", "alpha", "pause"], undoneBy: ["daemon", "alpha", "resume"]) {
                let start = MonotonicClock.now
                let error = await #expect(throws: DiscoveryError.self) {
                    try await discovery.lookUpAddresses(of: host, timeout: .milliseconds(700))
                }
                #expect(error?.code == .daemonNotResponding)
                #expect(start.duration(to: MonotonicClock.now) < .seconds(2))
            }
            let found = try await discovery.lookUpAddresses(of: host, timeout: .seconds(40))
            #expect(!found.isEmpty)
        }

        @Test("Equal questions of several consumers cost one object of the daemon")
        func shared() async throws {
            try await Testbed.with(
                ["config", "alpha", "server", "objects-per-client-max", "2"],
                undoneBy: ["config", "alpha", "server", "objects-per-client-max", "1024"]
            ) {
                let discovery = try Discovery()
                let host = try DNSName("\(Testbed.peer).local")
                let followers = (0..<5).map { _ in Follower(discovery.addresses(of: host)) }
                for follower in followers { _ = try await follower.first(within: .seconds(10)) { $0 == .settled } }
                #expect(followers.allSatisfy { Set($0.all) == Set(followers[0].all) && $0.error == nil })
                let other = Follower(discovery.records(RecordQuestion(host, .hinfo)))
                await other.ended()
                #expect((other.error as? DiscoveryError)?.code == .tooManyObjects)
                for follower in followers { await follower.stop() }
                let again = Follower(discovery.records(RecordQuestion(host, .hinfo)))
                _ = try await again.first(within: .seconds(10)) { $0 == .settled }
            }
        }

        @Test(
            "Records are followed over a restart of the daemon: nothing is told twice, and what is new is told",
            .needsHosts
        )
        func restart() async throws {
            let discovery = try Discovery()
            let events = Follower(discovery.addresses(of: try DNSName("beta.local")))
            _ = try await events.first(within: .seconds(10)) { $0 == .settled }
            _ = await events.rest(within: .milliseconds(200))
            let states = Follower(discovery.states)
            try await Testbed.tell("daemon", "alpha", "restart")
            _ = try await states.first(within: .seconds(15)) { $0 != .running }
            _ = try await states.first(within: .seconds(15)) { $0 == .running }
            // Longer than the review of what nobody confirmed.
            #expect(await events.rest(within: .seconds(8)) == [])
        }
    }
}
