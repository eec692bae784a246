import Discoverable
@_spi(Package) import DiscoverableRuntime
import Foundation
import Testing

extension KnowledgeDaemonTests {
    @Suite("The daemon's quotas", .needsTestbed, .timeLimit(.minutes(5)))
    struct Quotas {
        private static let isSoak = ProcessInfo.processInfo.environment["DISCOVERABLE_SOAK"] == "1"

        private func withQuota(_ objects: Int, _ body: () async throws -> Void) async throws {
            try await Testbed.with(
                ["config", "alpha", "server", "objects-per-client-max", "\(objects)"],
                undoneBy: ["config", "alpha", "server", "objects-per-client-max", "1024"],
                body
            )
        }

        @Test("11: the fifth stream of four throws an error that names the setting; once one is cancelled it works")
        func fifthStream() async throws {
            try await withQuota(4) {
                let discovery = try Discovery()
                let four = try (0..<4).map { Follower(discovery.browse(try .named("four-\($0)"))) }
                for stream in four { _ = try await stream.first(within: .seconds(10)) { $0 == .settled } }
                let refused = Follower(discovery.browse(try .named("fifth")))
                await refused.ended()
                let error = try #require(refused.error as? DiscoveryError)
                #expect(error.code == .tooManyObjects)
                #expect(error.failureClass == .freeResources)
                #expect(error.description.contains("objects-per-client-max"))
                #expect(error.description.contains("/etc/avahi/avahi-daemon.conf"))
                #expect(error.description.contains("[server]"))
                await four[0].stop()
                let fifth = Follower(discovery.browse(try .named("fifth")))
                _ = try await fifth.first(within: .seconds(10)) { $0 == .settled }
            }
        }

        @Test("5, 11: a hundred rounds of browse and cancel with room for four objects: none refused")
        func hundredRounds() async throws {
            try await withQuota(4) {
                let discovery = try Discovery()
                let type = try ServiceType.named("rounds")
                let name = try DNSName("nobody.local")
                for round in 0..<100 {
                    let browse = Follower(discovery.browse(type))
                    let streams = [RecordType.a, .srv, .txt].map {
                        Follower(discovery.records(RecordQuestion(name, $0)))
                    }
                    // In the first round the daemon has said all; in others it may not even have been asked.
                    if round == 0 { _ = try await browse.first(within: .seconds(10)) { $0 == .settled } }
                    await browse.stop()
                    for stream in streams { await stream.stop() }
                    #expect(browse.error == nil && streams.allSatisfy { $0.error == nil }, "round \(round)")
                }
                let last = Follower(discovery.browse(type))
                _ = try await last.first(within: .seconds(10)) { $0 == .settled }
            }
        }

        @Test("Resolves succeed with every address where the daemon has room for three objects")
        func resolvesInThree() async throws {
            let type = try ServiceType.named("three", "_tcp")
            try await withQuota(3) {
                // Where there is one host, its daemon has just been started anew.
                let publishers = try (0..<6).map {
                    try Testbed.start(on: Testbed.peer, "avahi-publish", "-s", "T\($0)", type.text, "90\($0)")
                }
                defer { for publisher in publishers { publisher.end() } }
                let discovery = try Discovery()
                let host = try await discovery.lookUpAddresses(of: DNSName("\(Testbed.peer).local"))
                let results = try await withThrowingTaskGroup(of: ResolvedService.self) { group in
                    for number in 0..<6 {
                        group.addTask {
                            let name = try ServiceName("T\(number)")
                            return try await discovery.resolve(
                                ServiceInstance(name: name, type: type),
                                timeout: .seconds(30)
                            )
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(Set(results.map(\.port)) == Set(900..<906))
                for result in results { #expect(Set(result.addresses.map(\.ip)) == Set(host.map(\.ip))) }
            }
        }

        @Test(
            "Where the daemon has no room, services are followed by resolving, say so, and miss no change",
            .needsHosts
        )
        func fallback() async throws {
            let type = try ServiceType.named("fallback", "_tcp")
            var publishers = try (0..<3).map {
                try Testbed.start(on: "beta", "avahi-publish", "-s", "F\($0)", type.text, "70\($0)")
            }
            defer { for publisher in publishers { publisher.end() } }
            try await withQuota(6) {
                let discovery = try Discovery()
                let events = Follower(discovery.services(of: type))
                _ = try await events.first(within: .seconds(30)) { $0 == .settled }
                let present = events.all.compactMap(\.present)
                #expect(Set(present.compactMap(\.service?.port)) == [700, 701, 702])
                #expect(present.contains { $0.means == .resolving })
                // Long-lived objects that have no other means are taken first.
                let browses = try (0..<4).map { Follower(discovery.browse(try .named("fallback-\($0)"))) }
                for browse in browses { _ = try await browse.first(within: .seconds(10)) { $0 == .settled } }
                publishers.removeLast().end()
                publishers.append(try Testbed.start(on: "beta", "avahi-publish", "-s", "F3", type.text, "703"))
                _ = try await events.first(within: .seconds(30)) { $0.present?.service?.port == 703 }
                try await events.wait(within: .seconds(30)) { $0.contains { $0.isRemoval } }
                let gone = events.all.filter(\.isRemoval)
                #expect(
                    gone == [
                        .removed(
                            FollowedService(
                                identity: try ServiceInstance(name: ServiceName("F2"), type: type),
                                paths: []
                            )
                        )
                    ]
                )
            }
        }

        @Test(
            "10,000 resolves over 200 services at once with room for 64 objects: all succeed within a minute",
            .enabled(if: isSoak),
            .needsHosts
        )
        func tenThousand() async throws {
            let type = try ServiceType.named("crowd", "_tcp")
            let script =
                "import subprocess, sys, signal\nps=[subprocess.Popen(['avahi-publish','-s','C%d'%i,'\(type.text)',str(2000+i)]) for i in range(200)]\nprint('started', flush=True)\nsignal.pause()"
            let publisher = try Testbed.start(on: "beta", "/usr/bin/python3", "-c", script)
            defer { publisher.end() }
            try await withQuota(64) {
                let discovery = try Discovery()
                let browse = Follower(discovery.browse(type))
                try await browse.wait(within: .seconds(60)) { events in
                    Set(events.filter { ($0.service?.paths.count ?? 0) == 4 }.compactMap(\.name)).count == 200
                }
                var services: [ServiceInstance: BrowsedService] = [:]
                for event in browse.all { if let service = event.service { services[service.instance] = service } }
                await browse.stop()
                let targets = Array(services.values)
                #expect(targets.count == 200)
                let start = MonotonicClock.now
                let wrong = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for number in 0..<10_000 {
                        let service = targets[number % targets.count]
                        group.addTask {
                            let resolved = try await discovery.resolve(service, timeout: .seconds(60))
                            return resolved.instance != service.instance
                                || resolved.port != 2000 + UInt16(service.instance.name.text.dropFirst())!
                        }
                    }
                    return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
                }
                #expect(wrong == 0)
                print("10,000 resolves took \(start.duration(to: MonotonicClock.now))")
            }
        }
    }
}
