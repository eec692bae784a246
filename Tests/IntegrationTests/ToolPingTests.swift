import Discoverable
import Glibc
import Testing

extension ToolDaemonTests {
    @Suite("dscv ping", .needsTestbed, .timeLimit(.minutes(2)))
    struct ToolPing {
        private func ping(_ server: ReferenceServer, _ words: String...) async throws -> ChildProcess.Finished {
            try await ChildProcess.run(
                [Testbed.dscv, "ping", server.address.endpointText, "--json"] + words,
                within: .seconds(60)
            )
        }

        @Test(
            "Messages to the reference server are acknowledged one after the other; the server goes on, or ends on demand"
        )
        func acknowledged() async throws {
            let server = try await ReferenceServer.start()
            let result = try await ping(server, "--count", "3", "--interval", "0", "--name", "Pinger")
            let lines = try result.toolLines
            #expect(
                lines.map(\.event) == [
                    "connecting", "connected", "sent", "acknowledged", "strength", "sent", "acknowledged", "sent",
                    "acknowledged", "closed", "summary",
                ]
            )
            #expect(lines.allSatisfy { $0.peer == server.address.endpointText })
            let texts = ["ping 1", "ping 2", "ping 3"]
            #expect(lines.filter { $0.event == "acknowledged" }.map(\.text) == texts)
            #expect(result.status == 0 && result.errors == "")
            #expect(try server.received == ["dscv_discover:Pinger"] + texts)
            try expectFigures(of: lines)

            let last = try await ping(server, "--count", "1", "--size", "1024", "--end-peer")
            #expect(last.status == 0)
            #expect(try await server.closed() == "disconnect")
            #expect(try server.payloads.last?.utf8.count == 1024)
        }

        /// The summary's times are those of the lines, to the microsecond.
        private func expectFigures(of lines: [ToolLine]) throws {
            let times = lines.filter { $0.event == "acknowledged" }.compactMap(\.rtt).sorted()
            let summary = try #require(lines.last)
            #expect(summary.sent == times.count && summary.acknowledged == times.count)
            #expect(summary.lost == 0 && summary.abandoned == 0 && summary.loss == 0)
            let figures = [summary.rttMin, summary.rttMedian, summary.rttP95, summary.rttP99, summary.rttMax]
            for (figure, time) in zip(figures, [times[0], times[1], times[2], times[2], times[2]]) {
                #expect(abs(try #require(figure) - time) < 0.000_001)
            }
        }

        @Test("Over 20 % loss, exactly what the peer's kernel has dropped is lost, and the rest arrived", .needsHosts)
        func loss() async throws {
            let server = try await ReferenceServer.start()
            let words = ["--count", "60", "--interval", "0.05", "--timeout", "0.6", "--json"]
            let tool = try ChildProcess([Testbed.dscv, "ping", server.address.endpointText] + words)
            try await tool.told("connected")
            let (result, dropped) = try await Testbed.with(
                ["loss", "beta", "20"],
                undoneBy: ["loss", "beta", "0"]
            ) { (try await tool.finished(), try await Testbed.dropped(at: "beta")) }
            let summary = try #require(try result.toolLines.last)
            #expect(dropped > 0)
            #expect(summary.sent == 60 && summary.lost == dropped && summary.acknowledged == 60 - dropped)
            #expect(summary.loss == 100 * Double(dropped) / 60)
            let acknowledged = try result.toolLines.filter { $0.event == "acknowledged" }.map(\.text)
            #expect(try server.payloads == acknowledged)
            #expect(try result.toolLines.count { $0.event == "lost" } == dropped)
            #expect(result.status == 0 && result.errors == "")
        }

        @Test("A server that acknowledges nothing ends nothing: all messages are sent, lost, and that is a failure")
        func nothingAcknowledged() async throws {
            let server = try await ReferenceServer.start("no-ack")
            let result = try await ping(server, "--count", "7", "--interval", "0", "--timeout", "0.1")
            let lines = try result.toolLines
            let summary = try #require(lines.last)
            #expect(summary.sent == 7 && summary.lost == 7 && summary.acknowledged == 0 && summary.loss == 100)
            #expect(summary.rttMin == nil && summary.rttMedian == nil && summary.rttP99 == nil)
            #expect(lines.count { $0.event == "lost" } == 7)
            #expect(lines.filter { $0.event == "strength" }.map(\.strength) == [0])
            #expect(result.status == 1)
            #expect(result.errorLineCount == 1 && result.errors.contains("firewall"), "\(result.errors)")
        }

        @Test("A server that never answers is told as such, soon where the time-out is short, and without a summary")
        func noAnswer() async throws {
            let server = try await ReferenceServer.start("silent")
            let start = ContinuousClock.now
            let result = try await ping(server, "--timeout", "0.1")
            #expect(start.duration(to: .now) < .seconds(3))
            #expect(try result.toolLines.map(\.event) == ["connecting", "failed"])
            #expect(try result.toolLines.last?.reason?.contains("did not answer") == true)
            #expect(result.status == 1 && result.errorLineCount == 1, "\(result.errors)")
            #expect(try server.received.count == 5)
        }

        @Test("A peer that ends the session ends the ping, which succeeds if it had an answer")
        func endedByPeer() async throws {
            let server = try await ReferenceServer.start("disconnect-after-3")
            let result = try await ping(server, "--interval", "0")
            let lines = try result.toolLines
            #expect(lines.first { $0.event == "closed" }?.reason == "the peer closed it")
            let summary = try #require(lines.last)
            #expect(summary.event == "summary" && summary.acknowledged == 3 && summary.lost == 0)
            #expect(result.status == 0)
        }

        @Test(
            "An interruption prints the summary and ends with 130; one that comes before the session has nothing to sum up"
        )
        func interrupted() async throws {
            let server = try await ReferenceServer.start()
            let tool = try Dscv.start("ping", server.address.endpointText, "--interval", "0.01", "--json")
            for number in 1...3 { try await tool.told("acknowledged") { $0.text == "ping \(number)" } }
            tool.send(SIGINT)
            let result = try await tool.finished(within: .seconds(5))
            #expect(result.status == 130 && result.errors == "")
            let lines = try result.toolLines
            let summary = try #require(lines.last)
            let acknowledged = lines.count { $0.event == "acknowledged" }
            #expect(summary.event == "summary" && summary.acknowledged == acknowledged && acknowledged >= 3)
            #expect(summary.sent == lines.count { $0.event == "sent" } && summary.lost == 0)

            let silent = try await ReferenceServer.start("silent")
            let early = try Dscv.start("ping", silent.address.endpointText, "--json")
            try await silent.receives { $0.hasPrefix("dscv_discover") }
            early.send(SIGINT)
            let end = try await early.finished(within: .seconds(5))
            #expect(end.status == 130 && end.errors == "")
            #expect(try end.toolLines.map(\.event) == ["connecting"])
        }

        @Test(
            "A message whose outcome the end cuts off is told with a reason, and counts neither as lost nor as arrived"
        )
        func abandoned() async throws {
            let server = try await ReferenceServer.start("no-ack")
            let tool = try Dscv.start("ping", server.address.endpointText, "--timeout", "60", "--json")
            try await tool.told("sent")
            tool.send(SIGINT)
            let result = try await tool.finished(within: .seconds(5))
            #expect(result.status == 130 && result.errors == "")
            let lines = try result.toolLines
            #expect(lines.map(\.event) == ["connecting", "connected", "sent", "lost", "closed", "summary"])
            #expect(lines[3].text == "ping 1" && lines[3].reason?.contains("ended before") == true)
            let summary = lines[5]
            #expect(summary.sent == 1 && summary.abandoned == 1 && summary.lost == 0 && summary.acknowledged == 0)
            #expect(summary.loss == nil)
        }

        @Test("A peer is found by its name, by its type alone, and by a host's name")
        func found() async throws {
            let type = "_tool-ping._udp"
            let server = try Dscv.start(on: Testbed.peer, "serve", "Pings a.b", "--type", type, "--port", "0", "--json")
            try await server.told("serving")
            for words in [["Pings a.b", "--type", type], ["--type", type]] {
                let command = [Testbed.dscv, "ping", "--count", "1", "--end-peer", "--json"] + words
                let result = try await ChildProcess.run(command, within: .seconds(20))
                #expect(result.status == 0 && result.errors == "")
                #expect(try result.toolLines.last?.peer == "Pings a.b")
                try await server.told("received") { $0.text == "ping 1" }
                try await server.told("closed") { $0.reason == "the peer closed it" }
            }
            let local = try ChildProcess(
                Testbed.peerScript("dscv_server.py") + ["--port", "0", "--address", "127.0.0.1"]
            )
            let listening = try await local.line(within: .seconds(10)) { $0.contains("listening") }
            let address = "localhost:\(try #require(Int(listening.filter(\.isNumber))))"
            let result = try await Dscv.run("ping", address, "--count", "1", "--json")
            #expect(result.status == 0)
            #expect(try result.toolLines.last?.peer == address)
        }

        @Test("People get a line for each message and a graph, and a pipe gets no control sequence")
        func people() async throws {
            let server = try await ReferenceServer.start()
            let target = server.address.endpointText
            let result = try await Dscv.run("ping", target, "--count", "4", "--interval", "0", "--size", "300")
            #expect(result.status == 0 && result.errors == "")
            #expect(!result.output.contains("\u{1b}"))
            let lines = result.output.split(separator: "\n")
            #expect(lines.count { $0.hasPrefix("acknowledged") && $0.hasSuffix(" ms") } == 4)
            #expect(lines.count == 2 + 4 + 1 + 3 && lines.allSatisfy { $0.count < 100 }, "\(result.output)")
            #expect(lines.suffix(3).first == "\(target): 4 sent, 4 acknowledged, 0 lost (0.0 %)")
            #expect(lines.last == "strength  ████")
        }
    }
}
