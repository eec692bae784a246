internal import DiscoverableCore
internal import DiscoverableRuntime

extension PacketLimit {
    /// The narrowest of the interfaces that the daemon uses, by default, in a scope; nil where there is none now.
    static func ofSystem(_ scope: DiscoveryScope) -> PacketLimit? {
        let interfaces = (try? NetworkInterface.all()) ?? []
        let narrowest = interfaces.filter { $0.isMeant(by: scope.interface) }.min { $0.mtu < $1.mtu }
        return narrowest.map { PacketLimit(interface: $0.name, mtu: $0.mtu) }
    }
}

extension NetworkInterface {
    fileprivate func isMeant(by interface: DiscoveryScope.Interface) -> Bool {
        switch interface {
        case .any: isUp && supportsMulticast && !isLoopback && !isPointToPoint
        case .index(let index): self.index == index
        case .name(let name): self.name == name
        case .loopback: isLoopback
        }
    }
}
