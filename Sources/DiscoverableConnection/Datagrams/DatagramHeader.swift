public import DiscoverableCore
internal import DiscoverableRuntime

/// What is known about a datagram that has arrived, beside its content.
///
/// What the kernel was not asked for (`UDPSocket.Options.metadata`) is nil or 0.
public struct DatagramHeader: Hashable, Sendable {
    /// Where it came from; a link-local address carries the interface, so that an answer finds its way.
    public var source: SocketAddress
    /// How many bytes it had; more than were kept where it was longer than the socket's maximum.
    public var length: Int
    /// The address that it was sent to: one of this host's, a group's, or a broadcast address.
    public var destination: IPAddress?
    /// The interface that it came in through.
    public var interface: InterfaceIndex?
    /// The byte of its header that holds its class and the marks of congestion (RFC 3168).
    public var trafficClass: TrafficClass?
    /// When the kernel took it in, by the system's clock: the time since the beginning of 1970.
    public var timestamp: Duration?
    /// How many datagrams of the socket the kernel has dropped, for want of room, since the one before. Those that it had joined
    /// into one piece (`UDPSocket.Offloads.coalescing`) it counts as one.
    public var droppedBefore: UInt32 = 0
    /// The address that an answer comes from when it is to come from the one asked; nil lets the kernel choose.
    var local: IPAddress?

    /// A header as a test would make it.
    public init(source: SocketAddress, length: Int) {
        self.source = source
        self.length = length
    }

    init(_ arrival: DatagramArrival, length: Int, isFirst: Bool) {
        source = arrival.source
        self.length = length
        destination = arrival.destination
        interface = arrival.interface
        trafficClass = arrival.trafficClass
        timestamp = arrival.timestamp
        droppedBefore = isFirst ? arrival.droppedBefore : 0
        local = arrival.local
    }

    /// How an answer leaves from the address that was asked: also on a host with several. A group or a broadcast address is
    /// nobody's, and then the kernel's choice stands.
    var replyOptions: SendOptions {
        guard let local, !local.isMulticast else { return SendOptions() }
        // A link-local address means something on its interface only.
        return SendOptions(source: local, interface: local.needsScope ? interface : nil)
    }
}
