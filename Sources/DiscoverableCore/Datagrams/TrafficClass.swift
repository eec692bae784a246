/// The byte in every IP header that says how a datagram wants to be treated on its way (IPv4: type of service; IPv6: traffic
/// class): a code point for its class, and two bits for congestion.
public struct TrafficClass: RawRepresentable, BitwiseCopyable, Hashable, Sendable, CustomStringConvertible {
    /// The byte as it stands in the header.
    public let rawValue: UInt8

    /// The traffic class whose byte in the header is `rawValue`.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// A class made of its two parts.
    ///
    /// - Parameters:
    ///   - dscp: the code point, 0…63; of a larger number, the lower six bits count.
    ///   - ecn: what the two lower bits say about congestion.
    public init(dscp: UInt8, ecn: ExplicitCongestionNotification = .notCapable) {
        rawValue = dscp << 2 | ecn.rawValue
    }

    /// What datagrams have that ask for nothing: zero.
    public static let standard = TrafficClass(rawValue: 0)

    /// The differentiated services code point, 0…63 (RFC 2474 section 3).
    public var dscp: UInt8 { rawValue >> 2 }

    /// What the datagram says about congestion.
    public var ecn: ExplicitCongestionNotification {
        switch rawValue & 3 {
        case 0: .notCapable
        case 1: .ect1
        case 2: .ect0
        default: .congestionExperienced  // safe because two bits have no fifth value
        }
    }

    /// `DSCP 46, ECT(0)`.
    public var description: String { "DSCP \(dscp), \(ecn)" }
}

/// What the two lower bits of a traffic class say: whether both ends react to marks instead of losses, and whether a router
/// was about to drop the datagram (RFC 3168 section 5).
public enum ExplicitCongestionNotification: UInt8, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The ends do not react to marks: a congested router drops (Not-ECT).
    case notCapable = 0
    /// The ends react to marks; the second of the two code points, which RFC 9331 gives to low latency traffic (ECT(1)).
    case ect1 = 1
    /// The ends react to marks: the usual code point (ECT(0)).
    case ect0 = 2
    /// A router on the way was congested, and marked the datagram instead of dropping it (CE).
    case congestionExperienced = 3

    /// The name that RFC 3168 gives it: `Not-ECT`, `ECT(1)`, `ECT(0)`, `CE`.
    public var description: String {
        switch self {
        case .notCapable: "Not-ECT"
        case .ect1: "ECT(1)"
        case .ect0: "ECT(0)"
        case .congestionExperienced: "CE"
        }
    }
}
