import AvahiDiscovery
import Glibc
import Testing

extension ToolDaemonTests {
    @Suite("dscv publish", .needsHosts, .timeLimit(.minutes(2)))
    struct ToolPublishing {
        /// Waits until `avahi-browse` or `avahi-resolve` of another host tells a line that holds all of these.
        private func seen(_ command: [String], _ parts: [String]) async throws {
            let witness = try Testbed.start(on: "beta", command)
            _ = try await witness.line(within: .seconds(15)) { line in parts.allSatisfy { line.contains($0) } }
        }

        @Test("Services with subtypes, a further host and an alias are published as one, and withdrawn as one")
        func together() async throws {
            let publisher = try Dscv.start(
                "publish",
                "A",
                "_tool-one._tcp",
                "1",
                "k=v",
                "--subtype",
                "_special",
                "--",
                "B",
                "_tool-two._udp",
                "2",
                "--",
                "--host",
                "printer=10.77.0.77",
                "--alias",
                "shop",
                "--json"
            )
            try await publisher.told("established") { $0.name == "A" && $0.type == "_tool-one._tcp" && $0.port == 1 }
            try await publisher.told("established") { $0.name == "B" && $0.port == 2 }
            try await publisher.told("established") { $0.host == "printer.local" && $0.addresses == ["10.77.0.77"] }
            try await publisher.told("established") { $0.alias == "shop.local" }
            try await seen(["avahi-browse", "-rpt", "_special._sub._tool-one._tcp"], ["=;", ";A;", ";1;", "\"k=v\""])
            try await seen(["avahi-browse", "-rpt", "_tool-two._udp"], ["=;", ";B;", ";2;"])
            try await seen(["avahi-resolve", "-4n", "printer.local"], ["10.77.0.77"])
            // It leads to this host's own addresses.
            try await seen(["avahi-resolve", "-4n", "shop.local"], ["10.77."])
            publisher.send(SIGINT)
            try await publisher.told("withdrawn") { $0.name == "A" }
            try await publisher.told("withdrawn") { $0.alias == "shop.local" }
            #expect(try await publisher.waitForEnd() == 130)
        }

        @Test("A name that is taken fails with 1 where it must not be changed; a forbidden one says why")
        func refused() async throws {
            let holder = try Testbed.start(on: "beta", "avahi-publish", "-s", "Held", "_tool-held._tcp", "1")
            _ = try await holder.errorLine(within: .seconds(15)) { $0.contains("Established") }
            let result = try await Dscv.run("publish", "Held", "_tool-held._tcp", "2", "--no-rename")
            #expect(result.status == 1)
            #expect(result.errorLineCount == 1 && result.errors.contains("Held"), "\(result.errors)")
        }
    }
}
