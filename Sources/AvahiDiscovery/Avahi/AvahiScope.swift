internal import CAvahi
internal import DiscoverableCore
internal import DiscoverableRuntime

/// A scope in Avahi's numbers, as the system's interfaces are now.
struct AvahiScope {
    let interface: AvahiIfIndex
    let family: AvahiProtocol

    /// Looks the interface up, where it is known by something else than its number.
    /// - Throws: `AVAHI_ERR_INVALID_INTERFACE` where there is none.
    init(_ scope: DiscoveryScope) throws(AvahiFailure) {
        interface =
            switch scope.interface {
            case .any: avahiInterface(nil)
            case .index(let index): avahiInterface(index)
            case .name(let name): avahiInterface(try existing(NetworkInterface.index(of: name)))
            case .loopback: avahiInterface(try existing(NetworkInterface.loopback))
            }
        family = avahiFamily(scope.family)
    }
}

private func existing(_ interface: InterfaceIndex?) throws(AvahiFailure) -> InterfaceIndex {
    guard let interface else {
        throw AvahiFailure(number: Int32(AVAHI_ERR_INVALID_INTERFACE), call: "looking for the interface")
    }
    return interface
}
