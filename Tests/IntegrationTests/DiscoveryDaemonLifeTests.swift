import AvahiDiscovery
import DiscoverableRuntime
import Testing

extension OutageDaemonTests {
    @Suite("The daemon comes and goes", .needsTestbed, .timeLimit(.minutes(3)))
    struct DaemonLife {
        /// Restarts or kills our host's daemon while `body`'s streams run; the daemon runs again when it returns.
        private func interrupt(_ how: [[String]]) async throws {
            for words in how {
                let result = try await ChildProcess.run([try #require(Testbed.control)] + words, within: .seconds(60))
                #expect(result.status == 0, "\(words): \(result.errors)")
            }
        }

        @Test(
            "9: a browse and a publication go on over an end of the daemon: nothing is lost, nothing told twice",
            arguments: [
                [["daemon", "alpha", "restart"]],
                [["daemon", "alpha", "kill"], ["daemon", "alpha", "start"]],
                [["bus", "alpha", "kill"], ["bus", "alpha", "start"]],
            ]
        )
        func survives(interruption: [[String]]) async throws {
            let type = try ServiceType.named("survives", "_tcp")
            let ownType = try ServiceType.named("own", "_tcp")
            var peers = [try Testbed.start(on: Testbed.peer, "avahi-publish", "-s", "Stays", type.text, "80")]
            defer { for peer in peers { peer.end() } }
            let discovery = try Discovery()
            let states = Follower(discovery.states)
            let publication = try await discovery.publish(
                ServiceAdvertisement(name: ServiceName("Mine"), type: ownType, port: 1)
            )
            let witness = Testbed.hasHosts ? try Testbed.start(on: "beta", "avahi-browse", "-p", ownType.text) : nil
            _ = try await witness?.line(within: .seconds(15)) { $0.hasPrefix("+") }
            let events = Follower(discovery.browse(type))
            _ = try await events.first(within: .seconds(15)) { $0.shows("Stays", paths: expectedPaths) }
            _ = await events.rest(within: .seconds(2))

            try await interrupt(interruption)
            _ = try await states.first(within: .seconds(15)) { !$0.isReachable && $0 != .idle }
            _ = try await states.first(within: .seconds(15)) { $0 == .running }
            if !Testbed.hasHosts {
                // On one host the other publisher has lost the daemon too, and avahi-publish does not come back by itself.
                peers.append(try Testbed.start(on: "alpha", "avahi-publish", "-s", "Stays", type.text, "80"))
            }

            // Longer than the review of what nobody confirmed.
            let told = await events.rest(within: .seconds(8))
            #expect(told.allSatisfy { !$0.isRemoval && !$0.isAddition }, "told: \(told)")
            #expect(publication.state == .established(try ServiceName("Mine")))
            _ = try await witness?.line(within: .seconds(15)) { $0.hasPrefix("+") }

            // The stream is alive: what is new is told, once.
            peers.append(try Testbed.start(on: Testbed.peer, "avahi-publish", "-s", "New", type.text, "81"))
            let event = try await events.first(within: .seconds(15)) { $0.name == "New" }
            #expect(event.isAddition)
            await publication.withdraw()
        }

        @Test("What went while the daemon was away is told as removed, after the review")
        func goneMeanwhile() async throws {
            let type = try ServiceType.named("gone", "_tcp")
            let peer = try Testbed.start(on: Testbed.peer, "avahi-publish", "-s", "Goes", type.text, "80")
            let events = Follower(try Discovery().browse(type))
            _ = try await events.first(within: .seconds(15)) { $0.shows("Goes") }
            try await Testbed.tell("daemon", "alpha", "stop")
            peer.end()
            _ = try await peer.waitForEnd()
            try await Testbed.tell("daemon", "alpha", "start")
            let event = try await events.first(within: .seconds(15)) { $0.isRemoval }
            #expect(event.name == "Goes")
        }

        @Test("10: what is asked for before there is a bus or a daemon is answered when both have come")
        func beforeTheDaemon() async throws {
            let type = try ServiceType.named("early", "_tcp")
            try await Testbed.tell("bus", "alpha", "kill")
            let discovery = try Discovery()
            let states = Follower(discovery.states)
            let events = Follower(discovery.browse(type))
            let publishing = Task {
                try await discovery.publish(ServiceAdvertisement(name: ServiceName("Early"), type: type, port: 9))
            }
            _ = try await states.first(within: .seconds(10)) { $0 == .noBus }
            let error = await #expect(throws: DiscoveryError.self) {
                try await discovery.resolve(
                    ServiceInstance(name: ServiceName("Early"), type: type),
                    timeout: .milliseconds(200)
                )
            }
            #expect(error?.code == .daemonUnavailable)
            #expect(error?.description.contains("D-Bus") == true)
            try await Testbed.tell("bus", "alpha", "start")
            _ = try await events.first(within: .seconds(15)) { $0.shows("Early") }
            await (try publishing.value).withdraw()
        }

        @Test("7, 34: callers get their own time-out while the daemon hangs, and everything recovers when it goes on")
        func hangingDaemon() async throws {
            let type = try ServiceType.named("hangs", "_tcp")
            let discovery = try Discovery()
            let events = Follower(discovery.browse(type))
            _ = try await events.first(within: .seconds(10)) { $0 == .settled }
            try await Testbed.with(["daemon", "alpha", "pause"], undoneBy: ["daemon", "alpha", "resume"]) {
                let start = MonotonicClock.now
                let error = await #expect(throws: DiscoveryError.self) {
                    try await discovery.resolve(
                        ServiceInstance(name: ServiceName("Nobody"), type: type),
                        timeout: .milliseconds(1500)
                    )
                }
                #expect(error?.code == .daemonNotResponding)
                let publishing = await #expect(throws: DiscoveryError.self) {
                    try await discovery.publish(
                        ServiceAdvertisement(name: ServiceName("Late"), type: type, port: 9),
                        timeout: .milliseconds(500)
                    )
                }
                #expect(publishing?.code == .daemonNotResponding)
                // Cancelling does not wait for the daemon either.
                await events.stop()
                #expect(start.duration(to: MonotonicClock.now) < .seconds(4))
            }
            let publication = try await discovery.publish(
                ServiceAdvertisement(name: ServiceName("After"), type: type, port: 9),
                timeout: .seconds(60)
            )
            let again = Follower(discovery.browse(type))
            _ = try await again.first(within: .seconds(20)) { $0.shows("After") }
            #expect(!again.all.contains { $0.shows("Late") })
            await publication.withdraw()
        }

        @Test("4: a resolve that the daemon's end interrupts is carried over to the next daemon")
        func resolveOverRestart() async throws {
            let type = try ServiceType.named("carried", "_tcp")
            let discovery = try Discovery()
            let instance = ServiceInstance(name: try ServiceName("Carried"), type: type)
            let resolving = Task { try await discovery.resolve(instance, timeout: .seconds(30)) }
            let states = Follower(discovery.states)
            _ = try await states.first(within: .seconds(10)) { $0 == .running }
            try await Testbed.tell("daemon", "alpha", "kill")
            try await Testbed.tell("daemon", "alpha", "start")
            let peer = try Testbed.start(on: Testbed.peer, "avahi-publish", "-s", "Carried", type.text, "77")
            defer { peer.end() }
            #expect(try await resolving.value.port == 77)
        }

        @Test("Nobody who answers is told apart from a daemon that is not there")
        func notFound() async throws {
            let discovery = try Discovery()
            let instance = ServiceInstance(name: try ServiceName("Nobody"), type: try .named("nobody"))
            let error = await #expect(throws: DiscoveryError.self) {
                try await discovery.resolve(instance, timeout: .seconds(1))
            }
            #expect(error?.code == .notFound)
            try await Testbed.with(["daemon", "alpha", "stop"], undoneBy: ["daemon", "alpha", "start"]) {
                let error = await #expect(throws: DiscoveryError.self) {
                    try await Discovery().resolve(instance, timeout: .seconds(1))
                }
                #expect(error?.code == .daemonUnavailable)
                #expect(error?.description.contains("avahi-daemon is not running") == true)
            }
        }
    }
}

extension OutageDaemonTests.DaemonLife {
    @Test("9: a daemon that outlives its bus (enable-dbus=warn) is found again on the next bus")
    func busAloneEnds() async throws {
        let type = try ServiceType.named("outlives", "_tcp")
        try await Testbed.with(
            ["config", "alpha", "server", "enable-dbus", "warn"],
            undoneBy: ["config", "alpha", "server", "enable-dbus", "yes"]
        ) {
            let discovery = try Discovery()
            let states = Follower(discovery.states)
            let publication = try await discovery.publish(
                ServiceAdvertisement(name: ServiceName("Outlives"), type: type, port: 3)
            )
            let events = Follower(discovery.browse(type))
            _ = try await events.first(within: .seconds(15)) { $0.shows("Outlives") }
            try await Testbed.tell("bus", "alpha", "kill")
            _ = try await states.first(within: .seconds(15)) { $0 == .noBus }
            try await Testbed.tell("bus", "alpha", "start")
            _ = try await states.first(within: .seconds(15)) { $0 == .running }
            _ = await events.rest(within: .seconds(2))
            #expect(publication.state == .established(try ServiceName("Outlives")))
            await publication.withdraw()
            _ = try await events.first(within: .seconds(15)) { $0.isRemoval }
            #expect(events.all.filter(\.isAddition).count == 1)
            await events.stop()
        }
    }

    @Test("34: a daemon that hangs for longer than every time-out is used again when it goes on", .soak)
    func longHang() async throws {
        let type = try ServiceType.named("longhang", "_tcp")
        let discovery = try Discovery()
        let publication = try await discovery.publish(
            ServiceAdvertisement(name: ServiceName("Patient"), type: type, port: 5)
        )
        let events = Follower(discovery.browse(type))
        _ = try await events.first(within: .seconds(15)) { $0.shows("Patient", paths: expectedPaths) }
        try await Testbed.with(["daemon", "alpha", "pause"], undoneBy: ["daemon", "alpha", "resume"]) {
            let error = await #expect(throws: DiscoveryError.self) {
                try await discovery.resolve(
                    ServiceInstance(name: ServiceName("Nobody"), type: type),
                    timeout: .seconds(2)
                )
            }
            #expect(error?.code == .daemonNotResponding)
            // D-Bus gives a call 25 s, and then Avahi's own ping as long.
            _ = await events.rest(within: .seconds(60))
        }
        let instance = ServiceInstance(name: publication.name, type: type)
        #expect(try await discovery.resolve(instance, timeout: .seconds(60)).port == 5)
        #expect(events.all.allSatisfy { !$0.isRemoval })
        #expect(events.all.filter(\.isAddition).count == 1)
        await events.stop()
        await publication.withdraw()
    }
}
