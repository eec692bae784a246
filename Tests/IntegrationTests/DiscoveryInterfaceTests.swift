import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Testing

@testable import AvahiDiscovery

extension DiscoveryDaemonTests {
    @Suite("Interfaces by name, and domains", .needsHosts, .timeLimit(.minutes(2)))
    struct Interfaces {
        private func ip(_ words: String) async throws {
            let result = try await ChildProcess.run(
                ["ip"] + words.split(separator: " ").map(String.init),
                within: .seconds(10)
            )
            try #require(result.status == 0, "ip \(words): \(result.errors)")
        }

        /// Takes `lan1` out of the way while `body` runs: no interface has the name then.
        private func withoutLan1(_ body: () async throws -> Void) async throws {
            for words in ["link set lan1 down", "link set lan1 name away"] { try await ip(words) }
            let outcome: Result<Void, any Error>
            do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
            for words in ["link set away name lan1", "link set lan1 up"] { try await ip(words) }
            try outcome.get()
        }

        @Test("An interface that is named is waited for, and found again when it returns under another number")
        func byName() async throws {
            let type = try ServiceType.named("late", "_tcp")
            let publisher = try Testbed.start(on: "alpha", "avahi-publish", "-s", "Here", type.text, "80")
            defer { publisher.end() }
            let discovery = try Discovery()
            let everywhere = Follower(discovery.browse(type))
            _ = try await everywhere.first(within: .seconds(20)) { $0.shows("Here") }
            let former = try #require(NetworkInterface.index(of: "lan1"))
            let events = Locked<Follower<BrowseEvent<BrowsedService>>?>(nil)
            try await withoutLan1 {
                let late = Follower(discovery.browse(type, on: .interface(named: "lan1")))
                events.withLock { $0 = late }
                #expect(late.all == [], "nothing is told before it exists")
                for words in [
                    "link add lan1 type veth peer name late1", "address add 10.99.0.1/24 dev lan1", "link set late1 up",
                    "link set lan1 up",
                ] { try await ip(words) }
                let number = try #require(NetworkInterface.index(of: "lan1"))
                let event = try await late.first(within: .seconds(20)) { $0.isAddition }
                #expect(try #require(event.service).paths.map(\.interface).first == number && number != former)
                try await ip("link del lan1")
                _ = try await late.first(within: .seconds(20)) { $0.isRemoval }
            }
            let late = try #require(events.withLock { $0 })
            let event = try await late.first(within: .seconds(20)) { $0.isAddition }
            #expect(try #require(event.service).paths.map(\.interface).first == former)
            #expect(late.error == nil)
        }

        @Test("A name that no interface can have ends the browse with an error that says so")
        func impossibleName() async throws {
            let events = Follower(
                try Discovery().browse(try .named("any"), on: .interface(named: "much-too-long-a-name"))
            )
            await events.ended()
            let error = try #require(events.error as? DiscoveryError)
            #expect(error.code == .invalidArgument && error.description.contains("much-too-long-a-name"))
        }

        @Test("Domains are told by other hosts, by the daemon's configuration and by the environment")
        func domains() async throws {
            try await Testbed.with(
                ["config", "beta", "server", "domain-name", "example.test"],
                undoneBy: ["config", "beta", "server", "domain-name", ""]
            ) {
                try await Testbed.with(
                    ["config", "alpha", "server", "browse-domains", "conf.test"],
                    undoneBy: ["config", "alpha", "server", "browse-domains", ""]
                ) {
                    let discovery = try Discovery(faults: nil, browseDomains: "env.test")
                    let events = Follower(discovery.browseDomains())
                    try await events.wait(within: .seconds(15)) {
                        $0.compactMap(\.domain).contains("example.test") && $0.contains(.settled)
                    }
                    let found = events.all.compactMap { event in
                        if case .added(let found) = event { found } else { nil }
                    }
                    let configured = found.filter(\.isConfigured)
                    #expect(Set(configured.map(\.domain.text)) == ["conf.test", "env.test"])
                    #expect(configured.allSatisfy { $0.paths.isEmpty })
                    #expect(found.filter { !$0.paths.isEmpty }.map(\.domain.text) == ["example.test"])
                    let others = Follower(discovery.browseDomains(.register))
                    #expect(try await others.first(within: .seconds(20)) == .settled)
                }
            }
        }
    }
}

extension BrowseEvent<BrowsedDomain> {
    fileprivate var domain: String? {
        switch self {
        case .added(let found), .updated(let found), .removed(let found): found.domain.text
        case .settled: nil
        }
    }
}
