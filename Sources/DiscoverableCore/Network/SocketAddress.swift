/// Where a datagram goes to or comes from: an address, a port, and for a link-local IPv6 address the interface.
public struct SocketAddress: BitwiseCopyable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The address.
    public var ip: IPAddress
    /// The port, 0…65535.
    public var port: UInt16
    /// The interface that gives a link-local IPv6 address its meaning (`sin6_scope_id`); nil where none is needed.
    public var scope: InterfaceIndex?

    /// An address with its port. A `scope` is kept only where the address needs one: fe80::/10 and link-local groups;
    /// number 0, which is the kernel's word for no interface, is no scope.
    public init(_ ip: IPAddress, port: UInt16, scope: InterfaceIndex? = nil) {
        self.ip = ip
        self.port = port
        self.scope = ip.needsScope && scope?.rawValue != 0 ? scope : nil
    }

    /// The family of the address.
    public var family: AddressFamily { ip.family }

    /// `192.0.2.1:80`, `[2001:db8::1]:80`, `[fe80::1%3]:80`; the scope is the interface's number, since its name is the
    /// system's to know (`NetworkInterface` in DiscoverableRuntime).
    public var description: String {
        switch ip {
        case .v4(let address): "\(address):\(port)"
        case .v6(let address): "[\(address)\(scope.map { "%\($0.rawValue)" } ?? "")]:\(port)"
        }
    }

    /// Orders by address, interface and port.
    public static func < (left: SocketAddress, right: SocketAddress) -> Bool {
        (left.ip, left.scope?.rawValue ?? 0, left.port) < (right.ip, right.scope?.rawValue ?? 0, right.port)
    }
}
