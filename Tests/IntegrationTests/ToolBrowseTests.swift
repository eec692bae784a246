import AvahiDiscovery
import Glibc
import Testing

extension ToolDaemonTests {
    @Suite("dscv browse and resolve", .needsTestbed, .timeLimit(.minutes(2)))
    struct ToolBrowsing {
        /// Publishes by avahi-publish on the peer's host, and returns when it is established.
        private func publish(_ name: String, _ type: ServiceType, _ words: String...) async throws -> ChildProcess {
            let publisher = try Testbed.start(on: Testbed.peer, ["avahi-publish", "-s", name, type.text] + words)
            _ = try await publisher.errorLine(within: .seconds(15)) { $0.contains("Established") }
            return publisher
        }

        private var paths: [ToolLine.Path] {
            guard Testbed.hasHosts else { return [.init(interface: "lo", family: "IPv4")] }
            return ["lan0", "lan1"].flatMap { link in
                ["IPv4", "IPv6"].map { ToolLine.Path(interface: link, family: $0) }
            }
        }

        @Test("Until settled with resolving prints one complete added line: name, paths, host, port, addresses, TXT")
        func untilSettled() async throws {
            let type = try ServiceType.named("tool-line", "_tcp")
            let publisher = try await publish("Käse 🧀 a.b", type, "8080", "path=/", "b")
            defer { publisher.end() }
            let result = try await Dscv.run("browse", type.text, "--resolve", "--json", "--until-settled")
            #expect(result.status == 0)
            #expect(result.errors == "")
            let lines = try result.toolLines
            try #require(lines.count == 1, "\(result.output)")
            var line = lines[0]
            if Testbed.hasHosts { #expect(Set(try #require(line.addresses)) == (try await addresses(of: "beta"))) }
            line.addresses = nil
            var expected = try ToolLine(#"{"event":"added","name":"Käse 🧀 a.b","domain":"local","port":8080}"#)
            expected.type = type.text
            expected.paths = paths
            expected.host = "\(Testbed.peer).local"
            expected.txt = [.init(key: "path", value: .text("/")), .init(key: "b", value: .none)]
            #expect(line == expected)
        }

        @Test("Bytes that are no text are printed in base64")
        func binaryValues() async throws {
            let type = try ServiceType.named("tool-binary", "_tcp")
            // The shell makes bytes that a Swift string cannot hold.
            let command = #"exec avahi-publish -s Bytes \#(type.text) 1 $'raw=\xff\xfe\x01' empty= text=ü"#
            let publisher = try Testbed.start(on: Testbed.peer, "bash", "-c", command)
            defer { publisher.end() }
            let browser = try Dscv.start("browse", type.text, "--resolve", "--json")
            let line = try await browser.told("added")
            #expect(
                line.txt == [
                    .init(key: "raw", value: .base64("//4B")), .init(key: "empty", value: .text("")),
                    .init(key: "text", value: .text("ü")),
                ]
            )
        }

        @Test("Without a type, services of all types are printed, each once")
        func allTypes() async throws {
            let types = [try ServiceType.named("tool-all-a", "_tcp"), try ServiceType.named("tool-all-b", "_udp")]
            let publishers = [try await publish("A", types[0], "1"), try await publish("B", types[1], "2")]
            defer { for publisher in publishers { publisher.end() } }
            let result = try await Dscv.run("browse", "--json", "--until-settled")
            let found = try result.toolLines.filter { types.map(\.text).contains($0.type) }
            #expect(found.map(\.event) == ["added", "added"])
            #expect(Set(found.map(\.name)) == ["A", "B"])
            #expect(found.allSatisfy { $0.paths == paths })
            #expect(result.status == 0)
        }

        @Test("Paths that go and return are updates, the service's end is a removal", .needsHosts)
        func updates() async throws {
            let type = try ServiceType.named("tool-update", "_tcp")
            let publisher = try await publish("Moves", type, "80")
            let browser = try Dscv.start("browse", type.text, "--resolve", "--json")
            try await browser.told("added") { $0.name == "Moves" && $0.port == 80 }
            try await Testbed.with(["link", "alpha", "lan1", "down"], undoneBy: ["link", "alpha", "lan1", "up"]) {
                _ = try await browser.told("updated") { $0.paths?.map(\.interface) == ["lan0", "lan0"] }
            }
            try await browser.told("updated") { $0.paths?.count == 4 }
            publisher.end()
            let removal = try await browser.told("removed")
            #expect(removal.name == "Moves")
            #expect(removal.paths == nil && removal.host == nil)
            let events = try browser.lines.map { try ToolLine($0).event }
            #expect(events.count { $0 == "added" } == 1)
            #expect(events.count { $0 == "settled" } == 1)
            browser.send(SIGINT)
            #expect(try await browser.waitForEnd() == 130)
        }

        @Test("A browse that finds nothing succeeds and says why that may be; connecting to nobody fails with 1")
        func nothing() async throws {
            let connecting = try Dscv.start("connect", "Nobody", "--type", "_tool-nothing._udp")
            for end in [["--until-settled"], ["--for", "0.5"]] {
                let words = [Testbed.dscv, "browse", "_tool-nothing._tcp"] + end
                let result = try await ChildProcess.run(words, within: .seconds(20))
                #expect(result.status == 0)
                #expect(result.output == "")
                #expect(result.errorLineCount == 1 && result.errors.contains("_tool-nothing._tcp"))
            }
            let result = try await connecting.finished()
            #expect(result.status == 1)
            #expect(result.errorLineCount == 1 && result.errors.contains("Nobody"), "\(result.errors)")
        }

        @Test("People get columns: what the network says cannot steer their terminal")
        func columns() async throws {
            let type = try ServiceType.named("tool-columns", "_tcp")
            let publisher = try await publish("Plain", type, "80", "evil=\u{1b}[31m", "flag")
            defer { publisher.end() }
            let result = try await Dscv.run("browse", type.text, "--resolve", "--until-settled")
            #expect(result.output.hasPrefix("added"))
            #expect(result.output.contains("\(Testbed.peer).local:80"))
            #expect(result.output.contains("evil=\u{fffd}[31m"))
            #expect(!result.output.contains("\u{1b}"))
        }

        @Test("A name is resolved; one that nobody answers for fails with 1 and one line on stderr")
        func resolve() async throws {
            let type = try ServiceType.named("tool-resolve", "_tcp")
            let publisher = try await publish("There a.b", type, "4711", "k=v")
            defer { publisher.end() }
            let found = try await Dscv.run("resolve", "There a.b", type.text, "--json")
            let line = try #require(try found.toolLines.first)
            #expect(line.event == "resolved" && line.port == 4711 && line.host == "\(Testbed.peer).local")
            #expect(line.txt == [.init(key: "k", value: .text("v"))])
            if Testbed.hasHosts { #expect(Set(try #require(line.addresses)) == (try await addresses(of: "beta"))) }
            let missing = try await Dscv.run("resolve", "Nobody", type.text, "--timeout", "1")
            #expect(missing.status == 1)
            #expect(missing.output == "")
            #expect(missing.errorLineCount == 1 && missing.errors.contains("Nobody"))
        }
    }
}
