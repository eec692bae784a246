import AvahiDiscovery
import DiscoverableCore
import DiscoverableRuntime
import Foundation
import Testing

@testable import Discoverable
@testable import SampleApp

extension DaemonTests {
    @Suite("The class of the iOS package, with real peers", .needsTestbed, .timeLimit(.minutes(2)))
    @MainActor
    struct ClassDiscoverable {
        /// A delegate whose states can be waited for.
        private final class Delegate: DiscoverableDelegate, Sendable {
            let states = Follower<Discoverable.State>()
            let messages = Follower<String>()
            func connectionState(state: Discoverable.State) { states.put(state) }
            func connectionStrength(strength: Float) {}
            func connectionReceived(message: String) { messages.put(message) }

            /// Waits for the end of the connecting, of whichever kind.
            func outcome(within limit: Duration = .seconds(15)) async throws -> Discoverable.State {
                try await states.first(within: limit) { $0 != .connecting }
            }
        }

        private func service(
            discoverTimeout: Duration = .seconds(5),
            discovery: Discovery? = nil
        ) -> (Discoverable, Delegate) {
            let times = ConnectionTimes(discover: discoverTimeout)
            let service = Discoverable(configuration: .quick, times: times, discovery: discovery)
            let delegate = Delegate()
            service.delegate = delegate
            return (service, delegate)
        }

        /// A classic server and its announcement, on the peer's host.
        private func publish(
            _ type: String,
            port: UInt16 = 0,
            variant: String = "normal"
        ) async throws -> (ReferenceServer, ChildProcess) {
            let server = try await ReferenceServer.start(variant, port: port)
            let publisher = try Testbed.start(
                on: Testbed.peer,
                "avahi-publish",
                "-s",
                "Server of \(type)",
                type,
                String(server.address.port)
            )
            _ = try await publisher.errorLine(within: .seconds(10)) { $0.hasPrefix("Established") }
            return (server, publisher)
        }

        @Test("28: the sample app, as it is, finds a classic server, connects, sends, and ends it")
        func sampleApp() async throws {
            let (server, publisher) = try await publish("_discoverable._udp", port: 1024)
            defer { publisher.end() }
            let app = RemoteViewController()
            let screens = Follower<String>()
            app.screenChanged = {
                screens.put("\(app.statusLabel.text ?? "-"), \(app.strengthLabel.text ?? "-")")
            }
            app.viewDidLoad()
            app.viewWillAppear()
            #expect(app.statusLabel.text == "Connecting…")
            #expect(!app.connectButton.isEnabled)
            _ = try await screens.first(within: .seconds(10)) { $0 == "Connected, 0 %" }
            app.greetTapped()
            app.upTapped()
            try await server.receives { $0 == "up" }
            _ = try await screens.first(within: .seconds(5)) { $0 == "Connected, 100 %" }
            #expect(try server.payloads == ["hello", "up"])
            app.disconnectTapped()
            #expect(app.statusLabel.text == "Not connected" && app.connectButton.isEnabled)
            #expect(try await server.closed() == "disconnect")
            #expect(try server.received.last == "dscv_disconnect")
            #expect(try server.received.first?.hasPrefix("dscv_discover:") == true)
            #expect(screens.all.last?.hasPrefix("Not connected") == true)
        }

        @Test("16, 29: the end of a server is the end of the app's connection; closing silently leaves a server alone")
        func ends() async throws {
            let (server, publisher) = try await publish("_class-ends._udp")
            defer { publisher.end() }
            let (first, firstDelegate) = service()
            let (second, secondDelegate) = service()
            for service in [first, second] { service.discover(type: "_class-ends._udp.", on: nil) }
            for delegate in [firstDelegate, secondDelegate] { #expect(try await delegate.outcome() == .connected) }
            first.close(false)
            second.send("still here")
            try await server.receives { $0 == "still here" }
            server.process.end()
            #expect(try await secondDelegate.states.first(within: .seconds(5)) == .disconnected)
            #expect(try server.received.allSatisfy { !$0.contains("disconnect") })
            #expect(firstDelegate.states.all == [.connecting, .connected, .disconnected])
        }

        @Test("26: nothing that fits is told in time, once; a bad type at once")
        func nothing() async throws {
            let (service, delegate) = service(discoverTimeout: .seconds(1))
            let start = MonotonicClock.now
            service.discover(type: "_class-nobody._udp", on: nil)
            #expect(try await delegate.outcome() == .failed(.discoverTimeout))
            let elapsed = start.duration(to: MonotonicClock.now)
            #expect(elapsed >= .seconds(1) && elapsed < .seconds(3))
            service.discover(type: "nonsense", on: 1024)
            #expect(
                delegate.states.all == [
                    .connecting, .failed(.discoverTimeout), .connecting, .failed(.discoverIncorrectConfiguration),
                ]
            )
        }

        @Test("26: the time of an old search ends no new one, and no connection that came of it")
        func oldSearch() async throws {
            let (server, publisher) = try await publish("_class-old._udp")
            defer { publisher.end() }
            let (service, delegate) = service(discoverTimeout: .seconds(2))
            service.discover(type: "_class-nobody._udp", on: nil)
            service.discover(type: "_class-old._udp", on: nil)
            #expect(try await delegate.outcome() == .connected)
            // A search that began later is over: so is the time of the old one.
            let (other, otherDelegate) = self.service(discoverTimeout: .seconds(2))
            other.discover(type: "_class-nobody._udp", on: nil)
            #expect(try await otherDelegate.outcome() == .failed(.discoverTimeout))
            #expect(delegate.states.all == [.connecting, .connected])
            service.close()
            #expect(try await server.closed() == "disconnect")
        }

        @Test("26: a service that is listed but gone holds up no other; the port that is told is used", .needsHosts)
        func stale() async throws {
            let type = "_class-stale._udp"
            let pointer = try Testbed.start(
                on: "beta",
                Testbed.peerScript("stale_pointer.py")
                    + ["Stale", type, "--interface-address", try await ipv4Address(of: "beta")]
            )
            #expect(try await pointer.waitForEnd() == 0)
            let events = Follower(try Discovery().browse(try ServiceType(type)))
            _ = try await events.first(within: .seconds(10)) { $0.shows("Stale") }
            let (alone, aloneDelegate) = service(discoverTimeout: .seconds(1))
            alone.discover(type: type, on: nil)
            #expect(try await aloneDelegate.outcome() == .failed(.discoverResolveTimeout))
            let (server, publisher) = try await publish(type)
            defer { publisher.end() }
            let (service, delegate) = service()
            service.discover(type: type, on: nil)
            #expect(try await delegate.outcome() == .connected)
            service.close()
            #expect(try await server.closed() == "disconnect")
        }

        @Test("26: the app's port replaces the one that is told", .needsHosts)
        func otherPort() async throws {
            let (server, publisher) = try await publish("_class-port._udp")
            defer { publisher.end() }
            let other = try await ReferenceServer.start("echo")
            let (service, delegate) = service()
            service.discover(type: "_class-port._udp", on: other.address.port)
            #expect(try await delegate.outcome() == .connected)
            service.send("hello")
            #expect(try await delegate.messages.first(within: .seconds(5)) == "hello")
            #expect(try server.received == [])
            service.close()
            #expect(try await other.closed() == "disconnect")
        }

        @Test("A daemon that is not there finds nothing in time")
        func noDaemon() async throws {
            try await Testbed.with(["daemon", "alpha", "stop"], undoneBy: ["daemon", "alpha", "start"]) {
                let (service, delegate) = service(discoverTimeout: .seconds(1), discovery: try Discovery())
                service.discover(type: "_class-daemon._udp", on: nil)
                #expect(try await delegate.outcome() == .failed(.discoverTimeout))
            }
        }

        @Test("20: ENETUNREACH and EHOSTUNREACH: no way to a network, no such host on the link", .needsHosts)
        func unreachable() async throws {
            let (service, delegate) = service()
            service.connect(to: "203.0.113.1", on: 1024)
            #expect(try await delegate.outcome() == .failed(.connectNetworkDown))
            let own = try await ipv4Address(of: "alpha").split(separator: ".")
            let (patient, patientDelegate) = (Discoverable(), Delegate())
            patient.delegate = patientDelegate
            patient.connect(to: (own.dropLast() + ["250"]).joined(separator: "."), on: 1024)
            #expect(try await patientDelegate.outcome() == .failed(.connectHostDown))
            #expect(patientDelegate.states.all == [.connecting, .failed(.connectHostDown)])
        }
    }
}
