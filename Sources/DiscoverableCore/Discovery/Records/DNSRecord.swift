/// A DNS record: a name and what is said of it. Its time to live is the daemon's affair.
public struct DNSRecord: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The name.
    public var name: DNSName
    /// What is said of it.
    public var data: RecordData

    /// A record.
    public init(name: DNSName, data: RecordData) {
        self.name = name
        self.data = data
    }

    /// The type of the record.
    public var type: RecordType { data.type }

    /// Orders by name, type and data, the data as bytes (RFC 6762 section 8.2).
    public static func < (left: DNSRecord, right: DNSRecord) -> Bool {
        if left.name != right.name { return left.name < right.name }
        if left.type != right.type { return left.type < right.type }
        return left.data.rdata.lexicographicallyPrecedes(right.data.rdata)
    }

    /// For people: `beta.local A 192.0.2.1`.
    public var description: String { "\(name) \(type) \(data)" }
}

extension RecordData: CustomStringConvertible {
    /// For people, as zone files spell it: `0 0 80 beta.local`; the bytes of an unknown type in hexadecimal (RFC 3597).
    public var description: String {
        switch self {
        case .a(let address): address.description
        case .aaaa(let address): address.description
        case .cname(let name), .ptr(let name): name.text
        case .srv(let location): "\(location.priority) \(location.weight) \(location.port) \(location.target)"
        case .txt(let record): record.strings.map(quote).joined(separator: " ")
        case .hinfo(let info): "\(quote(info.cpu)) \(quote(info.system))"
        case .raw(_, let bytes):
            "\\# \(bytes.count)" + (bytes.isEmpty ? "" : " ") + bytes.map { hexadecimal($0) }.joined()
        }
    }
}

/// A text in quotes; a quote, a backslash and whatever is not printable ASCII is escaped.
private func quote(_ text: [UInt8]) -> String {
    let characters = text.map { byte in
        switch byte {
        case 0x22, 0x5c: "\\" + String(UnicodeScalar(byte))
        case 0x20...0x7e: String(UnicodeScalar(byte))
        default: "\\" + String(repeating: "0", count: byte < 10 ? 2 : byte < 100 ? 1 : 0) + String(byte)
        }
    }
    return "\"" + characters.joined() + "\""
}

private func hexadecimal(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
}
