import AvahiDiscovery
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Testing

extension DiscoveryDaemonTests {
    @Suite("Finding", .needsHosts, .timeLimit(.minutes(2)))
    struct Finding {
        @Test(
            "8, 30: one consumer sleeps through 5,000 events: others hear at once and in pairs, and it then finds the truth"
        )
        func sleeper() async throws {
            let (type, calmType) = try (ServiceType.named("storm", "_tcp"), ServiceType.named("calm", "_tcp"))
            let (count, kept) = (2_500, 10)
            let discovery = try Discovery()
            var asleep = discovery.browse(type).makeAsyncIterator()
            let (awake, calm) = (Follower(discovery.browse(type)), Follower(discovery.browse(calmType)))
            for events in [awake, calm] { _ = try await events.first(within: .seconds(10)) { $0 == .settled } }

            let storm = try Testbed.start(
                on: "beta",
                Testbed.peerScript("mdns_storm.py")
                    + [try await ipv4Address(of: "beta"), type.text, calmType.text, "\(count)", "\(kept)"]
            )
            let removals = Locked(0)
            _ = try await awake.first(within: .seconds(30)) { event in
                removals.withLock { removals in
                    if event.isRemoval { removals += 1 }
                    return removals == count - kept
                }
            }
            _ = try await calm.first(within: .milliseconds(100)) { $0.shows("Calm") }
            #expect(try await storm.waitForEnd() == 0)

            let (added, removed) = (awake.all.filter(\.isAddition), awake.all.filter(\.isRemoval))
            let names = Set((0..<count).map { "Storm \($0)" })
            #expect(Set(added.compactMap(\.name)) == names && added.count == count, "each is added once")
            let staying = Set((0..<kept).map { "Storm \($0)" })
            #expect(Set(removed.compactMap(\.name)) == names.subtracting(staying) && removed.count == count - kept)

            var told: [BrowseEvent<BrowsedService>] = []
            while told.count < kept + 1, let event = try await asleep.next() { told.append(event) }
            #expect(told.first == .settled)
            #expect(Set(told.compactMap { $0.isAddition ? $0.name : nil }) == staying)
        }

        @Test(
            "17: a service on two links with two families is added once; a link lost is an update, the last a removal"
        )
        func pathsComeAndGo() async throws {
            let type = try ServiceType.named("paths", "_tcp")
            let publisher = try Testbed.start(on: "beta", "avahi-publish", "-s", "Linked", type.text, "80")
            defer { publisher.end() }
            let events = Follower(try Discovery().browse(type))
            _ = try await events.first(within: .seconds(15)) { $0.shows("Linked", paths: 4) }
            #expect(events.all.filter(\.isAddition).count == 1 && !events.all.contains(where: \.isRemoval))
            try await Testbed.with(["link", "alpha", "lan1", "down"], undoneBy: ["link", "alpha", "lan1", "up"]) {
                let event = try await events.first(within: .seconds(10)) { $0.service?.paths.count == 2 }
                #expect(!event.isRemoval && !event.isAddition)
                try await Testbed.with(["link", "alpha", "lan0", "down"], undoneBy: ["link", "alpha", "lan0", "up"]) {
                    _ = try await events.first(within: .seconds(10)) { $0.isRemoval }
                }
                _ = try await events.first(within: .seconds(15)) { $0.isAddition }
            }
            _ = try await events.first(within: .seconds(15)) { $0.shows("Linked", paths: 4) }
        }

        @Test("32: what is told on the loopback interface is seen there, as local and as our own, and by no other host")
        func loopback() async throws {
            let type = try ServiceType.named("loopback", "_tcp")
            let discovery = try Discovery()
            let loopback = InterfaceIndex(rawValue: 1)
            let publication = try await discovery.publish(
                ServiceAdvertisement(name: ServiceName("Here"), type: type, port: 80, scope: .loopback)
            )
            let events = Follower(discovery.browse(type, on: .loopback))
            let event = try await events.first(within: .seconds(10)) { $0.shows("Here") }
            let service = try #require(event.service)
            #expect(service.paths.map(\.interface) == [loopback] && service.isLocal && service.isOwn)
            let others = Follower(try Discovery().browse(type))
            let seen = try #require(try await others.first(within: .seconds(10)) { $0.shows("Here") }.service)
            #expect(seen.isLocal && !seen.isOwn, "another process published it")
            let elsewhere = Follower(discovery.browse(type, on: .interface(named: "lan0")))
            #expect(try await elsewhere.first(within: .seconds(10)) == .settled)
            let beta = try await ChildProcess.run(
                [try #require(Testbed.control), "on", "beta", "avahi-browse", "-pt", type.text],
                within: .seconds(15)
            )
            #expect(beta.status == 0 && !beta.output.contains("Here"))
            await publication.withdraw()
        }

        @Test(
            "35: on one interface and with one family a service is seen on that path alone, and cached for who asks later"
        )
        func oneInterface() async throws {
            let type = try ServiceType.named("one", "_tcp")
            let publisher = try Testbed.start(on: "beta", "avahi-publish", "-s", "Both", type.text, "80")
            defer { publisher.end() }
            let everywhere = Follower(try Discovery().browse(type))
            let event = try await everywhere.first(within: .seconds(15)) { $0.shows("Both", paths: 4) }
            let paths = try #require(event.service).paths
            let discovery = try Discovery()
            for path in paths {
                let scope = DiscoveryScope(interface: .index(path.interface), family: path.family)
                let events = Follower(discovery.browse(type, on: scope))
                _ = try await events.first(within: .seconds(10)) { $0 == .settled }
                let found = events.all.compactMap(\.service)
                #expect(found.map(\.paths) == [[path]])
                #expect(found.first?.sightings.flags(on: path) == .cached)
            }
        }

        @Test("A subtype finds those who have it, under their type and name")
        func subtype() async throws {
            let type = try ServiceType.named("sub", "_tcp")
            let subtype = try ServiceSubtype("_color")
            let full = subtype.fullText(of: type)
            let publishers = [
                try Testbed.start(on: "beta", "avahi-publish", "-s", "Color", type.text, "80", "--subtype=\(full)"),
                try Testbed.start(on: "beta", "avahi-publish", "-s", "Grey", type.text, "81"),
            ]
            defer { for publisher in publishers { publisher.end() } }
            let discovery = try Discovery()
            let all = Follower(discovery.browse(type))
            _ = try await all.first(within: .seconds(15)) { $0.shows("Grey") }
            let events = Follower(discovery.browse(type, subtype: subtype))
            let event = try await events.first(within: .seconds(15)) { $0.shows("Color") }
            let service = try #require(event.service)
            #expect(service.instance.type == type)
            #expect(try await discovery.resolve(service).port == 80)
            #expect(!events.all.contains { $0.name == "Grey" })
        }
    }
}
