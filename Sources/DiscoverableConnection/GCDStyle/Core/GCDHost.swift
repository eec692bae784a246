internal import DiscoverableCore
internal import DiscoverableRuntime
internal import Foundation

/// Hosts and interfaces as apps name them.
enum GCDHost {
    private static let loopback: [IPAddress] = [
        .v4(IPv4Address(rawValue: 0x7f00_0001)), .v6(IPv6Address(high: 0, low: 1)),
    ]

    private static func isLoopback(_ name: String) -> Bool {
        name.caseInsensitiveCompare("localhost") == .orderedSame
            || name.caseInsensitiveCompare("loopback") == .orderedSame
    }

    /// The addresses of a host that needs no look-up: one that is an address as text, or this host; nil for others.
    static func knownAddresses(of host: String, port: UInt16) -> [SocketAddress]? {
        if let ip = IPAddress(host) { return [SocketAddress(ip, port: port)] }
        if isLoopback(host) { return loopback.map { SocketAddress($0, port: port) } }
        guard host.contains("%"), let scoped = SocketAddress(parsing: host, defaultPort: port) else { return nil }
        return [SocketAddress(scoped.ip, port: port, scope: scoped.scope)]
    }

    /// The addresses to bind to: one a family at most, of those that are enabled.
    ///
    /// - Parameter interface: a name, an address as text, `localhost` or `loopback`; nil for all addresses.
    static func localAddresses(
        _ interface: String?,
        port: UInt16,
        families: [AddressFamily]
    ) throws(GCDFailure) -> [SocketAddress] {
        guard let interface else { return families.map { SocketAddress.any($0, port: port) } }
        let candidates: [SocketAddress]
        if isLoopback(interface) {
            candidates = loopback.map { SocketAddress($0, port: port) }
        } else {
            candidates = try find(interface).bindable(port: port, named: interface)
        }
        let addresses = families.compactMap { family in candidates.first { $0.family == family } }
        guard !addresses.isEmpty else { throw .refused(.interfaceWithoutFamily(interface)) }
        return addresses
    }

    /// The interface of a name, or of one of its addresses as text.
    static func interfaceIndex(_ interface: String?) throws(GCDFailure) -> InterfaceIndex? {
        guard let interface else { return nil }
        return try find(interface).index
    }

    private static func find(_ text: String) throws(GCDFailure) -> NetworkInterface {
        let all: [NetworkInterface]
        do throws(UnderlyingError) {
            all = try NetworkInterface.all()
        } catch {
            throw .system(error)
        }
        let ip = isLoopback(text) ? loopback[0] : IPAddress(text)
        let found = all.first { $0.name == text } ?? all.first { one in one.has(ip) }
        guard let found else { throw .refused(.noSuchInterface(text)) }
        return found
    }
}

extension NetworkInterface {
    /// Its addresses, those first that need no scope; only the one that it was named by, if it was.
    fileprivate func bindable(port: UInt16, named name: String) -> [SocketAddress] {
        let ip = IPAddress(name)
        if let ip { return [SocketAddress(ip, port: port, scope: index)] }
        let all = addresses.map { SocketAddress($0.ip, port: port, scope: index) }
        return all.filter { $0.scope == nil } + all.filter { $0.scope != nil }
    }

    /// Any address of 127.0.0.0/8 is this host's.
    fileprivate func has(_ ip: IPAddress?) -> Bool {
        if isLoopback, case .v4(let address)? = ip, address.rawValue >> 24 == 127 { return true }
        return addresses.contains { $0.ip == ip }
    }
}
