/// The type of a DNS record: its number, and a name for those that are usual.
public struct RecordType: RawRepresentable, BitwiseCopyable, Hashable, Comparable, Sendable {
    /// The number of the type (RFC 1035 section 3.2.2 and IANA's list).
    public let rawValue: UInt16

    /// The type with this number.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// An IPv4 address.
    public static let a = RecordType(rawValue: 1)
    /// A name server.
    public static let ns = RecordType(rawValue: 2)
    /// Another name of the name that it points to.
    public static let cname = RecordType(rawValue: 5)
    /// The beginning of a zone.
    public static let soa = RecordType(rawValue: 6)
    /// A pointer to a name.
    public static let ptr = RecordType(rawValue: 12)
    /// What kind of machine a host is.
    public static let hinfo = RecordType(rawValue: 13)
    /// A mail server.
    public static let mx = RecordType(rawValue: 15)
    /// Strings.
    public static let txt = RecordType(rawValue: 16)
    /// An IPv6 address.
    public static let aaaa = RecordType(rawValue: 28)
    /// Where a service listens (RFC 2782).
    public static let srv = RecordType(rawValue: 33)
    /// Which types a name has (RFC 4034).
    public static let nsec = RecordType(rawValue: 47)

    private static let names: [RecordType: String] = [
        .a: "A", .ns: "NS", .cname: "CNAME", .soa: "SOA", .ptr: "PTR", .hinfo: "HINFO", .mx: "MX", .txt: "TXT",
        .aaaa: "AAAA", .srv: "SRV", .nsec: "NSEC",
    ]

    /// Orders by number.
    public static func < (left: RecordType, right: RecordType) -> Bool { left.rawValue < right.rawValue }
}

extension RecordType: CustomStringConvertible {
    /// Parses `SRV`, in any case of letters, or `TYPE65` for any number (RFC 3597 section 5).
    /// - Throws: `DiscoveryError` with code `invalidArgument` for anything else.
    public init(_ text: String) throws(DiscoveryError) {
        let wanted = text.uppercased()
        if let known = Self.names.first(where: { $0.value == wanted })?.key {
            self = known
        } else if wanted.hasPrefix("TYPE"), let number = UInt16(wanted.dropFirst(4)) {
            self.init(rawValue: number)
        } else {
            throw DiscoveryError(
                .invalidArgument,
                operation: "taking \"\(text)\" as a type of DNS records",
                explanation: "a type is one of \(Self.names.values.sorted().joined(separator: ", ")), or TYPE with its "
                    + "number, such as TYPE65"
            )
        }
    }

    /// `SRV`, or `TYPE65` where the type has no name here.
    public var description: String { Self.names[self] ?? "TYPE\(rawValue)" }
}
