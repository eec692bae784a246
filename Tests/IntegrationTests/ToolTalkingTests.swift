import Discoverable
import Foundation
import Glibc
import Testing

extension ToolDaemonTests {
    @Suite("dscv publish, serve, connect and demo", .needsTestbed, .timeLimit(.minutes(2)))
    struct ToolTalking {
        @Test("Two services of one call are published, both are seen, and an interruption withdraws both")
        func publishTwo() async throws {
            let tool = try Dscv.start(
                "publish",
                "--json",
                "First 🎈",
                "_tool-pub-a._tcp",
                "4242",
                "path=/",
                "flag",
                "--",
                "Second",
                "_tool-pub-b._udp",
                "4243"
            )
            let witnesses = try ["_tool-pub-a._tcp", "_tool-pub-b._udp"].map { type in
                try Testbed.start(on: Testbed.peer, "avahi-browse", "-rp", type)
            }
            defer { for witness in witnesses { witness.end() } }
            let first = try await witnesses[0].line(within: .seconds(15)) { $0.hasPrefix("=") }
            // avahi-browse 0.8 prints TXT strings in reverse.
            #expect(first.contains(";4242;") && first.hasSuffix(#""flag" "path=/""#))
            let second = try await witnesses[1].line(within: .seconds(15)) { $0.hasPrefix("=") }
            #expect(second.contains(";Second;") && second.contains(";4243;"))
            var established: Set<String?> = []
            for _ in 1...2 { established.insert(try await tool.told("established").name) }
            #expect(established == ["First 🎈", "Second"])
            tool.send(SIGINT)
            #expect(try await tool.waitForEnd() == 130)
            for witness in witnesses { _ = try await witness.line(within: .seconds(5)) { $0.hasPrefix("-") } }
            try await tool.told("withdrawn") { $0.name == "First 🎈" }
        }

        @Test("What is published by the tool is withdrawn by SIGTERM too")
        func terminated() async throws {
            let tool = try Dscv.start("publish", "Ends", "_tool-term._tcp", "1")
            let witness = try Testbed.start(on: Testbed.peer, "avahi-browse", "-p", "_tool-term._tcp")
            defer { witness.end() }
            _ = try await witness.line(within: .seconds(15)) { $0.hasPrefix("+") }
            tool.end()
            #expect(try await tool.waitForEnd() == 143)
            _ = try await witness.line(within: .seconds(5)) { $0.hasPrefix("-") }
        }

        private func serve(_ name: String, echoes: Bool = false) async throws -> (server: ChildProcess, port: Int) {
            let server = try Dscv.start(
                on: Testbed.peer,
                "serve",
                name,
                "--type",
                "_tool-talk._udp",
                "--port",
                "0",
                echoes ? "--echo" : "--json",
                "--json",
                input: .open
            )
            let serving = try await server.told("serving")
            #expect(serving.name == name)
            return (server, try #require(serving.port))
        }

        @Test(
            "Lines that are typed go to the other side, both ways; the input's end closes the session, not the server"
        )
        func bothWays() async throws {
            let (server, _) = try await serve("Talks a.b")
            let words = ["connect", "Talks a.b", "--type", "_tool-talk._udp", "--name", "Typist", "--json"]
            let client = try ChildProcess([Testbed.dscv] + words, input: .open)
            let connected = try await client.told("connected")
            #expect(connected.peer == "Talks a.b")
            try await server.told("connected") { $0.peer?.hasPrefix("Typist (") == true }
            client.write("hällo 🧀")
            try await server.told("received") { $0.text == "hällo 🧀" }
            let acknowledged = try await client.told("acknowledged") { $0.text == "hällo 🧀" }
            let rtt = try #require(acknowledged.rtt)
            #expect(rtt > 0 && rtt < 2)
            try await client.told("strength") { $0.strength == 100 }
            server.write("and back")
            try await client.told("received") { $0.text == "and back" }
            try await server.told("acknowledged") { $0.text == "and back" }
            client.endInput()
            try await client.told("closed") { $0.reason == "it was closed on this side" }
            #expect(try await client.waitForEnd() == 0)
            try await server.told("closed") { $0.reason == "the peer closed it" }
            server.send(SIGINT)
            #expect(try await server.waitForEnd() == 130)
        }

        @Test("Lines from a file are all sent, one after the other, before the session is closed")
        func piped() async throws {
            let (server, port) = try await serve("Piped")
            let address = "\(try await ipv4Address(of: Testbed.peer)):\(port)"
            let texts = (1...10).map { "line \($0)" }
            let client = try Dscv.start("connect", address, "--json", input: .lines(texts))
            #expect(try await client.waitForEnd() == 0)
            let lines = try await client.finished().toolLines
            #expect(lines.filter { $0.event == "acknowledged" }.map(\.text) == texts)
            #expect(lines.last?.event == "closed")
            try await server.told("closed")
            let received = try server.lines.map { try ToolLine($0) }.filter { $0.event == "received" }
            #expect(received.map(\.text) == texts)
        }

        @Test("A server reads on however long its clients talk, and so do they", arguments: [false, true])
        func manyMessages(echoes: Bool) async throws {
            let (server, port) = try await serve("Listens \(echoes)", echoes: echoes)
            let address = "\(try await ipv4Address(of: Testbed.peer)):\(port)"
            let result = try await Dscv.run(
                "ping",
                address,
                "--count",
                "320",
                "--interval",
                "0",
                "--end-peer",
                "--json"
            )
            let summary = try #require(try result.toolLines.last)
            #expect(summary.acknowledged == 320 && summary.lost == 0)
            try await server.told("closed")
            let texts = (1...320).map { "line \($0)" }
            let client = try Dscv.start("connect", address, "--json", input: .lines(texts))
            let lines = try await client.finished().toolLines
            #expect(lines.filter { $0.event == "acknowledged" }.map(\.text) == texts)
            try await server.told("closed")
            let received = try server.lines.map { try ToolLine($0) }.filter { $0.event == "received" }
            #expect(received.map(\.text) == (1...320).map { "ping \($0)" } + texts)
        }

        @Test("A file is read as its lines are sent, not as fast as it can be read")
        func bigFile() async throws {
            let server = try await ReferenceServer.start("no-ack")
            let file = FileManager.default.temporaryDirectory.appending(path: "dscv-lines-\(getpid())")
            defer { try? FileManager.default.removeItem(at: file) }
            try Data(String(repeating: "a line\n", count: 100_000).utf8).write(to: file)
            let script = #"exec "$1" connect "$2" --json < "$3""#
            let words = [Testbed.dscv, server.address.endpointText, file.path()]
            let tool = try ChildProcess(["sh", "-c", script, "sh"] + words)
            // Two seconds after it was sent.
            try await tool.told("lost")
            let input = try String(contentsOfFile: "/proc/\(tool.pid)/fdinfo/0", encoding: .utf8)
            let position = try #require(input.split(separator: "\n").first { $0.hasPrefix("pos:") })
            #expect(Int(position.filter(\.isNumber)) == 4096)
            tool.send(SIGINT)
            #expect(try await tool.waitForEnd() == 130)
        }

        @Test("A server that is interrupted tells its clients and is withdrawn; a client that is ends its session")
        func interrupted() async throws {
            let (server, port) = try await serve("Interrupted")
            let address = "\(try await ipv4Address(of: Testbed.peer)):\(port)"
            let first = try Dscv.start("connect", address, "--json", input: .open)
            let second = try Dscv.start("connect", address, "--json", input: .open)
            for client in [first, second] { try await client.told("connected") }
            first.send(SIGINT)
            #expect(try await first.waitForEnd() == 130)
            try await server.told("closed")
            let witness = try Testbed.start(on: Testbed.peer, "avahi-browse", "-p", "_tool-talk._udp")
            defer { witness.end() }
            _ = try await witness.line(within: .seconds(10)) { $0.contains(";Interrupted;") }
            server.send(SIGINT)
            #expect(try await server.waitForEnd() == 130)
            try await second.told("closed") { $0.reason == "the peer closed it" }
            #expect(try await second.waitForEnd() == 0)
            _ = try await witness.line(within: .seconds(5)) { $0.hasPrefix("-") && $0.contains(";Interrupted;") }
        }

        @Test("The demo does all of it and exits 0, with a time on every step")
        func demo() async throws {
            let result = try await Dscv.run("demo", "--json", within: .seconds(90))
            #expect(result.status == 0, "\(result.errors)")
            #expect(try result.toolLines.count { $0.event == "done" } >= 10)
        }
    }
}
