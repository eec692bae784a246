/// The two families of addresses.
public enum AddressFamily: Hashable, Comparable, Sendable, CaseIterable, CustomStringConvertible {
    /// IPv4 (`AF_INET`).
    case ipv4
    /// IPv6 (`AF_INET6`).
    case ipv6

    /// `IPv4` or `IPv6`.
    public var description: String {
        switch self {
        case .ipv4: "IPv4"
        case .ipv6: "IPv6"
        }
    }
}

/// An address of either family.
public enum IPAddress: BitwiseCopyable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// An IPv4 address.
    case v4(IPv4Address)
    /// An IPv6 address.
    case v6(IPv6Address)

    /// Parses the textual form of either family, without a scope.
    public init?(_ text: some StringProtocol) {
        if let address = IPv4Address(text) {
            self = .v4(address)
        } else if let address = IPv6Address(text) {
            self = .v6(address)
        } else {
            return nil
        }
    }

    /// The family that the address belongs to.
    public var family: AddressFamily {
        switch self {
        case .v4: .ipv4
        case .v6: .ipv6
        }
    }

    /// Whether the address is meaningful only together with an interface (fe80::/10 and ff02::/16-like groups).
    public var needsScope: Bool {
        switch self {
        case .v4: false
        case .v6(let address): address.isLinkLocal || (address.isMulticast && (address.high >> 48) & 0xf <= 2)
        }
    }

    /// Whether it stands for every address of the host (0.0.0.0, `::`).
    public var isAny: Bool { self == .v4(.any) || self == .v6(.any) }

    /// Whether the address names a group (224.0.0.0/4, ff00::/8).
    public var isMulticast: Bool {
        switch self {
        case .v4(let address): address.isMulticast
        case .v6(let address): address.isMulticast
        }
    }

    /// The address's usual text.
    public var description: String {
        switch self {
        case .v4(let address): address.description
        case .v6(let address): address.description
        }
    }
}
