import Discoverable
import Testing

@testable import dscv

/// One after the other: `getopt_long` has one state for the whole process.
@Suite("What dscv publish is asked to publish", .serialized)
struct PublishPlanTests {
    private func plan(_ words: String...) throws -> Advertisement { try PublishPlan(words).advertisement }

    @Test("A service with its port, TXT record, subtypes and interface")
    func service() throws {
        let plan = try plan(
            "Office",
            "_http._tcp",
            "8080",
            "path=/a=b",
            "flag",
            "empty=",
            "--subtype",
            "_a1",
            "--subtype=_b2",
            "--interface",
            "lo",
            "--family",
            "IPv4"
        )
        let service = try #require(plan.services.first)
        #expect(plan.services.count == 1 && plan.hosts.isEmpty && plan.aliases.isEmpty)
        #expect(service.name.text == "Office" && service.type.text == "_http._tcp" && service.port == 8080)
        #expect(service.txt.strings == ["path=/a=b", "flag", "empty="].map { Array($0.utf8) })
        #expect(service.subtypes.map(\.text) == ["_a1", "_b2"])
        #expect(service.scope == DiscoveryScope(interface: .name("lo"), family: .ipv4))
        #expect(plan.onCollision == .rename)
    }

    @Test("Several services, hosts and aliases are one advertisement; each part has its own options")
    func several() throws {
        let plan = try plan(
            "A",
            "_a1._tcp",
            "1",
            "--subtype",
            "_x1",
            "--",
            "B",
            "_b1._udp",
            "2",
            "--no-rename",
            "--",
            "--host",
            "printer=192.0.2.7",
            "--host",
            "printer.local=fd00::7",
            "--alias",
            "shop"
        )
        #expect(plan.services.map(\.name.text) == ["A", "B"])
        #expect(plan.services.map(\.subtypes.count) == [1, 0])
        #expect(plan.hosts.map(\.name.text) == ["printer.local", "printer.local"])
        #expect(plan.hosts.map(\.address.description) == ["192.0.2.7", "fd00::7"])
        #expect(plan.aliases.map(\.name.text) == ["shop.local"])
        #expect(plan.onCollision == .fail)
    }

    @Test(
        "What is no service, no host and no family is refused with what to write instead",
        arguments: [
            (["Name", "_x1._tcp"], "port"), (["Name", "_x1._tcp", "65536"], "65536"), ([], "takes a name"),
            (["--host", "printer"], "printer.local=192.0.2.7"), (["--host", "a.local=nowhere"], "nowhere"),
            (["A", "_a1._tcp", "1", "--family", "ipx"], "ipx"), (["A", "_a1._tcp", "1", "--"], "takes a name"),
            (["A", "_a1._tcp", "1", "--subtype", "printer"], "_printer"),
        ]
    )
    func refused(words: [String], hint: String) {
        let error = #expect(throws: Exit.self) { try PublishPlan(words) }
        #expect(error?.status == 64)
        #expect(error?.message.contains(hint) == true, "\(error?.message ?? "")")
    }
}
