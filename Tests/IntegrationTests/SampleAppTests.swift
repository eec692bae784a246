import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Foundation
import SampleUdpApp
import Testing

extension DaemonTests {
    @Suite("An app's networking file, as it is", .needsHosts, .timeLimit(.minutes(1)))
    struct SampleApp {
        @Test("A search as UPnP makes it finds the device on the other host")
        func search() async throws {
            let location = "http://192.0.2.2/description.xml"
            let device = try Testbed.start(
                on: Testbed.peer,
                Testbed.peerScript("udp_search_responder.py") + ["--location", location, "--noise"]
            )
            defer { device.end() }
            _ = try await device.line(within: .seconds(10)) { $0.contains(#""listening""#) }
            let finder = DeviceFinder(interface: "lan0")
            let found = try await withCheckedThrowingContinuation { continuation in
                finder.onFinish = { continuation.resume(returning: $0.map { [$0.location, $0.host, "\($0.port)"] }) }
                do { try finder.search(for: 1) } catch { continuation.resume(throwing: error) }
            }
            let host = try await ipv4Address(of: Testbed.peer)
            #expect(found == [[location, host, "1900"]])
            #expect(finder.questionsSent == 2)
            #expect(finder.lastError == nil)
        }
    }
}
