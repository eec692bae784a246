/// Takes the data of one record apart, front to back. What the network sent may end anywhere.
struct RecordReader {
    private let type: RecordType
    private let bytes: [UInt8]
    private var position = 0

    init(type: RecordType, _ rdata: Span<UInt8>) {
        self.type = type
        bytes = rdata.indices.map { rdata[$0] }
    }

    /// Two bytes in network order.
    mutating func number() throws(DiscoveryError) -> UInt16 {
        let pair = try take(2)
        return UInt16(pair[0]) << 8 | UInt16(pair[1])
    }

    /// A name that is not compressed.
    mutating func name() throws(DiscoveryError) -> DNSName {
        var end = position
        let name = try DNSName(rdata: bytes.span, at: &end)
        position = end
        return name
    }

    /// A text behind a byte with its length.
    mutating func string() throws(DiscoveryError) -> [UInt8] {
        let length = try take(1)
        return try take(Int(length[0]))
    }

    /// Such texts until the end.
    mutating func strings() throws(DiscoveryError) -> TXTRecord {
        do throws(DiscoveryError) {
            return try TXTRecord(rdata: remainder().span)
        } catch {
            throw malformed(type, error.explanation)
        }
    }

    /// All that is left, which must be this many bytes.
    mutating func rest(of length: Int) throws(DiscoveryError) -> [UInt8] {
        guard bytes.count - position == length else {
            throw malformed(type, "it has \(bytes.count) bytes, not \(length)")
        }
        return remainder()
    }

    /// All that is left.
    mutating func remainder() -> [UInt8] {
        defer { position = bytes.count }
        return Array(bytes[position...])
    }

    /// Nothing may be left.
    func end() throws(DiscoveryError) {
        if position < bytes.count { throw malformed(type, "\(bytes.count - position) bytes are left over") }
    }

    private mutating func take(_ length: Int) throws(DiscoveryError) -> [UInt8] {
        guard bytes.count - position >= length else { throw malformed(type, "the data ends too early") }
        defer { position += length }
        return Array(bytes[position..<(position + length)])
    }
}
