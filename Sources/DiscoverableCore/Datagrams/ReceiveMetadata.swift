/// What the kernel is asked to tell about each received datagram, beside its bytes and where it came from.
public struct ReceiveMetadata: OptionSet, Hashable, Sendable {
    /// One bit for each kind.
    public let rawValue: UInt8

    /// The kinds whose bits are set in `rawValue`.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The address that it was sent to and the interface that it came in through (`IP_PKTINFO`, `IPV6_RECVPKTINFO`): what a
    /// reply needs to leave from the address asked.
    public static let destination = ReceiveMetadata(rawValue: 1)

    /// Its traffic class, with the marks of congestion (`IP_RECVTOS`, `IPV6_RECVTCLASS`).
    public static let trafficClass = ReceiveMetadata(rawValue: 2)

    /// How many datagrams the kernel has dropped for want of room since the last one (`SO_RXQ_OVFL`).
    public static let drops = ReceiveMetadata(rawValue: 4)

    /// When the kernel took it in, in nanoseconds (`SO_TIMESTAMPNS`). The first socket that asks for it makes the kernel read
    /// its clock for every packet of the host.
    public static let timestamp = ReceiveMetadata(rawValue: 8)

    /// What costs nothing: drops. A socket that is bound to all addresses is told the destination too, whatever is asked for, since
    /// its replies need it.
    public static let standard: ReceiveMetadata = [.drops]

    /// Everything; the kernel and the socket take about a tenth of a microsecond for it, each datagram.
    public static let all: ReceiveMetadata = [.destination, .trafficClass, .drops, .timestamp]
}
