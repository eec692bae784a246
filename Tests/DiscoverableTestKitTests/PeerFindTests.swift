import Discoverable
import DiscoverableTestKit
import Testing

/// Our own facade, tested as an app that uses it would test itself: `Peer.find` over a network that the test plays.
@Suite("Finding a peer on a scripted network", .timeLimit(.minutes(1)))
struct PeerFindTests {
    private let discovery = ScriptedDiscovery()

    @Test("The peer that fits is found, also one that appears later")
    func later() async throws {
        discovery.appear(try ScriptedService("Other", type: "_discoverable._udp", port: 1))
        let discovery = self.discovery
        async let found = Peer.find("_discoverable._udp", named: "Mine", timeout: .seconds(60), discovery: discovery)
        discovery.appear(try ScriptedService("Mine", type: "_discoverable._udp", port: 4711))
        let peer = try await found
        #expect(peer.name == "Mine" && peer.service.addresses.map(\.port) == [4711])
    }

    @Test("A peer that is listed but does not answer is passed over for the next one")
    func stale() async throws {
        let stale = try ScriptedService("A stale one", type: "_discoverable._udp")
        discovery.appear(stale)
        discovery.answer(resolving: stale.instance, with: .nothingYet)
        discovery.appear(try ScriptedService("Alive", type: "_discoverable._udp"))
        #expect(try await Peer.find("_discoverable._udp", timeout: .seconds(60), discovery: discovery).name == "Alive")
    }

    @Test("A daemon that is away is told apart from a peer that is not there")
    func absent() async throws {
        let nobody = await #expect(throws: DiscoveryError.self) {
            try await Peer.find("_discoverable._udp", timeout: .milliseconds(20), discovery: discovery)
        }
        #expect(nobody?.code == .notFound)
        discovery.daemonGoes()
        let noDaemon = await #expect(throws: DiscoveryError.self) {
            try await Peer.find("_discoverable._udp", timeout: .milliseconds(20), discovery: discovery)
        }
        #expect(noDaemon?.code == .daemonUnavailable)
    }

    @Test("A browse that the daemon refuses ends the search with its error")
    func refused() async throws {
        let discovery = self.discovery
        let error = DiscoveryError(.tooManyObjects, operation: "browsing", explanation: "as asked")
        let search = Task { try await Peer.find("_discoverable._udp", timeout: .seconds(30), discovery: discovery) }
        await discovery.wait { $0.browses == 1 }
        discovery.failBrowses(with: error)
        await #expect(throws: error) { try await search.value }
    }
}
