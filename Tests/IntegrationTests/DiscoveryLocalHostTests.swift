import AvahiDiscovery
import DiscoverableRuntime
import Testing

extension OutageDaemonTests {
    @Suite("The local host", .needsTestbed, .timeLimit(.minutes(2)))
    struct LocalHostLife {
        @Test("Its names are known as soon as they are asked for, and its state is followed over the daemon's end")
        func states() async throws {
            let host = try Discovery().localHost
            let states = Follower(host.states)
            let identity = try await host.identity()
            #expect(identity.name == "alpha")
            #expect(identity.domain == .local)
            #expect(identity.fullName == (try DNSName("alpha.local")))
            #expect(host.state == .established(identity))
            _ = try await states.first(within: .seconds(5)) { $0 == .established(identity) }
            try await Testbed.tell("daemon", "alpha", "kill")
            _ = try await states.first(within: .seconds(10)) { $0 == .waitingForDaemon }
            try await Testbed.tell("daemon", "alpha", "start")
            _ = try await states.first(within: .seconds(10)) { $0 == .established(identity) }
        }

        @Test(
            "Names that no host can have are refused before anything is sent",
            arguments: ["", "a.b", "-a", "ä", "a b"]
        )
        func refusedNames(name: String) async throws {
            let error = await #expect(throws: DiscoveryError.self) { try await Discovery().localHost.setName(name) }
            #expect(error?.code == .invalidName)
        }

        @Test("Its interfaces are those of the system")
        func interfaces() throws {
            let interfaces = try Discovery().localHost.interfaces()
            #expect(interfaces == (try NetworkInterface.all()))
            #expect(interfaces.contains { $0.isLoopback })
        }

        @Test("Without a daemon the caller's own time-out says what is missing")
        func withoutDaemon() async throws {
            try await Testbed.with(["daemon", "alpha", "stop"], undoneBy: ["daemon", "alpha", "start"]) {
                let host = try Discovery().localHost
                #expect(host.state == .waitingForDaemon)
                let error = await #expect(throws: DiscoveryError.self) {
                    try await host.identity(timeout: .milliseconds(300))
                }
                #expect(error?.code == .daemonUnavailable)
                let naming = await #expect(throws: DiscoveryError.self) {
                    try await host.setName("omega", timeout: .milliseconds(300))
                }
                #expect(naming?.code == .daemonUnavailable)
            }
        }
    }
}
