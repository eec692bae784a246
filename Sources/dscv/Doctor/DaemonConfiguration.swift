/// What avahi-daemon.conf says: the values of keys by section, as the daemon reads them.
struct DaemonConfiguration: Equatable {
    private var values: [String: [String: String]] = [:]

    /// Reads a configuration file's text. Lines that are none of the daemon's are passed over: it would not run with them.
    init(_ text: String) {
        var section = ""
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.trimmed
            if line.isEmpty || line.hasPrefix("#") || line.hasPrefix(";") { continue }
            if line.hasPrefix("["), line.hasSuffix("]") {
                section = String(line.dropFirst().dropLast())
            } else if let mark = line.firstIndex(of: "=") {
                values[section, default: [:]][line[..<mark].trimmed] = line[line.index(after: mark)...].trimmed
            }
        }
    }

    /// What the daemon takes for yes (main.c: the first letter counts); nil where the key is not set.
    private func isYes(_ section: String, _ key: String) -> Bool? {
        values[section]?[key].map { $0.first.map { "yY1tT".contains($0) } ?? false }
    }

    private func number(_ key: String) -> Int? { values["server"]?[key].flatMap { Int($0) } }

    /// Names separated by commas; nil where the key is not set, or set to nothing.
    private func names(_ key: String) -> [String]? {
        let names = values["server"]?[key]?.split(separator: ",").map(\.trimmed).filter { !$0.isEmpty }
        return names?.isEmpty ?? true ? nil : names
    }

    var hostName: String? { values["server"]?["host-name"] }
    var usesIPv4: Bool { isYes("server", "use-ipv4") ?? true }
    var usesIPv6: Bool { isYes("server", "use-ipv6") ?? true }
    /// The only interfaces that are used; nil for all.
    var allowedInterfaces: [String]? { names("allow-interfaces") }
    var deniedInterfaces: [String] { names("deny-interfaces") ?? [] }
    var allowsPointToPoint: Bool { isYes("server", "allow-point-to-point") ?? false }
    var checksResponseTTL: Bool { isYes("server", "check-response-ttl") ?? false }
    var disallowsOtherStacks: Bool { isYes("server", "disallow-other-stacks") ?? false }
    /// `warn` counts as on.
    var enablesDBus: Bool { values["server"]?["enable-dbus"].map { $0.first != "n" && $0.first != "N" } ?? true }
    var maximumObjectsPerClient: Int { number("objects-per-client-max") ?? 1024 }
    var maximumClients: Int { number("clients-max") ?? 4096 }
    var maximumCacheEntries: Int { number("cache-entries-max") ?? 4096 }
    var enablesWideArea: Bool { isYes("wide-area", "enable-wide-area") ?? true }
    var disablesPublishing: Bool { isYes("publish", "disable-publishing") ?? false }
    var disablesUserServices: Bool { isYes("publish", "disable-user-service-publishing") ?? false }
    var publishesAddresses: Bool { isYes("publish", "publish-addresses") ?? true }
}

extension StringProtocol {
    /// Without the white space at both ends.
    var trimmed: String {
        let start = drop { $0.isWhitespace }
        return String(start.reversed().drop { $0.isWhitespace }.reversed())
    }
}
