import Discoverable
import Foundation
import Glibc
import Testing

extension ToolDaemonTests {
    @Suite("dscv on a terminal", .needsTestbed, .timeLimit(.minutes(2)))
    struct ToolTerminal {
        private let escape = "\u{1b}"

        private func start(
            _ words: [String],
            columns: Int = 80,
            kind: String = "xterm",
            input: ChildProcess.Input = .nothing
        ) throws -> ChildProcess {
            try run([Testbed.dscv] + words, columns: columns, kind: kind, input: input)
        }

        private func run(
            _ command: [String],
            columns: Int = 80,
            kind: String = "xterm",
            input: ChildProcess.Input
        ) throws -> ChildProcess {
            let terminal = ["--columns", "\(columns)", "--rows", "24", "--term", kind, "--"]
            return try ChildProcess(Testbed.peerScript("on_terminal.py") + terminal + command, input: input)
        }

        /// What stood in the terminal's last row, one after the other.
        private func statuses(in output: String) -> [String] {
            output.split(separator: "\(escape)[24;1H\(escape)[2K\(escape)[?7l").dropFirst()
                .compactMap { $0.split(separator: "\(escape)[?7h").first.map(String.init) }
        }

        /// Whether the last row was taken, and given back after all that was drawn there.
        private func expectRestored(_ output: String) {
            #expect(output.contains("\(escape)[1;23r"))
            let end = "\(escape)7\(escape)[r\(escape)[24;1H\(escape)[2K\(escape)8"
            let rest = output.components(separatedBy: end)
            #expect(rest.count == 2 && !(rest.last ?? "").contains("\(escape)["), "\(output)")
        }

        @Test("A ping shows how the session stands in the last row, and gives it back before the summary")
        func ping() async throws {
            let server = try await ReferenceServer.start()
            let target = server.address.endpointText
            let result = try await start(["ping", target, "--count", "3", "--interval", "0"]).finished()
            #expect(result.status == 0)
            let shown = statuses(in: result.output)
            #expect(shown.first == "connecting  \(target)")
            #expect(
                shown.contains { $0.hasPrefix("connected  strength 100 %  ") && $0.hasSuffix(" ms  \(target)") },
                "\(shown)"
            )
            expectRestored(result.output)
            #expect(result.output.hasSuffix("strength  ███\r"))
        }

        @Test("The line is cut to the terminal's width", arguments: [20, 9])
        func narrow(columns: Int) async throws {
            let server = try await ReferenceServer.start()
            let words = ["ping", server.address.endpointText, "--count", "30", "--interval", "0"]
            let result = try await start(words, columns: columns).finished()
            #expect(result.status == 0)
            let shown = statuses(in: result.output)
            #expect(shown.contains { $0 == "connected  strength".prefix(columns - 1) }, "\(shown)")
            #expect(shown.allSatisfy { $0.count < columns })
            let graph = try #require(result.output.split(separator: "\r\n").last { $0.hasPrefix("strength  ") })
            #expect(graph.trimmingCharacters(in: .whitespacesAndNewlines).count <= max(columns, "strength  █".count))
        }

        @Test("Ctrl-C on the terminal gives the last row back, prints the summary and ends with 130")
        func interrupted() async throws {
            let server = try await ReferenceServer.start()
            let tool = try start(["ping", server.address.endpointText, "--interval", "0.01"])
            _ = try await tool.line(within: .seconds(10)) { $0.contains("ping 3") }
            tool.send(SIGINT)
            let result = try await tool.finished(within: .seconds(5))
            #expect(result.status == 130)
            expectRestored(result.output)
            #expect(result.output.contains(" acknowledged, 0 lost (0.0 %)"))
        }

        @Test("What is typed is sent, while the last row tells how the session stands; Ctrl-D closes it")
        func connect() async throws {
            let server = try await ReferenceServer.start()
            let target = server.address.endpointText
            let tool = try start(["connect", target], input: .open)
            _ = try await tool.line(within: .seconds(10)) { $0.contains("connected") && $0.contains(target) }
            tool.write("hällo")
            _ = try await tool.line(within: .seconds(10)) { $0.contains("acknowledged") }
            #expect(try await server.payloads(until: "hällo") == ["hällo"])
            tool.write("\u{4}")
            let result = try await tool.finished(within: .seconds(10))
            #expect(result.status == 0)
            #expect(statuses(in: result.output).contains { $0.hasPrefix("connected  strength 100 %") })
            expectRestored(result.output)
            #expect(try await server.closed() == "disconnect")
        }

        @Test("Ctrl-Z leaves the last row to the shell, and coming back takes it again")
        func stopped() async throws {
            let server = try await ReferenceServer.start()
            let tool = try start(["ping", server.address.endpointText, "--interval", "0.01"], input: .open)
            _ = try await tool.line(within: .seconds(10)) { $0.contains("ping 3") }
            tool.write("\u{1a}")
            _ = try await tool.line(within: .seconds(10)) { $0 == "[stopped]" }
            _ = try await tool.line(within: .seconds(10)) { $0.contains("acknowledged") }
            tool.send(SIGINT)
            let result = try await tool.finished(within: .seconds(5))
            #expect(result.status == 130)
            let parts = result.output.components(separatedBy: "[stopped]\n")
            try #require(parts.count == 2)
            for part in parts { expectRestored(part) }
            #expect(statuses(in: parts[1]).contains { $0.hasPrefix("connected  strength 100 %") })
        }

        @Test(
            "A job in the background leaves the last row to the shell, and takes it when it comes to the foreground",
            arguments: [
                #""$@" & echo ---; read -r; echo +++; fg"#,
                #""$@"; bg; echo ---; read -r; read -r; echo +++; fg"#,
            ]
        )
        func background(script: String) async throws {
            let server = try await ReferenceServer.start()
            let words = [Testbed.dscv, "ping", server.address.endpointText, "--interval", "0.01"]
            let tool = try run(["bash", "-c", "set -m; " + script, "bash"] + words, input: .open)
            if script.contains("bg") {
                _ = try await tool.line(within: .seconds(10)) { $0.contains("ping 3") }
                tool.write("\u{1a}")
            }
            _ = try await tool.line(within: .seconds(10)) { $0.contains("---") }
            for _ in 1...5 { _ = try await tool.line(within: .seconds(10)) { $0.contains("acknowledged") } }
            tool.write("")
            _ = try await tool.line(within: .seconds(10)) { $0.contains("\(escape)[1;23r") }
            tool.send(SIGINT)
            let output = try await tool.finished(within: .seconds(5)).output
            let parts = output.components(separatedBy: "---").flatMap { $0.components(separatedBy: "+++") }
            try #require(parts.count == 3)
            #expect(statuses(in: parts[0]).isEmpty != script.contains("bg"))
            // What its lines are coloured with is all that there is of control.
            #expect(!parts[1].replacing(/\u{1b}\[[0-9]+m/, with: "").contains(escape), "\(parts[1])")
            #expect(parts[1].contains("acknowledged"))
            expectRestored(parts[2])
            #expect(statuses(in: parts[2]).contains { $0.hasPrefix("connected  strength 100 %") })
        }

        @Test("Ctrl-\\ gives the last row back too, and ends at once")
        func quit() async throws {
            let server = try await ReferenceServer.start()
            let tool = try start(["ping", server.address.endpointText, "--interval", "0.01"], input: .open)
            _ = try await tool.line(within: .seconds(10)) { $0.contains("ping 3") }
            tool.write("\u{1c}")
            let result = try await tool.finished(within: .seconds(5))
            #expect(result.status == 131)
            expectRestored(result.output)
            #expect(!result.output.contains(" lost ("))
        }

        @Test("A second interruption ends it also where Ctrl-S has stopped the terminal")
        func stoppedTerminal() async throws {
            let server = try await ReferenceServer.start()
            let tool = try start(["ping", server.address.endpointText, "--interval", "0"], input: .open)
            _ = try await tool.line(within: .seconds(10)) { $0.contains("ping 3") }
            tool.write("\u{13}")
            // Nothing comes out any more, and with it nothing that tells when the first one has been taken.
            _ = await tool.rest(within: .milliseconds(500))
            var status: Int32?
            for _ in 1...20 where status == nil {
                tool.send(SIGTERM)
                status = try? await tool.waitForEnd(within: .milliseconds(500))
            }
            #expect(status == 143)
        }

        @Test("Whoever looks for a peer in vain gets the last row back too")
        func failure() async throws {
            let server = try await ReferenceServer.start("silent")
            let result = try await start(["ping", server.address.endpointText, "--timeout", "0.1"]).finished()
            #expect(result.status == 1)
            #expect(statuses(in: result.output) == ["connecting  \(server.address.endpointText)"])
            #expect(result.output.contains("\(escape)[1;23r") && result.output.contains("\(escape)[r"))
        }

        @Test(
            "A program, a terminal without control sequences, and a pipe get no such line",
            arguments: [(["--json"], "xterm"), ([], "dumb"), ([], "pipe")]
        )
        func none(words: [String], kind: String) async throws {
            let server = try await ReferenceServer.start()
            let command = ["ping", server.address.endpointText, "--count", "1"] + words
            let result =
                kind == "pipe"
                ? try await ChildProcess.run(["env", "TERM=xterm", Testbed.dscv] + command, within: .seconds(20))
                : try await start(command, kind: kind).finished()
            #expect(result.status == 0)
            #expect(!result.output.contains("\(escape)[24") && !result.output.contains("\(escape)7"))
            #expect(result.output.contains("acknowledged") && result.errors == "")
        }
    }
}
