public import DiscoverableCore

/// A datagram that has arrived.
public struct Datagram: Hashable, Sendable {
    /// Its content; empty for an empty datagram.
    public let bytes: [UInt8]
    /// Where it came from; a link-local address carries the interface, so that an answer finds its way.
    public let source: SocketAddress
    /// Whether it was longer than the socket's maximum, so that its end is missing.
    public let isTruncated: Bool

    /// A datagram with its source.
    public init(bytes: [UInt8], source: SocketAddress, isTruncated: Bool = false) {
        self.bytes = bytes
        self.source = source
        self.isTruncated = isTruncated
    }
}
