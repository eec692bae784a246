import AvahiDiscovery
import Testing

extension ToolDaemonTests {
    @Suite("dscv lookup, records and verify", .needsHosts, .timeLimit(.minutes(2)))
    struct ToolLookups {
        @Test("A host's name is looked up to all its addresses, an address to the host's name; nobody's fail with 1")
        func lookup() async throws {
            async let unanswered = Dscv.run("lookup", "nobody.local", "--timeout", "1")
            let byName = try #require(try await Dscv.run("lookup", "beta", "--json").toolLines.first)
            #expect(byName.event == "resolved" && byName.host == "beta.local")
            #expect(Set(try #require(byName.addresses)) == (try await addresses(of: "beta")))
            let result = try await Dscv.run("lookup", "10.77.0.2", "--json")
            let byAddress = try #require(try result.toolLines.first, "\(result)")
            #expect(byAddress.host == "beta.local" && byAddress.addresses == ["10.77.0.2"])
            let missing = try await unanswered
            #expect(missing.status == 1)
            #expect(missing.errorLineCount == 1 && missing.errors.contains("nobody.local"))
        }

        @Test("Records of a name are printed as text, and in the fields that services have")
        func records() async throws {
            let publisher = try Testbed.start(
                on: "beta",
                "avahi-publish",
                "-s",
                "Rec a",
                "_tool-records._tcp",
                "81",
                "path=/",
                "flag"
            )
            _ = try await publisher.errorLine(within: .seconds(15)) { $0.contains("Established") }
            defer { publisher.end() }
            let name = #"Rec\032a._tool-records._tcp.local"#
            async let ofHost = Dscv.run("records", "beta.local", "--json", "--timeout", "2")
            async let ofService = Dscv.run("records", name, "--json", "--timeout", "2")
            async let missing = Dscv.run("records", "beta.local", "CNAME", "--timeout", "1")

            let service = try await ofService.toolLines
            #expect(service.map(\.type) == ["TXT", "SRV"])
            #expect(service.allSatisfy { $0.event == "added" && $0.name == name && $0.paths?.count == 4 })
            #expect(service.first?.txt == [.init(key: "path", value: .text("/")), .init(key: "flag", value: .none)])
            #expect(service.last?.host == "beta.local" && service.last?.port == 81)
            #expect(service.last?.data == "0 0 81 beta.local")
            let host = try await ofHost.toolLines
            #expect(Set(host.compactMap(\.type)) == ["A", "AAAA"])
            #expect(host.first { $0.data == "10.77.0.2" }?.addresses == ["10.77.0.2"])
            #expect(try await missing.status == 1)
        }

        @Test("Records are followed as they come and go")
        func followed() async throws {
            let follower = try Dscv.start("records", "_tool-follow._tcp.local", "PTR", "--follow", "--json")
            let publisher = try Testbed.start(on: "beta", "avahi-publish", "-s", "F", "_tool-follow._tcp", "1")
            let line = try await follower.told("added")
            #expect(line.host == "F._tool-follow._tcp.local" && line.type == "PTR")
            publisher.end()
            try await follower.told("removed") { $0.host == "F._tool-follow._tcp.local" }
        }

        @Test("What is there is verified by its host's own answer; what left without a goodbye is absent, with 1")
        func verify() async throws {
            let publisher = try Testbed.start(on: "beta", "avahi-publish", "-s", "V", "_tool-verify._tcp", "82")
            _ = try await publisher.errorLine(within: .seconds(15)) { $0.contains("Established") }
            let line = try #require(try await Dscv.run("verify", "V", "_tool-verify._tcp", "--json").toolLines.first)
            #expect(line.event == "verified" && line.host == "beta.local" && line.port == 82)
            #expect((line.rtt ?? 0) > 0 && line.paths?.count == 1)
            // Into the cache, then gone without a word.
            _ = try await Dscv.run("browse", "_tool-verify._tcp", "--until-settled")
            try await Testbed.with(["daemon", "beta", "kill"], undoneBy: ["daemon", "beta", "start"]) {
                let listed = try await Dscv.run("browse", "_tool-verify._tcp", "--until-settled", "--json")
                #expect(try listed.toolLines.map(\.name) == ["V"])
                let absent = try await Dscv.run("verify", "V", "_tool-verify._tcp", "--json", "--timeout", "1")
                #expect(try absent.toolLines.map(\.event) == ["absent"])
                #expect(absent.status == 1)
                #expect(absent.errorLineCount == 1 && absent.errors.contains("nobody answers"))
            }
        }
    }
}
