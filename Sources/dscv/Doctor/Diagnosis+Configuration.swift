internal import Discoverable

extension Diagnosis {
    /// One finding for each setting that hurts, or one that none does.
    var configuration: [Finding] {
        let file = facts.configuration
        switch file.content {
        case .missing: return [.ok(.configuration, "there is no \(file.path), so the daemon's defaults hold")]
        case .unreadable(let reason):
            return [.warning(.configuration, "\(file.path) cannot be read: \(reason)", mend: "sudo dscv doctor")]
        case .read(let settings):
            let harmful = publishingFaults(settings) + reachFaults(settings) + limitFaults(settings)
            return harmful.isEmpty ? [.ok(.configuration, praise(settings))] : harmful
        }
    }

    private func praise(_ settings: DaemonConfiguration) -> String {
        let wideArea =
            settings.enablesWideArea
            ? "wide-area look-ups are on: names outside .local are asked of DNS servers" : "wide-area look-ups are off"
        return "\(facts.configuration.path) forbids nothing that is needed; \(wideArea)"
    }

    private func publishingFaults(_ settings: DaemonConfiguration) -> [Finding] {
        var faults: [Finding] = []
        if settings.disablesPublishing {
            faults.append(
                wrong(
                    "disable-publishing=yes: nothing of this host is published, not even its name",
                    set: "disable-publishing",
                    "no"
                )
            )
        }
        if settings.disablesUserServices {
            faults.append(
                wrong(
                    "disable-user-service-publishing=yes: programs may not publish services",
                    set: "disable-user-service-publishing",
                    "no"
                )
            )
        }
        if !settings.publishesAddresses {
            faults.append(
                warning(
                    "publish-addresses=no: this host's services are found and have no address",
                    set: "publish-addresses",
                    "yes"
                )
            )
        }
        return faults
    }

    private func reachFaults(_ settings: DaemonConfiguration) -> [Finding] {
        var faults: [Finding] = []
        if !settings.enablesDBus {
            faults.append(wrong("enable-dbus=no: no program can reach the daemon", set: "enable-dbus", "yes"))
        }
        switch (settings.usesIPv4, settings.usesIPv6) {
        case (true, true), (true, false): break
        case (false, true):
            faults.append(
                warning("use-ipv4=no: services that are told over IPv4 only are not found", set: "use-ipv4", "yes")
            )
        case (false, false):
            faults.append(wrong("use-ipv4=no and use-ipv6=no: no family is left", set: "use-ipv4", "yes"))
        }
        if settings.checksResponseTTL {
            faults.append(
                warning(
                    "check-response-ttl=yes: answers of hosts that send another TTL than 255 are ignored",
                    set: "check-response-ttl",
                    "no"
                )
            )
        }
        return faults + missingInterfaces(settings.allowedInterfaces ?? [])
    }

    /// What is left of the list stays in force: without the line every interface would be used.
    private func missingInterfaces(_ allowed: [String]) -> [Finding] {
        let known = Set(facts.interfaces.map(\.name))
        let (key, present) = ("allow-interfaces", allowed.filter(known.contains))
        return allowed.filter { !known.contains($0) }.map { name in
            let reason = "\(key) names \(name), which is not there"
            guard present.isEmpty else { return warning(reason, set: key, present.joined(separator: ",")) }
            let mend = "connect \(name), or name another interface in \(key) of \(facts.configuration.path)"
            return .warning(.configuration, reason, mend: mend)
        }
    }

    private func limitFaults(_ settings: DaemonConfiguration) -> [Finding] {
        var faults: [Finding] = []
        func expect(_ key: String, _ value: Int, atLeast least: Int, usual: Int, _ effect: String) {
            guard value < least else { return }
            faults.append(warning("\(key)=\(value): \(effect)", set: key, String(usual)))
        }
        expect(
            "objects-per-client-max",
            settings.maximumObjectsPerClient,
            atLeast: 32,
            usual: 1024,
            "a program gets few browses, resolves and publications at a time"
        )
        expect(
            "clients-max",
            settings.maximumClients,
            atLeast: 32,
            usual: 4096,
            "few programs can use the daemon at a time"
        )
        expect(
            "cache-entries-max",
            settings.maximumCacheEntries,
            atLeast: 256,
            usual: 4096,
            "services beyond a third of that many stay unseen on each link"
        )
        return faults
    }

    private func wrong(_ reason: String, set key: String, _ value: String) -> Finding {
        .wrong(.configuration, reason, mend: facts.configuration.setting(key, value))
    }

    private func warning(_ reason: String, set key: String, _ value: String) -> Finding {
        .warning(.configuration, reason, mend: facts.configuration.setting(key, value))
    }
}

extension Facts.ConfigurationFile {
    /// The command that gives a key of the file, which is there, another value; an empty one removes it.
    func setting(_ key: String, _ value: String) -> String {
        let edit = value.isEmpty ? "/^ *\(key) *=/d" : "s/^ *\(key) *=.*/\(key)=\(value)/"
        return "sed -i '\(edit)' \(shellWord(path)) && systemctl restart avahi-daemon"
    }

    /// A text as one word of a shell's line.
    private func shellWord(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x2d...0x39, 0x41...0x5a, 0x5f, 0x61...0x7a: true
            default: false
            }
        }
        if isPlain { return text }
        return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
