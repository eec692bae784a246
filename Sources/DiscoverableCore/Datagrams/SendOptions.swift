/// How one datagram leaves, where that differs from what the socket does by itself.
public struct SendOptions: BitwiseCopyable, Hashable, Sendable {
    /// The address that the datagram comes from: one of this host's (`IP_PKTINFO`, `IPV6_PKTINFO`); nil lets the kernel choose.
    public var source: IPAddress?
    /// The interface that it leaves through; nil lets the kernel choose.
    public var interface: InterfaceIndex?
    /// The traffic class in its header (`IP_TOS`, `IPV6_TCLASS`); nil takes the socket's.
    public var trafficClass: TrafficClass?

    /// What is nil is left to the kernel and the socket.
    public init(source: IPAddress? = nil, interface: InterfaceIndex? = nil, trafficClass: TrafficClass? = nil) {
        self.source = source
        self.interface = interface
        self.trafficClass = trafficClass
    }
}

/// Where a datagram goes and how. Neighbours on one route may leave in one message.
///
/// Public, for this package only, so that other modules make one in place.
@_spi(Package) public struct DatagramRoute: BitwiseCopyable, Hashable, Sendable {
    /// nil on a connected socket.
    public let destination: SocketAddress?
    /// How it leaves.
    public let options: SendOptions

    /// A route.
    @inlinable
    public init(_ destination: SocketAddress?, options: SendOptions = SendOptions()) {
        self.destination = destination
        self.options = options
    }
}
