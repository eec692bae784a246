public import DiscoverableCore

/// A datagram that has arrived.
public struct Datagram: Hashable, Sendable {
    /// Its content; empty for an empty datagram.
    public let bytes: [UInt8]
    /// Everything about it but its content.
    public let header: DatagramHeader

    /// Where it came from; a link-local address carries the interface, so that an answer finds its way.
    public var source: SocketAddress { header.source }

    /// How many bytes it had; more than `bytes` where it was longer than the socket's maximum.
    public var length: Int { header.length }
    /// The address that it was sent to: one of this host's, a group's, or a broadcast address.
    public var destination: IPAddress? { header.destination }
    /// The interface that it came in through.
    public var interface: InterfaceIndex? { header.interface }
    /// The byte of its header that holds its class and the marks of congestion.
    public var trafficClass: TrafficClass? { header.trafficClass }
    /// When the kernel took it in: the time since the beginning of 1970.
    public var timestamp: Duration? { header.timestamp }
    /// How many datagrams of the socket the kernel has dropped, for want of room, since the one before.
    public var droppedBefore: UInt32 { header.droppedBefore }

    /// Whether it was longer than the socket's maximum, so that its end is missing.
    public var isTruncated: Bool { header.length > bytes.count }

    /// A datagram with its content.
    public init(bytes: [UInt8], header: DatagramHeader) {
        self.bytes = bytes
        self.header = header
    }

    /// A datagram of which nothing is known but its source.
    public init(bytes: [UInt8], source: SocketAddress) {
        self.init(bytes: bytes, header: DatagramHeader(source: source, length: bytes.count))
    }
}
