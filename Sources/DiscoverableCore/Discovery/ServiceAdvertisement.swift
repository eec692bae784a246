/// A service that is to be published: of this host, unless it names another one.
public struct ServiceAdvertisement: Hashable, Sendable {
    /// The instance name that is wanted. Where another host holds it, ` #2` and so on is appended, unless the publication
    /// is not to be renamed.
    public var name: ServiceName
    /// The service type.
    public var type: ServiceType
    /// The narrower kinds of the type under which it is found too.
    public var subtypes: [ServiceSubtype]
    /// The port on which the host offers it.
    public var port: UInt16
    /// What the service says of itself.
    public var txt: TXTRecord
    /// The domain; nil for the daemon's default, which is `local`.
    public var domain: Domain?
    /// The host that offers it; nil for this one, also when its name changes.
    public var host: DNSName?
    /// Where it is told. What is told on the loopback interface is seen on this host only.
    public var scope: DiscoveryScope

    /// A service of this host, unless `host` names another one.
    public init(
        name: ServiceName,
        type: ServiceType,
        subtypes: [ServiceSubtype] = [],
        port: UInt16,
        txt: TXTRecord = .empty,
        domain: Domain? = nil,
        host: DNSName? = nil,
        scope: DiscoveryScope = .everywhere
    ) {
        self.name = name
        self.type = type
        self.subtypes = subtypes
        self.port = port
        self.txt = txt
        self.domain = domain
        self.host = host
        self.scope = scope
    }
}
