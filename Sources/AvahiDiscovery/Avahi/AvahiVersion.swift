/// The daemon's version, of its own text `avahi 0.8` or `avahi 0.9-rc2`.
struct AvahiVersion: Equatable {
    let major: Int
    let minor: Int
    /// The number of a release candidate; nil for a release.
    let candidate: Int?

    init?(_ text: String) {
        guard let number = text.split(separator: " ").last else { return nil }
        let parts = number.split(separator: "-", maxSplits: 1)
        let digits = parts[0].split(separator: ".").map { Int($0) }
        guard digits.count >= 2, let major = digits[0], let minor = digits[1] else { return nil }
        self.major = major
        self.minor = minor
        candidate = parts.count > 1 && parts[1].hasPrefix("rc") ? Int(parts[1].dropFirst(2)) : nil
    }

    /// Whether a resolver's list of TXT strings stands in the reverse of their order on the wire. Avahi's lists grow at the
    /// head: up to 0.9-rc3 the daemon sends its reversed list as it is and the client's reading turns it round again; since
    /// 0.9-rc4 the daemon sends the order of the wire, which the client's reading reverses.
    var reversesStrings: Bool {
        if (major, minor) != (0, 9) { return (major, minor) > (0, 9) }
        return candidate.map { $0 >= 4 } ?? true
    }
}
