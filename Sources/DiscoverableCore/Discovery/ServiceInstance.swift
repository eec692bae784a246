/// Which service: its instance name, its type and its domain. Two of them are equal where DNS calls them equal.
public struct ServiceInstance: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The instance name.
    public var name: ServiceName
    /// The service type.
    public var type: ServiceType
    /// The domain.
    public var domain: Domain

    /// A service by its three names.
    public init(name: ServiceName, type: ServiceType, domain: Domain = .local) {
        self.name = name
        self.type = type
        self.domain = domain
    }

    /// For people: `"Office" (_ipp._tcp)`, with the domain where it is not `local`.
    public var description: String {
        domain == .local ? "\"\(name)\" (\(type))" : "\"\(name)\" (\(type) in \(domain))"
    }

    /// Orders by name, type and domain.
    public static func < (left: ServiceInstance, right: ServiceInstance) -> Bool {
        (left.name, left.type, left.domain) < (right.name, right.type, right.domain)
    }
}

/// One of the ways on which a service was seen: an interface and the family of the packets that told of it.
public struct ServicePath: Hashable, Comparable, Sendable {
    /// The interface.
    public var interface: InterfaceIndex
    /// The family of the multicast packets, which need not be the family of the service's addresses.
    public var family: AddressFamily

    /// A path by interface and family.
    public init(interface: InterfaceIndex, family: AddressFamily) {
        self.interface = interface
        self.family = family
    }

    /// Orders by interface, then family.
    public static func < (left: ServicePath, right: ServicePath) -> Bool {
        (left.interface, left.family) < (right.interface, right.family)
    }
}
