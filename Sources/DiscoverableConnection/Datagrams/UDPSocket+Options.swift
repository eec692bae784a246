public import DiscoverableCore

extension UDPSocket {
    /// What a socket is opened with.
    public struct Options: Hashable, Sendable {
        /// How many bytes of a datagram are received, 0…65,535; the rest of a longer one is lost, and the datagram marked.
        public var maximumDatagramSize = 65_535
        /// Whether others may have the same port.
        public var reuse: PortReuse = .exclusive
        /// Which work the kernel does on many datagrams at once.
        public var offloads: Offloads = .all
        /// What the kernel tells about each datagram.
        public var metadata: ReceiveMetadata = .standard
        /// How many bytes of datagrams that were enqueued wait for room in the kernel, before further ones are refused. Each
        /// datagram counts 64 bytes more than it has.
        public var sendQueueLimit = 256 * 1024
        /// How many bytes of arrived datagrams the kernel keeps for the socket; nil for the system's default. The kernel has a
        /// limit of its own (`net.core.rmem_max`), see `setReceiveBufferSize`.
        public var receiveBufferSize: Int?
        /// How many bytes of unsent datagrams the kernel keeps; nil for the system's default.
        public var sendBufferSize: Int?

        /// The defaults.
        public init() {}
    }

    /// Work that the kernel does on many datagrams at once. On the wire nothing changes. Where the kernel or a device cannot do it,
    /// each datagram goes by itself.
    public struct Offloads: OptionSet, Hashable, Sendable {
        /// One bit for each.
        public let rawValue: UInt8

        /// Those whose bits are set in `rawValue`.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Datagrams of one length to one peer leave in one piece, which the kernel or the device cuts (`UDP_SEGMENT`).
        public static let segmentation = Offloads(rawValue: 1)
        /// Datagrams of one length from one peer arrive in one piece, which the socket cuts (`UDP_GRO`). They share one time stamp.
        public static let coalescing = Offloads(rawValue: 2)
        /// Both.
        public static let all: Offloads = [.segmentation, .coalescing]
        /// Neither: each datagram goes through the system by itself.
        public static let none: Offloads = []
    }
}
