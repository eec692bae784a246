public import DiscoverableCore
internal import DiscoverableRuntime

/// A datagram that has arrived.
///
/// What the kernel was not asked for (`UDPSocket.Options.metadata`) is nil or 0.
public struct Datagram: Hashable, Sendable {
    /// Its content; empty for an empty datagram.
    public let bytes: [UInt8]
    /// Where it came from; a link-local address carries the interface, so that an answer finds its way.
    public let source: SocketAddress
    /// The address that it was sent to: one of this host's, a group's, or a broadcast address.
    public let destination: IPAddress?
    /// The interface that it came in through.
    public let interface: InterfaceIndex?
    /// The byte of its header that holds its class and the marks of congestion (RFC 3168).
    public let trafficClass: TrafficClass?
    /// When the kernel took it in, by the system's clock: the time since the beginning of 1970.
    public let timestamp: Duration?
    /// How many bytes it had; more than `bytes` where it was longer than the socket's maximum.
    public let length: Int
    /// How many datagrams of the socket the kernel has dropped, for want of room, since the one before. Several that had arrived as
    /// one piece (`UDPSocket.Options.usesOffloads`) it counts as one.
    public let droppedBefore: UInt32
    /// The address that an answer comes from when it is to come from the one asked; nil lets the kernel choose.
    let local: IPAddress?

    /// Whether it was longer than the socket's maximum, so that its end is missing.
    public var isTruncated: Bool { length > bytes.count }

    /// A datagram as a test would make it.
    ///
    /// - Parameter length: how many bytes it had; nil for as many as there are.
    public init(
        bytes: [UInt8],
        source: SocketAddress,
        destination: IPAddress? = nil,
        interface: InterfaceIndex? = nil,
        trafficClass: TrafficClass? = nil,
        timestamp: Duration? = nil,
        length: Int? = nil,
        droppedBefore: UInt32 = 0
    ) {
        self.bytes = bytes
        self.source = source
        self.destination = destination
        self.interface = interface
        self.trafficClass = trafficClass
        self.timestamp = timestamp
        self.length = length ?? bytes.count
        self.droppedBefore = droppedBefore
        local = destination
    }

    init(bytes: [UInt8], piece: DatagramStorage.Piece, arrival: DatagramArrival, isFirst: Bool) {
        self.bytes = bytes
        source = arrival.source
        destination = arrival.destination
        interface = arrival.interface
        trafficClass = arrival.trafficClass
        timestamp = arrival.timestamp
        length = Int(piece.originalLength)
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
