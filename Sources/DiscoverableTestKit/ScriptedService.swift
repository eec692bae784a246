/// A service on a scripted network: what a browse tells of it, and what a resolve finds out.
public struct ScriptedService: Hashable, Sendable {
    /// Which service.
    public var instance: ServiceInstance
    /// The subtypes under which it is found too.
    public var subtypes: Set<ServiceSubtype> = []
    /// The ways on which it is seen; with none it can be resolved, but no browse shows it.
    public var paths: [ServicePath] = [.scripted]
    /// What the daemon says of it on each of the ways.
    public var flags: SightingFlags = []
    /// The host that offers it.
    public var host: String
    /// The port on that host.
    public var port: UInt16
    /// The addresses of the host, without the port.
    public var addresses: [SocketAddress]
    /// The service's TXT record.
    public var txt: TXTRecord

    /// A service that is seen over IPv4 on one interface, of a host with one address of those set aside for documentation.
    ///
    /// - Parameters:
    ///   - instance: which service.
    ///   - host: the host that offers it.
    ///   - port: the port on that host.
    ///   - address: the host's address; set `addresses` for several.
    ///   - txt: the TXT record.
    public init(
        _ instance: ServiceInstance,
        host: String = "peer.local",
        port: UInt16 = 80,
        address: IPAddress = .v4(IPv4Address(192, 0, 2, 1)),
        txt: TXTRecord = .empty
    ) {
        self.instance = instance
        self.host = host
        self.port = port
        self.txt = txt
        addresses = [SocketAddress(address, port: port)]
    }

    /// The same with names as texts.
    /// - Throws: `DiscoveryError` with code `invalidName` for what is no name or no type.
    public init(
        _ name: String,
        type: String,
        host: String = "peer.local",
        port: UInt16 = 80,
        address: IPAddress = .v4(IPv4Address(192, 0, 2, 1)),
        txt: TXTRecord = .empty
    ) throws(DiscoveryError) {
        let instance = ServiceInstance(name: try ServiceName(name), type: try ServiceType(type))
        self.init(instance, host: host, port: port, address: address, txt: txt)
    }

    /// What a resolve tells: the addresses with the port.
    public var resolved: ResolvedService {
        ResolvedService(
            instance: instance,
            host: host,
            port: port,
            addresses: addresses.map { SocketAddress($0.ip, port: port, scope: $0.scope) },
            txt: txt
        )
    }
}

extension ServicePath {
    /// The way on which things of a scripted network are seen where nothing else is said: over IPv4 on the interface `lan0`.
    public static let scripted = ServicePath(interface: InterfaceIndex(rawValue: 2), family: .ipv4)
}
