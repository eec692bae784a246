import Foundation
import Glibc
import Testing

extension ToolDaemonTests {
    @Suite("dscv doctor", .needsHosts, .timeLimit(.minutes(3)))
    struct ToolDoctor {
        private struct Check: Decodable {
            let event: String
            let check: String
            let verdict: String
            let reason: String
            let mend: String?
        }

        /// Runs the doctor and returns its status and what it has found.
        private func examine() async throws -> (status: Int32, checks: [Check], errors: String) {
            let result = try await Dscv.run("doctor", "--json", within: .seconds(60))
            let checks = try result.output.split(separator: "\n").map {
                try JSONDecoder().decode(Check.self, from: Data($0.utf8))
            }
            #expect(checks.allSatisfy { $0.event == "check" })
            return (result.status, checks, result.errors)
        }

        private static let all: Set = [
            "d-bus", "daemon", "configuration", "interfaces", "host name", "service names", "nss-mdns", "responders",
            "round trip",
        ]

        private func wrong(_ checks: [Check]) -> [String] { checks.filter { $0.verdict == "wrong" }.map(\.check) }

        @Test("A healthy host: nothing is wrong, the round trip is real, and people are told so")
        func healthy() async throws {
            let witness = try Testbed.start(on: "beta", "avahi-browse", "-p", "_dscv-doctor._udp")
            let (status, checks, errors) = try await examine()
            #expect(status == 0 && errors == "")
            #expect(Set(checks.map(\.check)) == Self.all)
            #expect(wrong(checks) == [])
            let verdicts = Dictionary(checks.map { ($0.check, $0) }) { first, _ in first }
            for check in ["d-bus", "daemon", "configuration", "interfaces", "host name", "service names", "responders"]
            {
                #expect(verdicts[check]?.verdict == "ok", "\(check): \(verdicts[check]?.reason ?? "")")
            }
            #expect(verdicts["daemon"]?.reason.contains("avahi 0.") == true)
            #expect(verdicts["interfaces"]?.reason.contains("lan0 (IPv4, IPv6), lan1 (IPv4, IPv6)") == true)
            #expect(verdicts["host name"]?.reason.contains("alpha.local") == true)
            #expect(verdicts["round trip"]?.verdict == "ok")
            _ = try await witness.line(within: .seconds(5)) { $0.hasPrefix("+") && $0.contains("dscv") }

            let people = try await Dscv.run("doctor", within: .seconds(60))
            #expect(people.status == 0 && people.errors.contains("this host is healthy"))
        }

        @Test("With the daemon stopped that is what is wrong, all checks are printed, and the status is 69")
        func stopped() async throws {
            try await Testbed.with(["daemon", "alpha", "stop"], undoneBy: ["daemon", "alpha", "start"]) {
                let (status, checks, errors) = try await examine()
                #expect(status == 69)
                #expect(wrong(checks) == ["daemon"])
                #expect(Set(checks.map(\.check)) == Self.all)
                let daemon = try #require(checks.first { $0.check == "daemon" })
                #expect(daemon.reason == "avahi-daemon is not running" && daemon.mend == "systemctl start avahi-daemon")
                #expect(errors.hasPrefix("dscv: wrong: daemon"))
            }
        }

        @Test("A daemon that hangs is told from one that is not there")
        func hanging() async throws {
            try await Testbed.with(["daemon", "alpha", "pause"], undoneBy: ["daemon", "alpha", "resume"]) {
                let (status, checks, _) = try await examine()
                #expect(status == 69 && wrong(checks) == ["daemon"])
                #expect(checks.first { $0.check == "daemon" }?.reason.contains("does not answer") == true)
            }
        }

        @Test(
            "With publishing disabled exactly that setting is wrong, by name and file",
            arguments: ["disable-publishing", "disable-user-service-publishing"]
        )
        func publishingDisabled(key: String) async throws {
            try await Testbed.with(
                ["config", "alpha", "publish", key, "yes"],
                undoneBy: ["config", "alpha", "publish", key, "no"]
            ) {
                let (status, checks, errors) = try await examine()
                #expect(status == 1)
                #expect(wrong(checks) == ["configuration"])
                let fault = try #require(checks.first { $0.verdict == "wrong" })
                #expect(fault.reason.hasPrefix("\(key)=yes"))
                #expect(fault.mend?.contains("\(key)=no") == true)
                #expect(fault.mend?.contains("/alpha/avahi-daemon.conf") == true)
                #expect(errors.hasPrefix("dscv: wrong: configuration"))
            }
        }

        @Test("With no network interface up exactly that is wrong, and each is named")
        func noInterface() async throws {
            try await Testbed.with(["link", "alpha", "lan0", "down"], undoneBy: ["link", "alpha", "lan0", "up"]) {
                try await Testbed.with(["link", "alpha", "lan1", "down"], undoneBy: ["link", "alpha", "lan1", "up"]) {
                    let (status, checks, _) = try await examine()
                    #expect(status == 1)
                    #expect(wrong(checks) == ["interfaces"])
                    let fault = try #require(checks.first { $0.verdict == "wrong" })
                    #expect(
                        fault.reason.hasSuffix("usable for multicast: lan0 is down, lan1 is down"),
                        "\(fault.reason)"
                    )
                    #expect(fault.mend == "ip link set lan0 up")
                }
            }
        }

        @Test("A second program on port 5353, a taken host name and a taken service name are warned of")
        func warnings() async throws {
            let script =
                "import socket,sys\ns=socket.socket(socket.AF_INET,socket.SOCK_DGRAM)\n"
                + "s.setsockopt(socket.SOL_SOCKET,socket.SO_REUSEADDR,1)\ns.setsockopt(socket.SOL_SOCKET,15,1)\n"
                + "s.bind(('',5353))\nprint('bound',flush=True)\nsys.stdin.read()"
            let second = try ChildProcess(["/usr/bin/python3", "-c", script], input: .open)
            _ = try await second.line(within: .seconds(10)) { $0 == "bound" }
            let holder = try Testbed.start(on: "beta", "avahi-publish", "-s", "Taken", "_tool-doctor._tcp", "1")
            _ = try await holder.errorLine(within: .seconds(15)) { $0.contains("Established") }
            let loser = try Dscv.start("publish", "Taken", "_tool-doctor._tcp", "2", "--json")
            try await loser.told("established") { $0.name == "Taken #2" }
            try await Testbed.with(
                ["config", "alpha", "server", "host-name", "beta"],
                undoneBy: ["config", "alpha", "server", "host-name", "alpha"]
            ) {
                try await loser.told("established") { $0.name == "Taken #2" }
                let (status, checks, errors) = try await examine()
                #expect(status == 0 && errors == "" && wrong(checks) == [])
                func warning(_ check: String) -> String? {
                    checks.first { $0.check == check && $0.verdict == "warning" }?.reason
                }
                #expect(warning("responders")?.contains("python3") == true)
                #expect(warning("host name")?.contains("beta-2.local") == true)
                #expect(warning("service names")?.contains("\"Taken #2\"") == true)
            }
            second.endInput()
        }
    }
}
