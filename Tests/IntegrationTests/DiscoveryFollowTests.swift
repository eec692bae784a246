import Discoverable
import DiscoverableRuntime
import Testing

extension BrowseEvent<FollowedService> {
    /// The service that is there by this event; nil for one that is gone.
    var present: FollowedService? {
        switch self {
        case .added(let service), .updated(let service): service
        case .removed, .settled: nil
        }
    }

    var isRemoval: Bool { if case .removed = self { true } else { false } }
}

extension KnowledgeDaemonTests {
    @Suite("Following services", .needsTestbed, .timeLimit(.minutes(3)))
    struct FollowingServices {
        /// A peer whose service changes as it is told on its standard input.
        private func changingPeer(_ name: String, _ type: ServiceType, _ txt: String...) async throws -> ChildProcess {
            let address = try await ipv4Address(of: "beta")
            let program = try #require(Testbed.control)
            let peer = try ChildProcess(
                [program, "on", "beta"] + Testbed.peerScript("zeroconf_changes.py") + [name, type.text, "80"] + txt
                    + ["--host", "changing-\(type.text.dropFirst().prefix { $0 != "." })"]
                    + ["--interface-address", address, "--address", address],
                input: .open
            )
            _ = try await peer.line(within: .seconds(15)) { $0.contains("published") }
            return peer
        }

        @Test("18: TXT, port and address are followed as they change; nothing is lost meanwhile", .needsHosts)
        func changes() async throws {
            let type = try ServiceType.named("changes", "_tcp")
            let peer = try await changingPeer("Changing", type, "v=1")
            let instance = try ServiceInstance(name: ServiceName("Changing"), type: type)
            let discovery = try Discovery()
            let states = Follower(discovery.follow(instance))
            let events = Follower(discovery.services(of: type))
            _ = try await states.first(within: .seconds(10)) {
                $0.service?.txt["v"]?.text == "1" && $0.service?.port == 80
            }
            _ = try await events.first(within: .seconds(10)) { $0.present?.service?.port == 80 }

            let start = MonotonicClock.now
            peer.write("txt v=2 w")
            _ = try await states.first(within: .seconds(10)) { $0.service?.txt["v"]?.text == "2" }
            // At once, and not when the old record has been flushed a second later.
            #expect(start.duration(to: MonotonicClock.now) < .milliseconds(900))
            _ = try await events.first(within: .seconds(10)) { $0.present?.service?.txt["w"] != nil }
            peer.write("port 81")
            _ = try await states.first(within: .seconds(10)) { $0.service?.port == 81 }
            _ = try await events.first(within: .seconds(10)) { $0.present?.service?.addresses.first?.port == 81 }
            peer.write("address 10.77.0.1 10.77.0.2")
            let both = try await states.first(within: .seconds(10)) { ($0.service?.addresses.count ?? 0) == 2 }
            #expect(both.service?.addresses.map(\.hostText) == ["10.77.0.1", "10.77.0.2"])

            let seen = try #require(states.all.firstIndex { $0.service != nil })
            #expect(states.all[seen...].allSatisfy { $0.service != nil && $0.means == .records })
            #expect(!events.all.contains { $0.isRemoval })
            peer.endInput()
            _ = try await states.first(within: .seconds(10)) { $0.service == nil }
            _ = try await events.first(within: .seconds(10)) { $0.isRemoval }
        }

        @Test("1: strings stand in the order of the wire, and the first of equal keys counts", .needsHosts)
        func order() async throws {
            let type = try ServiceType.named("order", "_tcp")
            let peer = try await changingPeer("Order", type, "a=1", "A=2", "b")
            defer { peer.endInput() }
            let instance = try ServiceInstance(name: ServiceName("Order"), type: type)
            let discovery = try Discovery()
            let followed = try await Follower(discovery.follow(instance)).first(within: .seconds(10)) {
                $0.service != nil
            }
            let resolved = try await discovery.resolve(instance)
            for txt in [try #require(followed.service).txt, resolved.txt] {
                #expect(txt.strings == ["a=1", "A=2", "b"].map { Array($0.utf8) })
                #expect(txt["a"]?.text == "1")
                #expect(txt.entries.map(\.key) == ["a", "b"])
            }
        }

        @Test("26: every form of a TXT string that a peer can send is read as RFC 6763 says", .needsHosts)
        func forms() async throws {
            let type = try ServiceType.named("forms", "_tcp")
            let texts = ["key", "empty=", "=x", "KEY=late", "b=\u{0}", "ключ=1", "two=a=b"]
            var strings = texts.map { Array($0.utf8) }
            strings[4].append(0xff)
            var rdata: [UInt8] = []
            for string in strings { rdata += [UInt8(string.count)] + string }
            rdata.append(0)
            let address = try await ipv4Address(of: "beta")
            func start(_ name: String, _ rdata: [UInt8]) async throws -> ChildProcess {
                let hex = rdata.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                let peer = try Testbed.start(
                    on: "beta",
                    Testbed.peerScript("zeroconf_publish.py")
                        + [name, type.text, "80", "--raw-txt", hex, "--interface-address", address]
                )
                _ = try await peer.line(within: .seconds(15)) { $0.contains("published") }
                return peer
            }
            let peers = [try await start("Forms", rdata), try await start("Empty", [0])]
            defer { for peer in peers { peer.end() } }
            let events = Follower(try Discovery().services(of: type))
            let empty = try await events.first(within: .seconds(10)) { $0.present?.instance.name.text == "Empty" }
            #expect(empty.present?.service?.txt == .empty)
            let all = events.all + (await events.rest(within: .milliseconds(100)))
            let txt = try #require(all.compactMap(\.present).first { $0.instance.name.text == "Forms" }?.service?.txt)
            #expect(txt.strings == strings)
            #expect(txt.entries.map(\.key) == ["key", "empty", "b", "two"])
            #expect(txt["KEY"]?.value == nil)
            #expect(txt["empty"]?.value == [])
            #expect(txt["b"]?.value == [0, 0xff])
            #expect(txt["b"]?.text == nil)
            #expect(txt["two"]?.text == "a=b")
        }

        @Test(
            "3, 35: every address of the host stands under its own interface; one that goes takes only itself",
            .needsHosts
        )
        func interfaces() async throws {
            let type = try ServiceType.named("interfaces", "_tcp")
            let publisher = try Testbed.start(on: "beta", "avahi-publish", "-s", "Both", type.text, "80")
            defer { publisher.end() }
            let discovery = try Discovery()
            let states = Follower(discovery.follow(try ServiceInstance(name: ServiceName("Both"), type: type)))
            let expected = try await addresses(of: "beta")
            let whole = try await states.first(within: .seconds(10)) {
                Set($0.service?.addresses.map(\.hostText) ?? []) == expected
            }
            let service = try #require(whole.service)
            let browser = Follower(discovery.browse(type))
            let browsed = try await browser.first(within: .seconds(10)) { $0.shows("Both", paths: 4) }
            let resolved = try await discovery.resolve(try #require(browsed.service))
            for name in ["lan0", "lan1"] {
                let link = try Link(name)
                let onLink = try await link.addresses(of: "beta")
                #expect(!onLink.isEmpty)
                #expect(Set(service.addresses(on: link.index).map(\.hostText)) == onLink)
                #expect(Set(resolved.addresses(on: link.index).map(\.hostText)) == onLink)
            }
            try await Testbed.with(
                ["on", "beta", "ip", "address", "add", "10.98.0.2/24", "dev", "lan1"],
                undoneBy: ["on", "beta", "ip", "address", "del", "10.98.0.2/24", "dev", "lan1"]
            ) {
                _ = try await states.first(within: .seconds(10)) {
                    $0.service?.addresses.contains { $0.hostText == "10.98.0.2" } ?? false
                }
            }
            _ = try await states.first(within: .seconds(15)) {
                Set($0.service?.addresses.map(\.hostText) ?? []) == expected
            }
            let seen = try #require(states.all.firstIndex { $0.service != nil })
            #expect(states.all[seen...].allSatisfy { $0.service != nil })
        }

        @Test("2: each address that is told can be connected to, the link-local one through its interface", .needsHosts)
        func connecting() async throws {
            let type = try ServiceType.named("connecting", "_tcp")
            let server = """
                import socket, sys
                s = socket.create_server(("::", 4242), family=socket.AF_INET6, dualstack_ipv6=True)
                print("listening", flush=True)
                while True: s.accept()[0].close()
                """
            let listener = try Testbed.start(on: "beta", "/usr/bin/python3", "-c", server)
            defer { listener.end() }
            _ = try await listener.line(within: .seconds(10)) { $0 == "listening" }
            let publisher = try Testbed.start(on: "beta", "avahi-publish", "-s", "Real", type.text, "4242")
            defer { publisher.end() }
            let states = Follower(try Discovery().follow(try ServiceInstance(name: ServiceName("Real"), type: type)))
            let expected = try await addresses(of: "beta")
            let state = try await states.first(within: .seconds(10)) { $0.service?.addresses.count == expected.count }
            for address in try #require(state.service).addresses {
                let connect = "import socket, sys; socket.create_connection((sys.argv[1], 4242), 5)"
                let command = ["/usr/bin/python3", "-c", connect, address.hostText]
                let result = try await ChildProcess.run(command, within: .seconds(10))
                #expect(result.status == 0, "\(address.hostText): \(result.errors)")
            }
        }

        @Test("A followed service goes on over restarts of the daemon, and nothing false is told", .needsHosts)
        func restart() async throws {
            let type = try ServiceType.named("live-restart", "_tcp")
            let publisher = try Testbed.start(on: "beta", "avahi-publish", "-s", "Stays", type.text, "80", "k=v")
            defer { publisher.end() }
            let discovery = try Discovery()
            let events = Follower(discovery.services(of: type))
            let expected = try await addresses(of: "beta").count
            _ = try await events.first(within: .seconds(15)) {
                $0.present?.service?.addresses.count == expected && $0.present?.paths.count == 4
            }
            _ = await events.rest(within: .seconds(1))
            let states = Follower(discovery.states)
            for verb in ["restart", "kill", "start"] { try await Testbed.tell("daemon", "alpha", verb) }
            _ = try await states.first(within: .seconds(15)) { !$0.isReachable && $0 != .idle }
            _ = try await states.first(within: .seconds(15)) { $0 == .running }
            #expect(await events.rest(within: .seconds(8)) == [])
            let second = try Testbed.start(on: "beta", "avahi-publish", "-s", "New", type.text, "81")
            defer { second.end() }
            let added = try await events.first(within: .seconds(10)) { $0.present?.instance.name.text == "New" }
            #expect(added.present?.service?.port == 81)
        }

        @Test(
            "Settled comes when all that were listed at first are known, and a dead one does not hold it up",
            .needsHosts
        )
        func settlement() async throws {
            let type = try ServiceType.named("live-settled", "_tcp")
            let publishers = try (0..<3).map {
                try Testbed.start(on: "beta", "avahi-publish", "-s", "S\($0)", type.text, "8\($0)")
            }
            defer { for publisher in publishers { publisher.end() } }
            let discovery = try Discovery()
            let browse = Follower(discovery.browse(type))
            try await browse.wait(within: .seconds(15)) { Set($0.compactMap(\.name)).count == 3 }
            let events = Follower(discovery.services(of: type))
            _ = try await events.first(within: .seconds(15)) { $0 == .settled }
            #expect(Set(events.all.compactMap { $0.present?.instance.name.text }) == ["S0", "S1", "S2"])
            let nobody = Follower(discovery.follow(try ServiceInstance(name: ServiceName("Nobody"), type: type)))
            let state = try await nobody.first(within: .seconds(10)) { $0.isSettled }
            #expect(state.service == nil)
        }
    }
}
