import AvahiDiscovery
import DiscoverableRuntime
import Foundation
import Testing

extension OutageDaemonTests {
    @Suite("Publications come back", .needsHosts, .timeLimit(.minutes(3)))
    struct Republishing {
        private static let isSoak = ProcessInfo.processInfo.environment["DISCOVERABLE_SOAK"] == "1"

        private let discovery: Discovery

        init() throws {
            discovery = try Discovery()
        }

        private func service(_ name: String, _ type: ServiceType, _ txt: String) throws -> ServiceAdvertisement {
            ServiceAdvertisement(
                name: try ServiceName(name),
                type: type,
                port: 4242,
                txt: try TXTRecord(strings: [Array(txt.utf8)])
            )
        }

        private func isEstablished(_ state: PublicationState) -> Bool {
            if case .established = state { true } else { false }
        }

        private func interrupt(_ how: [[String]]) async throws {
            for words in how {
                let result = try await ChildProcess.run([try #require(Testbed.control)] + words, within: .seconds(60))
                #expect(result.status == 0, "\(words): \(result.errors)")
            }
        }

        @Test(
            "9: registrations return under their last names with their last TXT, however the daemon ended",
            arguments: [
                [["daemon", "alpha", "restart"]],
                [["daemon", "alpha", "kill"], ["daemon", "alpha", "start"]],
                [["bus", "alpha", "kill"], ["bus", "alpha", "start"]],
            ]
        )
        func comesBack(interruption: [[String]]) async throws {
            // A type of its own for each case: what one leaves in the caches is nothing to the next.
            let type = try ServiceType.named("back-\(interruption[0][0])-\(interruption[0][2])", "_tcp")
            let rival = try Testbed.start(on: "beta", "avahi-publish", "-s", "Back", type.text, "80")
            defer { rival.end() }
            _ = try await rival.errorLine(within: .seconds(15)) { $0.contains("Established") }
            let events = Follower(discovery.browse(type))
            _ = try await events.first(within: .seconds(15)) { $0.shows("Back") }
            _ = await events.rest(within: .seconds(2))
            let first = try await discovery.publish(service("Back", type, "v=1"))
            let others = try await [1, 2].concurrentlyMapped { [discovery] number in
                try await discovery.publish(service("Other \(number)", type, "n=\(number)"))
            }
            let name = first.name
            #expect(name.text == "Back #2")
            let states = Follower(first.states)
            _ = try await states.first(within: .seconds(5)) { $0 == .established(name) }
            // Not told yet when the daemon ends: two within a second.
            for version in 2...3 { try first.update(txt: TXTRecord(strings: [Array("v=\(version)".utf8)])) }

            let followers = ([first] + others).map { Follower($0.states) }
            for follower in followers { _ = try await follower.first(within: .seconds(5), where: isEstablished) }
            try await interrupt(interruption)
            let start = MonotonicClock.now
            for follower in followers {
                _ = try await follower.first(within: .seconds(10)) { !isEstablished($0) }
                _ = try await follower.first(within: .seconds(10), where: isEstablished)
            }
            #expect(try await firstSeen(name.text, type).strings == ["v=3"])
            #expect(try await firstSeen("Other 2", type).strings == ["n=2"])
            #expect(start.duration(to: MonotonicClock.now) < .seconds(8), "to the sighting on another host")
            #expect(first.name == name)
            #expect(states.all.contains(.waitingForDaemon) && states.all.contains(.republishing(name)), "\(states.all)")
            for publication in [first] + others { await publication.withdraw() }
        }

        @Test("14: an interface that goes while the name is being claimed holds nothing up for ever")
        func interfaceGoesWhileProbing() async throws {
            let type = try ServiceType.named("probing", "_tcp")
            var wentInTime = false
            // Probing takes 750 ms; a busy machine may need another go.
            for number in 1...5 where !wentInTime {
                let advertisement = Advertisement([try service("Probing \(number)", type, "v=1")])
                let publication = try discovery.beginPublishing(advertisement)
                let states = Follower(publication.states)
                _ = try await states.first(within: .seconds(5)) { $0 == .registering(publication.name) }
                try await Testbed.tell("link", "alpha", "lan1", "down")
                wentInTime = !states.all.contains(where: isEstablished)
                try await Testbed.tell("link", "alpha", "lan1", "up")
                _ = try await states.first(within: .seconds(15)) { $0 == .established(publication.name) }
                #expect(try await firstSeen("Probing \(number)", type).strings == ["v=1"])
                await publication.withdraw()
            }
            #expect(wentInTime, "the interface never went while the name was being claimed")
        }

        @Test("21: when the host gets another name, what it publishes leads to that one; aliases too")
        func hostRenamed() async throws {
            let type = try ServiceType.named("moved", "_tcp")
            let alias = AliasAdvertisement(name: try DNSName("moved.local"))
            let publication = try await discovery.publish(
                Advertisement([service("Moved", type, "v=1")], aliases: [alias])
            )
            let states = Follower(publication.states)
            _ = try await states.first(within: .seconds(5)) { $0 == .established(publication.name) }
            let host = discovery.localHost
            let hostStates = Follower(host.states)
            #expect(try await host.identity().fullName == DNSName("alpha.local"))
            do {
                // Another host has that name, so that the daemon has to choose.
                let identity = try await host.setName("beta")
                #expect(identity.name == "beta-2")
                #expect(identity.domain == .local)
                _ = try await states.first(within: .seconds(10)) { $0 == .established(publication.name) }
                let seen = try await firstSeen("Moved", type)
                #expect(seen.host == "beta-2.local.")
                #expect(try await addresses(of: "alpha").contains { seen.addresses.contains($0) }, "\(seen.addresses)")
                let resolved = try Testbed.start(on: "beta", "avahi-resolve", "-4n", "moved.local")
                let line = try await resolved.finished().output
                #expect(try await addresses(of: "alpha").contains(line.lastWord), "\(line)")
            }
            #expect(try await host.setName("alpha").name == "alpha")
            #expect(try await host.setName("alpha").name == "alpha", "it has that name already")
            _ = try await hostStates.first(within: .seconds(10)) { $0.identity?.name == "alpha" }
            #expect(
                hostStates.all.contains { if case .established(let host) = $0 { host.name == "beta-2" } else { false } }
            )
            await publication.withdraw()
        }

        @Test(
            "9: a daemon that stands still for longer than any time-out loses nothing",
            .enabled(if: isSoak, "takes a minute: set DISCOVERABLE_SOAK=1")
        )
        func standsStill() async throws {
            let type = try ServiceType.named("stopped", "_tcp")
            let publication = try await discovery.publish(service("Stopped", type, "v=1"))
            let states = Follower(discovery.states)
            try await Testbed.with(["daemon", "alpha", "pause"], undoneBy: ["daemon", "alpha", "resume"]) {
                try publication.update(txt: TXTRecord(strings: [Array("v=2".utf8)]))
                // D-Bus gives a call 25 seconds.
                _ = try await states.first(within: .seconds(60)) { !$0.isReachable && $0 != .idle }
                try publication.update(txt: TXTRecord(strings: [Array("v=3".utf8)]))
            }
            _ = try await states.first(within: .seconds(60)) { $0 == .running }
            let again = Follower(publication.states)
            _ = try await again.first(within: .seconds(30)) { $0 == .established(publication.name) }
            #expect(publication.name.text == "Stopped")
            #expect(try await firstSeen("Stopped", type).strings == ["v=3"])
            await publication.withdraw()
        }
    }
}

extension Array where Element: Sendable {
    /// The results of `transform` for all elements at once, in their order.
    func concurrentlyMapped<Result: Sendable>(
        _ transform: @escaping @Sendable (Element) async throws -> Result
    ) async throws -> [Result] {
        try await withThrowingTaskGroup(of: (Int, Result).self) { group in
            for (position, element) in enumerated() { group.addTask { (position, try await transform(element)) } }
            var results: [(Int, Result)] = []
            for try await result in group { results.append(result) }
            return results.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}
