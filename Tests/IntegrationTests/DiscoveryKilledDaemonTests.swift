import AvahiDiscovery
import Testing

extension OutageDaemonTests {
    @Suite("The daemon is killed again and again", .needsHosts, .timeLimit(.minutes(30)))
    struct KilledDaemon {
        @Test("4, 9: a few rounds of killing the daemon with 40 resolves, 3 browses and 3 registrations in flight")
        func fewRounds() async throws { try await KillRounds(rounds: 2, resolves: 40).run() }

        @Test("4, 9: 50 rounds of killing the daemon with 200 resolves, 3 browses and 3 registrations in flight", .soak)
        func manyRounds() async throws { try await KillRounds(rounds: 50, resolves: 200).run() }
    }
}

/// Kills alpha's daemon while all kinds of requests are under way, and holds every promise against what comes after.
private struct KillRounds {
    let rounds: Int
    let resolves: Int

    private let names = ["One", "Two", "Three"]

    func run() async throws {
        let type = try ServiceType.named("killed", "_tcp")
        let ownType = try ServiceType.named("returns", "_tcp")
        let peers = try names.map { try Testbed.start(on: "beta", "avahi-publish", "-s", $0, type.text, "80") }
        defer { for peer in peers { peer.end() } }
        let discovery = try Discovery()
        var publications: [Publication] = []
        for name in names {
            let advertisement = ServiceAdvertisement(name: try ServiceName("Own " + name), type: ownType, port: 9)
            publications.append(try await discovery.publish(advertisement))
        }
        let browses = (0..<3).map { _ in Follower(discovery.browse(type)) }
        for browse in browses {
            try await browse.wait(within: .seconds(20)) { events in
                Set(events.compactMap(\.name)).count == names.count && events.contains(.settled)
            }
        }
        try await kill(discovery, type)
        let (descriptors, memory) = (try descriptorsOfDiscovery(), try residentMegabytes())
        for _ in 1..<rounds { try await kill(discovery, type) }
        let growth = (try descriptorsOfDiscovery() - descriptors, try residentMegabytes() - memory)
        print("\(rounds) rounds: \(growth.0) descriptors and \(growth.1) MB more than after the first")
        #expect(growth.0 <= 0)
        #expect(growth.1 < 20)
        // Nothing has gone and nothing has come anew, whatever happened to the daemon.
        _ = await browses[0].rest(within: .seconds(7))
        for browse in browses {
            let events = browse.all
            #expect(events.allSatisfy { !$0.isRemoval } && browse.error == nil)
            #expect(events.filter(\.isAddition).compactMap(\.name).sorted() == names.sorted())
            await browse.stop()
        }
        for (publication, name) in zip(publications, names) {
            #expect(publication.state == .established(try ServiceName("Own " + name)))
            await publication.withdraw()
        }
    }

    /// One round; each registration has been seen again from beta when it returns.
    private func kill(_ discovery: Discovery, _ type: ServiceType) async throws {
        let instances = try names.map { ServiceInstance(name: try ServiceName($0), type: type) }
        let tasks = (0..<resolves).map { number in
            Task { try await discovery.resolve(instances[number % instances.count], timeout: .seconds(60)).port }
        }
        let states = Follower(discovery.states)
        try await Testbed.tell("daemon", "alpha", "kill")
        _ = try await states.first(within: .seconds(10)) { !$0.isReachable }
        try await Testbed.tell("daemon", "alpha", "start")
        try await seesAll()
        for task in tasks { #expect(try await task.value == 80) }
        await states.stop()
    }
}

extension KillRounds {
    /// Has beta ask the link for each registration: what its daemon has in its cache is no witness.
    private func seesAll() async throws {
        let asks = [try #require(Testbed.control), "on", "beta"] + Testbed.peerScript("mdns_asks.py")
        let address = try await ipv4Address(of: "beta")
        let answer = try await ChildProcess.run(
            asks + [address, "5", "_returns._tcp.local"] + names.map { "Own " + $0 },
            within: .seconds(10)
        )
        #expect(answer.status == 0, "beta does not see all: \(answer.errors)")
    }
}
