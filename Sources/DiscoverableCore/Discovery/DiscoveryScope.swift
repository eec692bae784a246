/// On which part of the network something is looked for or told: on which interface, and with packets of which family.
public struct DiscoveryScope: Hashable, Sendable {
    /// On which interface.
    public enum Interface: Hashable, Sendable {
        /// On all that the daemon uses.
        case any
        /// On the one with this number. When it is removed and made again it has another number, and is not this one.
        case index(InterfaceIndex)
        /// On the one with this name, such as `eth0`, whatever number it has: one that does not exist yet is waited for, and
        /// one that returns is found again.
        case name(String)
        /// On the loopback interface: services of this host that were published for this host only.
        case loopback
    }

    /// On which interface.
    public var interface: Interface
    /// The family of the multicast packets; nil for both. Addresses of the other family may well be told in them.
    public var family: AddressFamily?

    /// A part of the network; with nothing said, all of it.
    public init(interface: Interface = .any, family: AddressFamily? = nil) {
        self.interface = interface
        self.family = family
    }

    /// All interfaces, both families.
    public static let everywhere = DiscoveryScope()
    /// This host only.
    public static let loopback = DiscoveryScope(interface: .loopback)

    /// The name of the interface, where it is one that is known by its name.
    package var interfaceName: String? {
        if case .name(let name) = interface { name } else { nil }
    }

    /// One interface, both families.
    public static func interface(_ index: InterfaceIndex) -> DiscoveryScope { DiscoveryScope(interface: .index(index)) }
    /// One interface, both families.
    public static func interface(named name: String) -> DiscoveryScope { DiscoveryScope(interface: .name(name)) }
    /// One family, all interfaces.
    public static func family(_ family: AddressFamily) -> DiscoveryScope { DiscoveryScope(family: family) }
}

extension DiscoveryScope: CustomStringConvertible {
    /// For people: `everywhere`, `on eth0`, `on interface 2 over IPv4`.
    public var description: String {
        let place =
            switch interface {
            case .any: family == nil ? "everywhere" : "on all interfaces"
            case .index(let index): "on interface \(index.rawValue)"
            case .name(let name): "on \(name)"
            case .loopback: "on the loopback interface"
            }
        return family.map { "\(place) over \($0 == .ipv4 ? "IPv4" : "IPv6")" } ?? place
    }
}
