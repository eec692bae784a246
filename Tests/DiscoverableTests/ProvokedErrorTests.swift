import Discoverable
import DiscoverableConnection
import DiscoverableCore
import Testing

@Suite("Errors that the system gives", .timeLimit(.minutes(1)))
struct ProvokedErrorTests {
    private func end(_ host: String, _ port: UInt16) async -> [Discoverable.State] {
        let (service, recorder, _) = Discoverable.recorded(.hasty)
        service.connect(to: host, on: port)
        await recorder.wait { told in
            told.contains { if case .state(.failed) = $0 { true } else { false } }
        }
        return recorder.states
    }

    @Test("ECONNREFUSED: a port that nobody listens on, after the last repetition", arguments: ["127.0.0.1", "::1"])
    func refused(host: String) async throws {
        #expect(await end(host, try await closedPort()) == [.connecting, .failed(.connectRefused)])
    }

    @Test("EACCES: a broadcast address")
    func broadcast() async {
        #expect(await end("127.255.255.255", 4242) == [.connecting, .failed(.connectPermissionDenied)])
    }

    @Test("EINVAL: a link-local address without its interface")
    func withoutInterface() async {
        #expect(await end("fe80::1", 4242) == [.connecting, .failed(.connectOther)])
    }

    @Test("A name that nobody knows", arguments: ["no such host", "", "256.1.1.1.1"])
    func unknownName(host: String) async {
        #expect(await end(host, 1024) == [.connecting, .failed(.connectOther)])
    }

    @Test("Port 0")
    func portZero() async {
        #expect(await end("127.0.0.1", 0) == [.connecting, .failed(.connectAddressUnavailable)])
    }

    @Test("What is no service type, at once", arguments: ["discoverable", "_discoverable._udp.local.", "", "_._udp"])
    func notAType(type: String) async {
        let (service, recorder, _) = Discoverable.recorded()
        service.discover(type: type, on: nil)
        #expect(service.state == .failed(.discoverIncorrectConfiguration))
        await recorder.wait(for: .failed(.discoverIncorrectConfiguration))
        #expect(recorder.states == [.connecting, .failed(.discoverIncorrectConfiguration)])
    }
}
