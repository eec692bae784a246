import Discoverable
import Testing

/// What needs no daemon, so that it runs beside the tests that do.
@Suite("dscv without a daemon", .timeLimit(.minutes(1)))
struct ToolUsageTests {
    @Test(
        "A wrong command line ends with 64 and one line on stderr that names what is wrong",
        arguments: [
            (["browse", "http"], "http"), (["browse", "_x._tcp", "_y._tcp"], "one type"),
            (["brows"], "brows"), ([], "verb"), (["browse", "--until-setled"], "--until-setled"),
            (["browse", "_x._tcp", "--for"], "--for"), (["browse", "--for", "soon"], "soon"),
            (["browse", "--for", "1", "--until-settled"], "--until-settled"),
            (["browse", "--interface", "nosuch0"], "nosuch0"), (["browse", "--interface", "0"], "\"0\""),
            (["browse", "--family", "ipx"], "ipx"), (["browse", "--subtype", "_printer"], "needs a type"),
            (["browse", "_x1._tcp", "--subtype", "printer"], "_printer"), (["browse", "_a1._sub.x"], "_http._tcp"),
            (["domains", "x"], "no operands"), (["domains", "--kind", "x"], "legacy"), (["lookup"], "beta.local"),
            (["lookup", "a", "b"], "beta.local"), (["lookup", "a..b"], "a..b"),
            (["lookup", "fe80::1%nosuch0"], "nosuch0"),
            (["records"], "AAAA"), (["records", "a.local", "NOPE"], "NOPE"), (["verify", "Name"], "type"),
            (["records", "a.local", "A", "--timeout", "x"], "\"x\""), (["verify", "Name", "tcp"], "tcp"),
            (["types", "_x._tcp"], "dscv browse TYPE"), (["types", "--family", "6to4"], "6to4"),
            (["types", "--for", "1", "--until-settled"], "--until-settled"), (["doctor", "x"], "no operands"),
            (["publish", "Name", "_x._tcp", "65536"], "65536"), (["publish", "Name", "_x._tcp"], "port"),
            (["publish", "Name", "_x._tcp", "1", "--", "Other", "tcp", "2"], "tcp"),
            (["publish", "Name", "_x._tcp", "1", "=value"], "key"),
            (["publish", String(repeating: "x", count: 64), "_x._tcp", "1"], "63"),
            (["publish", "--host", "printer"], "printer.local=192.0.2.7"), (["publish", "--alias", "a..b"], "a..b"),
            (["publish", "Name", "_x1._tcp", "1", "--subtype", "printer"], "_printer"), (["resolve", "Name"], "type"),
            (["serve", "--port", "-1"], "-1"), (["serve", "a", "b"], "one name"),
            (["connect", "a", "b"], "one peer"), (["connect", "--type", "nonsense"], "nonsense"),
            (["connect", "host:65536"], "65536"), (["connect", "192.0.2.1:0"], "port 0"),
            (["ping", "a", "b"], "one peer"), (["ping", "host:0"], "from 1 to 65535"), (["ping", ""], "empty"),
            (["ping", "--type", "nonsense"], "nonsense"), (["ping", "x", "--counts", "1"], "--counts"),
            (["ping", "x", "--count", "0"], "at least 1, not \"0\""), (["ping", "x", "--count", "-1"], "\"-1\""),
            (["ping", "x", "--count", "many"], "many"), (["ping", "x", "--count", "1.5"], "1.5"),
            (["ping", "x", "--count", "99999999999999999999"], "99999999999999999999"),
            (["ping", "x", "--size", "0"], "from 1 to 1024"), (["ping", "x", "--size", "1025"], "1025"),
            (["ping", "x", "--size", "big"], "big"), (["ping", "x", "--interval", "-1"], "\"-1\""),
            (["ping", "x", "--interval", "nan"], "nan"), (["ping", "x", "--timeout", "0"], "more than 0"),
            (["ping", "x", "--timeout", "soon"], "soon"),
        ]
    )
    func usage(words: [String], hint: String) async throws {
        let result = try await ChildProcess.run([Testbed.dscv] + words, within: .seconds(20))
        #expect(result.status == 64)
        #expect(result.output == "")
        #expect(result.errorLineCount == 1, "\(result.errors)")
        #expect(result.errors.hasPrefix("dscv: ") && result.errors.contains(hint), "\(result.errors)")
    }

    @Test("The demo needs the testbed and says how to get it")
    func demoOutside() async throws {
        let result = try await ChildProcess.run(
            ["env", "-u", "TESTBED", Testbed.dscv, "demo"],
            within: .seconds(20)
        )
        #expect(result.status == 64)
        #expect(result.errors.contains("Tests/testbed swift run dscv demo"))
    }

    @Test("Help is no error")
    func help() async throws {
        let result = try await Dscv.run("--help")
        #expect(result.status == 0)
        #expect(
            result.output.contains("dscv browse [TYPE") && result.output.contains("dscv doctor")
                && result.output.contains("dscv ping [NAME")
                && result.errors == ""
        )
    }

    @Test("Connecting to nobody fails with 1 and one line on stderr that says why")
    func connectFails() async throws {
        let socket = try UDPSocket(family: .ipv4)
        try await socket.bind(to: try #require(SocketAddress.parse("127.0.0.1:0")))
        let port = try await socket.localAddress.port
        await socket.close()
        let tools = [
            (try Dscv.start("connect", "127.0.0.1:\(port)"), "nobody listens"),
            (try Dscv.start("connect", "nosuchhost.invalid:1"), "nosuchhost.invalid"),
        ]
        for (tool, hint) in tools {
            let result = try await tool.finished()
            #expect(result.status == 1)
            #expect(result.errorLineCount == 1 && result.errors.contains(hint), "\(result.errors)")
        }
    }
}
