package import DiscoverableCore

extension SocketAddress {
    /// The address without its port, a scope as the interface's name: `192.0.2.1`, `fe80::1%lan0`. An interface that no
    /// longer exists is shown by its number.
    package var hostTextWithInterfaceName: String {
        guard let scope else { return ip.description }
        return "\(ip)%\(NetworkInterface.name(of: scope) ?? String(scope.rawValue))"
    }

    /// Parses an address with a scope by name or number and a port: `192.0.2.1:80`, `[fe80::1%lan0]:80`; where a default
    /// port is given, also without a port, then an IPv6 address needs no brackets.
    package init?(parsing text: String, defaultPort: UInt16?) {
        guard let (host, portText) = splitAtPort(text) else { return nil }
        guard let port = portText.map(parsePort) ?? defaultPort else { return nil }
        self.init(host: host, port: port)
    }

    /// An address as text, with a scope by name or number; nil for a scope that is no interface, for one on an address
    /// that has no use for it, and for anything else.
    private init?(host: Substring, port: UInt16) {
        let parts = host.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard let text = parts.first, let ip = IPAddress(text) else { return nil }
        guard parts.count == 2 else {
            self.init(ip, port: port)
            return
        }
        guard ip.needsScope, let scope = parseScope(String(parts[1])) else { return nil }
        self.init(ip, port: port, scope: scope)
    }
}

private func splitAtPort(_ text: String) -> (host: Substring, port: Substring?)? {
    if text.hasPrefix("[") {
        // The last one: an interface's name may hold a bracket, a port cannot.
        guard let end = text.lastIndex(of: "]") else { return nil }
        let host = text[text.index(after: text.startIndex)..<end]
        let rest = text[text.index(after: end)...]
        guard host.contains(":"), rest.isEmpty || rest.hasPrefix(":") else { return nil }
        return (host, rest.isEmpty ? nil : rest.dropFirst())
    }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    // More than one colon outside brackets is an IPv6 address, whose end would be taken for a port.
    return parts.count == 2 ? (parts[0], parts[1]) : (text[...], nil)
}

private func parsePort(_ text: Substring) -> UInt16? { text.utf8.allSatisfy(isDigit) ? UInt16(text) : nil }

/// A zone of RFC 4007 section 11.2: an interface's name or its number. A name comes first, as in `getaddrinfo`, since an interface
/// can be called `7`. Number 0 is the default zone, the same as none; `SocketAddress` keeps it as none.
private func parseScope(_ text: String) -> InterfaceIndex? {
    if let index = NetworkInterface.index(of: text) { return index }
    return text.utf8.allSatisfy(isDigit) ? UInt32(text).map(InterfaceIndex.init(rawValue:)) : nil
}

/// The standard library's numbers may begin with a sign.
private func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
