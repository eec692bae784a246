/// What is to be published: a service of this host.
public struct ServiceAdvertisement: Hashable, Sendable {
    /// The instance name that is wanted. Where another host holds it, ` #2` and so on is appended.
    public var name: ServiceName
    /// The service type.
    public var type: ServiceType
    /// The port on which this host offers it.
    public var port: UInt16
    /// What the service says of itself.
    public var txt: TXTRecord
    /// The domain; nil for the daemon's default, which is `local`.
    public var domain: Domain?
    /// The one interface on which it is told; nil for all.
    public var interface: InterfaceIndex?

    /// A service of this host.
    public init(
        name: ServiceName,
        type: ServiceType,
        port: UInt16,
        txt: TXTRecord = .empty,
        domain: Domain? = nil,
        interface: InterfaceIndex? = nil
    ) {
        self.name = name
        self.type = type
        self.port = port
        self.txt = txt
        self.domain = domain
        self.interface = interface
    }
}
