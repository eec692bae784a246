public import DiscoverableCore
internal import DiscoverableRuntime

extension SocketAddress {
    /// Parses an address with its port: `192.0.2.1:80`, `[2001:db8::1]:80`, `[fe80::1%lan0]:80`. Each textual form of RFC 4291
    /// section 2.2 is read. A scope (RFC 4007 section 11) is the name of an interface of this host or the number of any, and is
    /// refused on an address that has no use for one; number 0 is the same as no scope.
    ///
    /// - Parameters:
    ///   - text: the address; where a default port is given, the port may be left out, and then the brackets too.
    ///   - defaultPort: the port of a text without one.
    /// - Returns: nil for a host's name (see `resolve`), an unknown interface, and everything else that is no address.
    public static func parse(_ text: String, defaultPort: UInt16? = nil) -> SocketAddress? {
        SocketAddress(parsing: text, defaultPort: defaultPort)
    }

    /// The address without its port, a scope by the interface's name: `192.0.2.1`, `fe80::1%lan0`.
    public var hostText: String { hostTextWithInterfaceName }

    /// The address with its port, a scope by the interface's name: `192.0.2.1:80`, `[fe80::1%lan0]:80`. `parse` reads it back.
    public var endpointText: String {
        switch family {
        case .ipv4: "\(hostText):\(port)"
        case .ipv6: "[\(hostText)]:\(port)"
        }
    }

    /// The addresses of a host, by the system's name resolution (hosts file, DNS, `nss-mdns` where it is installed).
    ///
    /// Blocks no thread of Swift's. Cancelling ends the waiting at once.
    ///
    /// - Parameters:
    ///   - host: a name, or an address as text, with a scope where it needs one.
    ///   - port: the port of the addresses.
    ///   - timeout: how long to wait.
    /// - Returns: at least one address, each once, in the system's order of preference.
    /// - Throws: `nameNotFound`, `timedOut`, `cancelled`.
    public static func resolve(
        host: String,
        port: UInt16,
        timeout: Duration = .seconds(5)
    ) async throws(SocketError) -> [SocketAddress] {
        let operation = "looking up \(host)"
        do throws(NameResolver.Failure) {
            let addresses = try await NameResolver.addresses(of: host, port: port, timeout: timeout)
            guard addresses.isEmpty else { return addresses }
        } catch {
            switch error {
            case .failed(let underlying): throw SocketError(.nameNotFound, operation, underlying: underlying)
            case .timedOut: throw SocketError(.timedOut, operation)
            case .cancelled: throw SocketError(.cancelled, operation)
            }
        }
        throw SocketError(.nameNotFound, operation)
    }
}

extension InterfaceIndex {
    /// The interface's name, such as `lan0`; nil where there is none of that number (any more).
    public var name: String? { NetworkInterface.name(of: self) }

    /// The number of the interface called `name`; nil where there is none.
    public init?(named name: String) {
        guard let index = NetworkInterface.index(of: name) else { return nil }
        self = index
    }
}
