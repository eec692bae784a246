internal import Discoverable

/// Judges the facts of a host: pure, so that every fault can be tried without having it.
struct Diagnosis {
    let facts: Facts

    /// At least one finding for each check, in the order in which a fault causes the next ones.
    var findings: [Finding] {
        [bus, daemon] + configuration + [interfaces, hostName, serviceNames, nameService] + responders + [roundTrip]
    }

    private var daemonRuns: Bool { if case .runs = facts.daemon { true } else { false } }

    private var bus: Finding {
        guard case .noBus(let reason) = facts.daemon else { return .ok(.bus, "the D-Bus system bus answers") }
        return .wrong(.bus, reason, mend: "systemctl start dbus avahi-daemon")
    }

    private var daemon: Finding {
        switch facts.daemon {
        case .noBus: .skipped(.daemon, "without D-Bus nobody can ask avahi-daemon")
        case .absent(process: nil) where !facts.isInstalled:
            .wrong(.daemon, "avahi-daemon is not installed", mend: "apt-get install avahi-daemon")
        case .absent(process: nil):
            .wrong(.daemon, "avahi-daemon is not running", mend: "systemctl start avahi-daemon")
        case .absent(let process?):
            .wrong(
                .daemon,
                "avahi-daemon runs (process \(process)) and is not on this D-Bus",
                mend: "systemctl restart avahi-daemon"
            )
        case .hangs:
            .wrong(.daemon, "avahi-daemon is on D-Bus and does not answer", mend: "systemctl restart avahi-daemon")
        case .runs(let version): .ok(.daemon, "\(version) runs")
        }
    }

    private var hostName: Finding {
        guard let host = facts.heldHostName else {
            return .skipped(.hostName, "the daemon does not tell under which name this host is published")
        }
        let held = host.firstLabel
        let wanted = facts.configuration.effective.hostName?.firstLabel ?? facts.systemHostName
        guard let number = held.suffixAfter(wanted, mark: "-"), number >= 2 else {
            return .ok(.hostName, "this host is \(host)")
        }
        return .warning(
            .hostName,
            "another host on this network is \(wanted).local, so this one became \(host)",
            mend: "hostnamectl set-hostname NEW-NAME && systemctl restart avahi-daemon"
        )
    }

    private var serviceNames: Finding {
        guard let renamed = facts.renamedServices else {
            return .skipped(.serviceNames, "the services of this host could not be listed")
        }
        guard !renamed.isEmpty else { return .ok(.serviceNames, "no service of this host had to change its name") }
        let names = renamed.map { "\"\($0)\"" }.joined(separator: ", ")
        return .warning(
            .serviceNames,
            "another service held the name, so these of this host carry a number: \(names)",
            mend: "dscv browse --resolve --until-settled (shows who holds it; then publish under a name of your own)"
        )
    }

    private var nameService: Finding {
        let install = "apt-get install libnss-mdns"
        guard let sources = facts.nameService.sources else {
            return .warning(
                .nss,
                "/etc/nsswitch.conf has no line \"hosts:\", so getaddrinfo finds no .local name",
                mend: install
            )
        }
        guard let source = sources.first(where: { $0.hasPrefix("mdns") }) else {
            return .warning(
                .nss,
                "the line \"hosts:\" of /etc/nsswitch.conf has no mdns, so getaddrinfo finds no .local name",
                mend: install
            )
        }
        guard facts.nameService.hasLibrary else {
            return .warning(.nss, "/etc/nsswitch.conf names \(source), whose library is not installed", mend: install)
        }
        return .ok(.nss, "getaddrinfo finds .local names (\(source))")
    }

    private var responders: [Finding] {
        guard !facts.otherResponders.isEmpty else {
            return [.ok(.responders, "nobody else has UDP port 5353 open")]
        }
        return facts.otherResponders.map { responder in
            let who =
                responder.process.map { "\($0) (user \(responder.user))" } ?? "a process of user \(responder.user)"
            return .warning(
                .responders,
                "\(who) has UDP port 5353 open too: answers may reach it instead of avahi-daemon",
                mend: responder.mend
            )
        }
    }

    private var roundTrip: Finding {
        let configuration = facts.configuration.effective
        switch facts.roundTrip {
        case .succeeded(_, let seconds):
            let tenths = Int((seconds * 10).rounded())
            return .ok(
                .roundTrip,
                "a service was published, found, resolved and withdrawn in \(tenths / 10).\(tenths % 10) s"
            )
        case .notTried: return .skipped(.roundTrip, "there is no daemon to publish with")
        case .publishingFailed(let error):
            if error.code == .notPermitted, configuration.disablesPublishing || configuration.disablesUserServices {
                return .skipped(.roundTrip, "publishing is disabled")
            }
            return failed("nothing could be published: \(error.explanation)")
        case .resolvingFailed(let error): return failed("what was published does not resolve: \(error.explanation)")
        case .notFound:
            if usableInterfaces.isEmpty { return .skipped(.roundTrip, "there is no interface to publish on") }
            return failed("what was published is not found again")
        case .notWithdrawn: return failed("what was withdrawn is still told as present")
        }
    }

    private func failed(_ reason: String) -> Finding {
        .wrong(.roundTrip, reason, mend: "journalctl -u avahi-daemon; nft list ruleset (is UDP port 5353 filtered?)")
    }
}

extension Facts.Responder {
    /// What ends it.
    fileprivate var mend: String {
        switch process {
        case "systemd-resolved"?, "systemd-resolve"?:
            "mkdir -p /etc/systemd/resolved.conf.d && printf '[Resolve]\\nMulticastDNS=no\\n' "
                + ">/etc/systemd/resolved.conf.d/no-mdns.conf && systemctl restart systemd-resolved"
        case "mdnsd"?: "systemctl disable --now mdnsd"
        case .some: "ss -ulpn 'sport = 5353' (shows it; end it, or let it use avahi-daemon)"
        case nil: "sudo ss -ulpn 'sport = 5353' (shows which it is; end it, or let it use avahi-daemon)"
        }
    }
}

extension StringProtocol {
    fileprivate var firstLabel: String { String(prefix { $0 != "." }) }

    /// The number that follows `base` and a mark, as in `alpha-2`, whatever the case of the letters.
    func suffixAfter(_ base: String, mark: String) -> Int? {
        let start = (base + mark).lowercased()
        guard lowercased().hasPrefix(start) else { return nil }
        return Int(dropFirst(start.count))
    }
}
