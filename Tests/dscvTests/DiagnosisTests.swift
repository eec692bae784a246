import Discoverable
import Testing

@testable import dscv

@Suite("dscv doctor judges")
struct DiagnosisTests {
    private static let lan0 = Facts.Interface(name: "lan0", families: [.ipv4, .ipv6])
    private static let loopback = Facts.Interface(
        name: "lo",
        isLoopback: true,
        supportsMulticast: false,
        families: [.ipv4, .ipv6]
    )

    private let healthy = Facts(
        daemon: .runs(version: "avahi 0.8"),
        isInstalled: true,
        configuration: .init(path: "/etc/avahi/avahi-daemon.conf", content: .read(DaemonConfiguration(""))),
        interfaces: [loopback, lan0],
        systemHostName: "alpha",
        heldHostName: "alpha.local",
        renamedServices: [],
        nameService: .init(sources: ["files", "mdns4_minimal", "dns"], hasLibrary: true),
        otherResponders: [],
        roundTrip: .succeeded(host: "alpha.local", seconds: 1.26)
    )

    /// What is found, besides what is well, where the facts are otherwise than on a healthy host.
    private func faults(_ change: (inout Facts) -> Void) -> [Finding] {
        var facts = healthy
        change(&facts)
        return Diagnosis(facts: facts).findings.filter { $0.verdict != .ok }
    }

    private func faults(ofConfiguration text: String) -> [Finding] {
        faults { $0.configuration = .init(path: "/a.conf", content: .read(DaemonConfiguration(text))) }
    }

    @Test("A healthy host: each check once, in order, all well")
    func health() {
        let findings = Diagnosis(facts: healthy).findings
        #expect(findings.map(\.check) == Finding.Check.allCases)
        #expect(findings.allSatisfy { $0.verdict == .ok && $0.mend == nil })
        #expect(findings.areHealthy && findings.summary == "this host is healthy")
        #expect(findings.last?.reason == "a service was published, found, resolved and withdrawn in 1.3 s")
    }

    @Test("Without D-Bus that alone is wrong; what follows from it is skipped")
    func noBus() {
        let faults = faults {
            $0.daemon = .noBus("there is no bus")
            $0.roundTrip = .notTried
            $0.heldHostName = nil
            $0.renamedServices = nil
        }
        #expect(faults.map(\.check) == [.bus, .daemon, .hostName, .serviceNames, .roundTrip])
        #expect(faults.map(\.verdict) == [.wrong, .skipped, .skipped, .skipped, .skipped])
        #expect(faults[0].reason == "there is no bus" && faults[0].mend == "systemctl start dbus avahi-daemon")
        #expect(!faults.areHealthy && faults.summary == "wrong: d-bus")
    }

    @Test(
        "A daemon that is not there, not installed, not on the bus or hangs is told from each other",
        arguments: [
            (Facts.Daemon.absent(process: nil), true, "not running", "systemctl start avahi-daemon"),
            (.absent(process: nil), false, "not installed", "apt-get install avahi-daemon"),
            (.absent(process: 7), true, "process 7", "systemctl restart avahi-daemon"),
            (.hangs, true, "does not answer", "systemctl restart avahi-daemon"),
        ]
    )
    func daemon(daemon: Facts.Daemon, isInstalled: Bool, reason: String, mend: String) {
        let faults = faults {
            $0.daemon = daemon
            $0.isInstalled = isInstalled
            $0.roundTrip = .notTried
        }
        #expect(faults.filter { $0.verdict == .wrong }.map(\.check) == [.daemon])
        #expect(faults[0].reason.contains(reason) && faults[0].mend == mend)
    }

    @Test(
        "Each setting that keeps services from being seen is named with its key, and mended by a command",
        arguments: [
            ("[publish]\ndisable-publishing=yes", "disable-publishing"),
            ("[publish]\n disable-user-service-publishing = Yes ", "disable-user-service-publishing"),
            ("[server]\nenable-dbus=no", "enable-dbus"),
            ("[server]\nuse-ipv4=no\nuse-ipv6=no", "use-ipv4"),
        ]
    )
    func wrongSettings(text: String, key: String) throws {
        let fault = try #require(faults(ofConfiguration: text).first { $0.verdict == .wrong })
        #expect(fault.check == .configuration && fault.reason.contains(key))
        let mend = try #require(fault.mend)
        #expect(mend.hasPrefix("sed -i 's/^ *\(key) *=.*/\(key)=") && mend.hasSuffix("systemctl restart avahi-daemon"))
        #expect(mend.contains(" /a.conf "))
    }

    @Test("A list of interfaces is mended name by name; without its line others would be used")
    func lists() throws {
        func mend(_ text: String, _ check: Finding.Check) throws -> String {
            try #require(faults(ofConfiguration: "[server]\n" + text).first { $0.check == check }?.mend)
        }
        let unplugged = try mend("allow-interfaces=lan0,gone1,gone2", .configuration)
        #expect(unplugged.hasPrefix("sed -i 's/^ *allow-interfaces *=.*/allow-interfaces=lan0/' /a.conf &&"))
        #expect(
            try mend("allow-interfaces=gone1", .configuration)
                == "connect gone1, or name another interface in allow-interfaces of /a.conf"
        )
        let denied = try mend("deny-interfaces=wan0, lan0,wan1", .interfaces)
        #expect(denied.hasPrefix("sed -i 's/^ *deny-interfaces *=.*/deny-interfaces=wan0,wan1/' /a.conf &&"))
        #expect(try mend("deny-interfaces=lan0", .interfaces).hasPrefix("sed -i '/^ *deny-interfaces *=/d' /a.conf &&"))
    }

    @Test("A path that a shell would take apart is quoted in what mends it")
    func quotedPath() throws {
        let file = Facts.ConfigurationFile(path: "/my dir/it's.conf", content: .missing)
        #expect(file.setting("use-ipv4", "yes").contains(" '/my dir/it'\\''s.conf' && systemctl"))
    }

    @Test(
        "A setting that only costs something is warned of",
        arguments: [
            ("[server]\ncheck-response-ttl=yes", "check-response-ttl"), ("[server]\nuse-ipv4=no", "use-ipv4"),
            ("[publish]\npublish-addresses=no", "publish-addresses"),
            ("[server]\nobjects-per-client-max=4", "objects-per-client-max=4"),
            ("[server]\nclients-max=1", "clients-max=1"), ("[server]\ncache-entries-max=0", "cache-entries-max=0"),
            ("[server]\nallow-interfaces=lan0,gone1", "gone1"),
        ]
    )
    func costlySettings(text: String, hint: String) {
        let faults = faults(ofConfiguration: text)
        #expect(faults.map(\.verdict) == [.warning] && faults.map(\.check) == [.configuration])
        #expect(faults.first?.reason.contains(hint) == true)
        #expect(faults.areHealthy && faults.summary == "this host is healthy, with 1 warning")
    }

    @Test("Settings in comments, in other sections and set to no are none")
    func harmlessSettings() {
        #expect(faults(ofConfiguration: "#disable-publishing=yes\n[server]\ndisable-publishing=yes") == [])
        #expect(faults(ofConfiguration: "[publish]\n;disable-publishing=yes\ndisable-publishing=no") == [])
    }

    @Test("Where publishing is disabled, the round trip that this forbids is no second fault")
    func publishingDisabled() {
        let refusal = DiscoveryError(.notPermitted, operation: "publishing", explanation: "forbidden")
        let faults = faults {
            let text = DaemonConfiguration("[publish]\ndisable-publishing=yes")
            $0.configuration = .init(path: "/a.conf", content: .read(text))
            $0.roundTrip = .publishingFailed(refusal)
        }
        #expect(faults.filter { $0.verdict == .wrong }.map(\.check) == [.configuration])
        #expect(faults.last == .skipped(.roundTrip, "publishing is disabled"))
        // Where the file does not tell it, the refusal is all that there is.
        let refused = self.faults { $0.roundTrip = .publishingFailed(refusal) }
        #expect(refused.filter { $0.verdict == .wrong }.map(\.check) == [.roundTrip])
        #expect(refused.last?.reason.contains("forbidden") == true)
    }

    @Test(
        "Where no interface is of use, each is named with what it lacks, and the first is mended",
        arguments: [
            (Facts.Interface(name: "eth0", isUp: false, families: []), "eth0 is down", "ip link set eth0 up"),
            (
                .init(name: "eth0", supportsMulticast: false, families: [.ipv4]), "eth0 does no multicast",
                "multicast on"
            ),
            (.init(name: "eth0", families: []), "eth0 has no address", "dhclient eth0"),
        ]
    )
    func noInterface(interface: Facts.Interface, reason: String, mend: String) {
        let faults = faults {
            $0.interfaces = [Self.loopback, interface]
            $0.roundTrip = .notFound
        }
        #expect(faults.filter { $0.verdict == .wrong }.map(\.check) == [.interfaces])
        #expect(faults[0].reason == "no network interface is usable for multicast: \(reason)")
        #expect(faults[0].mend?.contains(mend) == true)
        #expect(faults.last?.verdict == .skipped)
    }

    @Test("The loopback interface alone is no network")
    func loopbackOnly() {
        let faults = faults { $0.interfaces = [Self.loopback] }
        #expect(faults.map(\.check) == [.interfaces])
        #expect(faults[0].reason.hasSuffix("this host has only the loopback interface"))
    }

    @Test(
        "An interface that the daemon is told not to use is of no use",
        arguments: [
            ("[server]\nallow-interfaces=lo", "allow-interfaces", "allow-interfaces=lo,lan0"),
            ("[server]\ndeny-interfaces=lan0", "deny-interfaces", "/d'"),
        ]
    )
    func forbiddenInterface(text: String, reason: String, mend: String) throws {
        let fault = try #require(faults(ofConfiguration: text).first)
        #expect(fault.verdict == .wrong && fault.check == .interfaces)
        #expect(fault.reason.contains(reason) && fault.mend?.contains(mend) == true)
    }

    @Test("A host that had to take another name is warned, one that was given another is not")
    func hostName() {
        let renamed = faults { $0.heldHostName = "Alpha-2.local" }
        #expect(renamed.map(\.check) == [.hostName] && renamed.map(\.verdict) == [.warning])
        #expect(renamed.first?.reason.contains("alpha.local") == true)
        #expect(faults { $0.heldHostName = "kitchen.local" } == [])
        #expect(faults { $0.heldHostName = "alpha-two.local" } == [])
        // The configuration's name counts, where there is one.
        let named = faults {
            $0.configuration = .init(path: "/a", content: .read(DaemonConfiguration("[server]\nhost-name=kitchen")))
            $0.heldHostName = "kitchen-3.local"
        }
        #expect(named.map(\.check) == [.hostName])
    }

    @Test("Services that had to take another name are listed")
    func serviceNames() {
        let faults = faults { $0.renamedServices = ["Office #2", "Web #3"] }
        #expect(faults.map(\.check) == [.serviceNames] && faults.map(\.verdict) == [.warning])
        #expect(faults[0].reason.hasSuffix("\"Office #2\", \"Web #3\""))
        #expect("Office #2".isNumbered && !"Office #1".isNumbered && !"Office #2a".isNumbered && !"#2".isNumbered)
    }

    @Test(
        "What getaddrinfo lacks for .local names is named",
        arguments: [
            (nil, false, "no line"), (["files", "dns"], false, "has no mdns"),
            (["mdns4_minimal"], false, "not installed"),
        ] as [([String]?, Bool, String)]
    )
    func nameService(sources: [String]?, hasLibrary: Bool, hint: String) {
        let faults = faults { $0.nameService = .init(sources: sources, hasLibrary: hasLibrary) }
        #expect(faults.map(\.check) == [.nss] && faults.map(\.verdict) == [.warning])
        #expect(faults[0].reason.contains(hint) && faults[0].mend == "apt-get install libnss-mdns")
    }

    @Test("Each other responder is a warning of its own, with what ends it")
    func responders() {
        let faults = faults {
            $0.otherResponders = [.init(process: nil, user: "root"), .init(process: "systemd-resolve", user: "x")]
        }
        #expect(faults.map(\.check) == [.responders, .responders])
        #expect(faults[0].reason.contains("user root") && faults[0].mend?.hasPrefix("sudo ss") == true)
        #expect(faults[1].reason.contains("systemd-resolve") && faults[1].mend?.contains("MulticastDNS=no") == true)
    }

    @Test("What was withdrawn and stays is wrong, as is what is never found")
    func roundTrip() {
        for outcome in [Facts.RoundTrip.notFound, .notWithdrawn] {
            let faults = faults { $0.roundTrip = outcome }
            #expect(faults.filter { $0.verdict == .wrong }.map(\.check) == [.roundTrip])
        }
    }
}
