import AvahiDiscovery
import Foundation
import Testing

extension DaemonTests {
    @Suite("Testbeds within this one", .needsTestbed, .timeLimit(.minutes(2)))
    struct NestedTestbeds {
        /// A testbed within this one, which publishes a service and browses for its type.
        private func inner(_ name: String, _ type: ServiceType) throws -> ChildProcess {
            let commands = #""$TESTBED" on beta avahi-publish -s "$1" "$2" 1 & exec avahi-browse -p "$2""#
            return try ChildProcess(
                [TestbedTests.script, "--hosts", "2", "--", "bash", "-c", commands, "inner", name, type.text]
            )
        }

        @Test("Testbeds side by side have daemons of their own: none sees another's services", .needsHosts)
        func isolation() async throws {
            let type = try ServiceType.named("nested", "_tcp")
            let publisher = try Testbed.start(on: "beta", "avahi-publish", "-s", "Outer", type.text, "1")
            defer { publisher.end() }
            let events = Follower(try Discovery().browse(type))
            _ = try await events.first(within: .seconds(15)) { $0.shows("Outer", paths: 4) }
            let names = ["InnerA", "InnerB"]
            let inners = try names.map { try inner($0, type) }
            defer { for inner in inners { inner.end() } }
            for (name, inner) in zip(names, inners) {
                for link in ["lan0", "lan1"] {
                    _ = try await inner.line(within: .seconds(30)) {
                        $0.hasPrefix("+;\(link);") && $0.contains(";\(name);")
                    }
                }
            }
            let told = await events.rest(within: .seconds(2))
            #expect(told.allSatisfy { $0.name == nil || $0.name == "Outer" }, "\(told)")
            for (name, inner) in zip(names, inners) {
                #expect(inner.lines.allSatisfy { $0.contains(";\(name);") }, "\(inner.lines)")
                inner.end()
                _ = try await inner.waitForEnd(within: .seconds(20))
            }
        }
    }
}

/// What touches no daemon of this testbed, so that it runs beside the tests that do.
@Suite("The testbed's command line", .needsTestbed, .timeLimit(.minutes(1)))
struct TestbedTests {
    static let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(component: "testbed").path(percentEncoded: false)

    private func run(_ words: String...) async throws -> ChildProcess.Finished {
        try await ChildProcess.run([Self.script] + words, within: .seconds(60))
    }

    @Test("The command's exit status is the testbed's, and its place and words are the caller's", .needsHosts)
    func status() async throws {
        let result = try await run("--hosts", "1", "--", "bash", "-c", #"pwd; echo "$1"; exit 7"#, "x", "a  b")
        #expect(result.status == 7)
        #expect(result.output == "\(FileManager.default.currentDirectoryPath)\na  b")
    }

    @Test("A report of what would be used succeeds; an unknown option or a missing command is a wrong command line")
    func commandLine() async throws {
        let check = try await run("--check")
        #expect(check.status == 0 || (check.status == 69 && !Testbed.hasHosts), "\(check.errors)")
        for words in [["--nonsense", "--", "true"], ["--hosts", "13", "--", "true"], []] {
            let result = try await ChildProcess.run([Self.script] + words, within: .seconds(30))
            #expect(result.status == 64)
            #expect(result.errors.hasPrefix("testbed: "))
        }
    }

    @Test(
        "A local testbed within this one has one host, whose services are found on the loopback interface",
        .needsHosts
    )
    func local() async throws {
        let commands =
            #"echo "mode $TESTBED_MODE"; avahi-publish -s Local _nested._tcp 1 & exec avahi-browse -p _nested._tcp"#
        let inner = try ChildProcess([Self.script, "--local", "--", "bash", "-c", commands])
        defer { inner.end() }
        _ = try await inner.line(within: .seconds(30)) { $0 == "mode local" }
        _ = try await inner.line(within: .seconds(15)) { $0.hasPrefix("+;lo;") && $0.contains(";Local;") }
    }

    @Test("A loss tells its percentage and exactly what it has dropped; a new one counts anew", .needsHosts)
    func lossCount() async throws {
        let commands = #"""
            say() { for i in $(seq "$1"); do echo x >/dev/udp/10.77.0.2/4000; done; }
            "$TESTBED" loss beta
            "$TESTBED" loss beta 100; say 37; "$TESTBED" loss beta; "$TESTBED" loss alpha
            "$TESTBED" loss beta 99; "$TESTBED" loss beta
            "$TESTBED" loss beta 0; say 5; "$TESTBED" loss beta
            """#
        let result = try await run("bash", "-c", commands)
        #expect(result.status == 0, "\(result.errors)")
        #expect(
            result.output.split(separator: "\n") == [
                "percent=0 dropped=0", "percent=100 dropped=37", "percent=0 dropped=0", "percent=99 dropped=0",
                "percent=0 dropped=0",
            ]
        )
    }
}
