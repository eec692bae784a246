import Discoverable
import DiscoverableRuntime
import Testing

extension DiscoveryDaemonTests {
    @Suite("Browsing", .needsTestbed, .timeLimit(.minutes(2)))
    struct Browsing {
        @Test(
            "What avahi-publish tells is found under its exact name, on every path, with everything it says",
            arguments: [
                "Käse 🧀 a.b", #"dots.and\back\\slashes"#, #"\046"#, ".", String(repeating: "é", count: 31) + "x", "_x",
            ]
        )
        func foreignPublisher(name: String) async throws {
            let type = try ServiceType.named("foreign", "_tcp")
            let publisher = try Testbed.start(
                on: Testbed.peer,
                "avahi-publish",
                "-s",
                name,
                type.text,
                "8080",
                "path=/",
                "b",
                "path=second",
                "e="
            )
            let discovery = try Discovery()
            let events = Follower(discovery.browse(type))
            let event = try await events.first(within: .seconds(15)) { $0.shows(name, paths: expectedPaths) }
            let service = try #require(event.service)
            let resolved = try await discovery.resolve(service, timeout: .seconds(10))
            #expect(resolved.port == 8080)
            #expect(resolved.host == "\(Testbed.peer).local")
            #expect(resolved.txt.strings == ["path=/", "b", "path=second", "e="].map { Array($0.utf8) })
            #expect(resolved.txt["PATH"]?.text == "/")
            #expect(resolved.txt["b"] == TXTRecord.Entry(key: "b", value: nil))
            #expect(resolved.txt["e"]?.value == [])
            publisher.end()
            _ = try await events.first(within: .seconds(10)) { $0.isRemoval && $0.name == name }
        }

        @Test("Every address of the peer is resolved, the link-local one with its interface", .needsHosts)
        func everyAddress() async throws {
            let type = try ServiceType.named("addresses", "_tcp")
            let publisher = try Testbed.start(on: "beta", "avahi-publish", "-s", "All", type.text, "80")
            defer { publisher.end() }
            let expected = try await addresses(of: "beta")
            let discovery = try Discovery()
            let events = Follower(discovery.browse(type))
            let event = try await events.first(within: .seconds(15)) { $0.shows("All", paths: 4) }
            let resolved = try await discovery.resolve(try #require(event.service))
            #expect(Set(resolved.addresses.map(\.hostText)) == expected)
            #expect(resolved.addresses.allSatisfy { $0.port == 80 })
            // Known by its name only, it is found with the same addresses.
            let byName = try await discovery.resolve(resolved.instance)
            #expect(Set(byName.addresses) == Set(resolved.addresses))
        }

        @Test("What python-zeroconf tells is found with the same bytes in the same order", .needsHosts)
        func zeroconfPublisher() async throws {
            let type = try ServiceType.named("zeroconf", "_tcp")
            let script = Testbed.peerScript("zeroconf_publish.py")
            let publisher = try Testbed.start(
                on: "beta",
                script + [
                    "Python a.b 🐍", type.text, "4711", "z=1", "key", "a=ü=", "--interface-address",
                    try await ipv4Address(of: "beta"),
                ]
            )
            defer { publisher.end() }
            _ = try await publisher.line(within: .seconds(15)) { $0.contains("published") }
            let discovery = try Discovery()
            let events = Follower(discovery.browse(type))
            let event = try await events.first(within: .seconds(15)) { $0.shows("Python a.b 🐍") }
            let resolved = try await discovery.resolve(try #require(event.service))
            #expect(resolved.port == 4711)
            #expect(resolved.txt.strings == ["z=1", "key", "a=ü="].map { Array($0.utf8) })
        }

        @Test("Service types are told once each, however many instances and paths there are")
        func types() async throws {
            let type = try ServiceType.named("alltypes", "_tcp")
            let publishers = try ["One", "Two"].map { name in
                try Testbed.start(on: Testbed.peer, "avahi-publish", "-s", name, type.text, "80")
            }
            defer { for publisher in publishers { publisher.end() } }
            let events = Follower(try Discovery().browseTypes())
            let settled = try await events.first(within: .seconds(15)) { event in
                if case .added(let found) = event { found.type == type } else { false }
            }
            #expect(settled != .settled)
            let additions = events.all.filter { if case .added(let found) = $0 { found.type == type } else { false } }
            #expect(additions.count == 1)
        }

        @Test("A browse that is cancelled or dropped frees its object in the daemon, round after round")
        func cancelledBrowseIsFreed() async throws {
            try await Testbed.with(
                ["config", "alpha", "server", "objects-per-client-max", "2"],
                undoneBy: ["config", "alpha", "server", "objects-per-client-max", "1024"]
            ) {
                let discovery = try Discovery()
                let type = try ServiceType.named("freed")
                for round in 0..<8 {
                    let events = Follower(discovery.browse(type))
                    _ = try await events.first(within: .seconds(10)) { $0 == .settled }
                    await events.stop()
                    #expect(events.error == nil, "round \(round)")
                }
            }
        }

        @Test("A browse beyond the daemon's quota ends with an error that names the setting; who shares needs no room")
        func quota() async throws {
            try await Testbed.with(
                ["config", "alpha", "server", "objects-per-client-max", "1"],
                undoneBy: ["config", "alpha", "server", "objects-per-client-max", "1024"]
            ) {
                let discovery = try Discovery()
                let first = Follower(discovery.browse(try .named("quota-a")))
                _ = try await first.first(within: .seconds(10)) { $0 == .settled }
                // Who asks the same shares the one object, and has a story of its own.
                let sharing = Follower(discovery.browse(try .named("quota-a")))
                #expect(try await sharing.first(within: .seconds(10)) == .settled)
                let second = Follower(discovery.browse(try .named("quota-b")))
                await second.ended()
                let error = try #require(second.error as? DiscoveryError)
                #expect(error.code == .tooManyObjects)
                #expect(error.failureClass == .freeResources)
                #expect(error.description.contains("objects-per-client-max"))
                await first.stop()
                await sharing.stop()
                let third = Follower(discovery.browse(try .named("quota-c")))
                _ = try await third.first(within: .seconds(10)) { $0 == .settled }
            }
        }
    }
}
