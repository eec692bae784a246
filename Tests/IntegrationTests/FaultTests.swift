import DiscoverableRuntime
import Testing

@testable import AvahiDiscovery

extension OutageDaemonTests {
    @Suite("Calls to the daemon that get no answer", .needsTestbed, .timeLimit(.minutes(2)))
    struct Faults {
        @Test(
            "Whichever call fails, everything that was asked for comes about with the next connection",
            arguments: 1...14
        )
        func failingCall(number: Int) async throws {
            let type = try ServiceType.named("faults\(number)", "_tcp")
            let peer = try Testbed.start(on: Testbed.peer, "avahi-publish", "-s", "Found", type.text, "80")
            defer { peer.end() }
            let discovery = try Discovery(faults: FaultPlan(failing: number))
            let events = Follower(discovery.browse(type))
            async let resolved = discovery.resolve(
                ServiceInstance(name: ServiceName("Found"), type: type),
                timeout: .seconds(15)
            )
            async let publication = discovery.publish(
                ServiceAdvertisement(name: ServiceName("Ours"), type: type, port: 81),
                timeout: .seconds(15)
            )
            #expect(try await resolved.port == 80)
            let ours = try await publication
            try await events.wait(within: .seconds(15)) { Set($0.compactMap(\.name)) == ["Found", "Ours"] }
            await ours.withdraw()
            _ = try await events.first(within: .seconds(15)) { $0.isRemoval }
            #expect(events.all.filter { $0.isAddition && $0.name == "Found" }.count == 1)
            #expect(events.all.filter(\.isRemoval).map(\.name) == ["Ours"])
            await events.stop()
        }
    }
}
