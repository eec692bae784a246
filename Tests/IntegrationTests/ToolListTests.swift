import AvahiDiscovery
import Glibc
import Testing

extension ToolDaemonTests {
    @Suite("dscv types, and browses of a part", .needsTestbed, .timeLimit(.minutes(2)))
    struct ToolLists {
        private func publish(_ name: String, _ type: ServiceType, _ words: String...) async throws -> ChildProcess {
            let publisher = try Testbed.start(on: Testbed.peer, ["avahi-publish", "-s", name, type.text, "1"] + words)
            _ = try await publisher.errorLine(within: .seconds(15)) { $0.contains("Established") }
            return publisher
        }

        @Test("Types are listed once with all their paths, go with their last service, and come again")
        func types() async throws {
            let type = try ServiceType.named("tool-types", "_tcp")
            let publisher = try await publish("A", type)
            let result = try await Dscv.run("types", "--json", "--until-settled")
            let line = try #require(try result.toolLines.first { $0.type == type.text })
            #expect(line.event == "added" && line.domain == "local" && line.name == nil)
            #expect(line.paths?.count == expectedPaths)
            #expect(result.status == 0)

            let follower = try Dscv.start("types", "--json")
            try await follower.told("added") { $0.type == type.text }
            try await follower.told("settled")
            publisher.end()
            let removal = try await follower.told("removed") { $0.type == type.text }
            #expect(removal.paths == nil)
            follower.send(SIGINT)
            #expect(try await follower.waitForEnd() == 130)
        }

        @Test("Domains that the environment names are listed; where none is recommended a line says so")
        func domains() async throws {
            let command = [
                "env", "AVAHI_BROWSE_DOMAINS=b.example:a.example", Testbed.dscv, "domains", "--until-settled",
            ]
            let objects = try await ChildProcess.run(command + ["--json"], within: .seconds(20)).toolLines
            #expect(objects.map(\.domain) == ["a.example", "b.example"] && objects.allSatisfy { $0.event == "added" })
            let columns = try await ChildProcess.run(command, within: .seconds(20))
            #expect(columns.output == "added         a.example\nadded         b.example")
            let none = try await Dscv.run("domains", "--kind", "register", "--until-settled")
            #expect(none.status == 0 && none.output == "" && none.errorLineCount == 1, "\(none)")
        }

        @Test("A subtype narrows a browse, in both ways of writing it")
        func subtype() async throws {
            let type = try ServiceType.named("tool-sub", "_tcp")
            let publishers = [
                try await publish("With", type, "--subtype", "_special._sub.\(type)"),
                try await publish("Without", type),
            ]
            defer { for publisher in publishers { publisher.end() } }
            for words in [[type.text, "--subtype", "_special"], ["_special._sub.\(type)"]] {
                let command = [Testbed.dscv, "browse"] + words + ["--json", "--until-settled"]
                let result = try await ChildProcess.run(command, within: .seconds(20))
                #expect(try result.toolLines.map(\.name) == ["With"], "\(words): \(result)")
                #expect(try result.toolLines.map(\.type) == [type.text])
            }
        }

        @Test("One interface and one family are one path; --verbose tells on stderr what is done for it", .needsHosts)
        func scope() async throws {
            let type = try ServiceType.named("tool-scope", "_tcp")
            let publisher = try await publish("Everywhere", type)
            defer { publisher.end() }
            let result = try await Dscv.run(
                "browse",
                type.text,
                "--interface",
                "lan1",
                "--family",
                "ipv6",
                "--json",
                "--until-settled",
                "--verbose"
            )
            #expect(try result.toolLines.map(\.paths) == [[.init(interface: "lan1", family: "IPv6")]])
            #expect(result.errors.contains("dscv: debug: opened in the daemon"), "\(result.errors)")
            #expect(result.errors.contains("dscv: info: avahi-daemon is reachable: running"), "\(result.errors)")
        }
    }
}
