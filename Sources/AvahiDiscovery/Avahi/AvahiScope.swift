internal import CAvahi
internal import DiscoverableCore
internal import DiscoverableRuntime

/// A scope in Avahi's numbers, as the system's interfaces are now.
struct AvahiScope {
    let interface: AvahiIfIndex
    let family: AvahiProtocol
    /// The interface, where it was asked for by its name.
    let namedInterface: InterfaceIndex?

    /// The scope, unless it is an interface by a name that none has now.
    /// - Throws: as `init(_:)`.
    static func ifPresent(_ scope: DiscoveryScope) throws(AvahiFailure) -> AvahiScope? {
        if let name = scope.interfaceName, NetworkInterface.index(of: name) == nil { return nil }
        return try AvahiScope(scope)
    }

    /// Looks the interface up: the daemon takes any number, and calls established what it tells on none.
    ///
    /// - Parameter known: the numbers of interfaces that are named by their names, as they were when they were looked up last;
    ///   these are not looked up again.
    /// - Throws: `AVAHI_ERR_INVALID_INTERFACE` where there is none.
    init(_ scope: DiscoveryScope, known: [String: InterfaceIndex] = [:]) throws(AvahiFailure) {
        var named: InterfaceIndex?
        switch scope.interface {
        case .any: interface = avahiInterface(nil)
        case .index(let index):
            interface = avahiInterface(try existing(NetworkInterface.name(of: index).map { _ in index }))
        case .name(let name):
            named = try existing(known[name] ?? NetworkInterface.index(of: name))
            interface = avahiInterface(named)
        case .loopback: interface = avahiInterface(try existing(NetworkInterface.loopback))
        }
        namedInterface = named
        family = avahiFamily(scope.family)
    }
}

private func existing(_ interface: InterfaceIndex?) throws(AvahiFailure) -> InterfaceIndex {
    guard let interface else {
        throw AvahiFailure(number: Int32(AVAHI_ERR_INVALID_INTERFACE), call: "looking for the interface")
    }
    return interface
}
