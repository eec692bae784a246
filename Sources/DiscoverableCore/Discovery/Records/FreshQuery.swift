/// A question to the hosts of a link that no cache answers: one from an ordinary port, which a responder answers to the asker
/// alone and from what it truly publishes (RFC 6762 section 6.7), as packets.
public struct FreshQuery: Hashable, Sendable {
    /// What the answer repeats.
    public let id: UInt16
    /// The name that is asked for.
    public let name: DNSName
    /// The type of record that is asked for.
    public let type: RecordType

    private static let classInternet: UInt16 = 1
    private static let headerLength = 12
    private static let isResponse: UInt8 = 0x80

    /// A question; `id` should not be guessable.
    public init(id: UInt16, name: DNSName, type: RecordType) {
        self.id = id
        self.name = name
        self.type = type
    }

    /// The packet that asks.
    public var packet: [UInt8] {
        let header: [UInt16] = [id, 0, 1, 0, 0, 0]
        let question = name.rdata + bytes(type.rawValue) + bytes(Self.classInternet)
        return header.flatMap(bytes) + question
    }

    /// What a packet says in answer to the question; empty where it is no answer to it. Records that say goodbye (a time to
    /// live of zero) are none.
    ///
    /// - Parameter packet: what arrived, from whomever.
    public func answers(in packet: Span<UInt8>) -> [DNSRecord] {
        guard packet.count >= Self.headerLength, packet[2] & Self.isResponse != 0 else { return [] }
        var reader = MessageReader(packet)
        guard (try? reader.number()) == id else { return [] }
        reader.position = 4
        do throws(DiscoveryError) {
            let questions = try reader.number()
            let records = try reader.number()
            reader.position = Self.headerLength
            for _ in 0..<questions { try reader.skipQuestion() }
            var answers: [DNSRecord] = []
            for _ in 0..<records {
                if let answer = try answer(&reader) { answers.append(answer) }
            }
            return answers
        } catch {
            return []
        }
    }

    private func answer(_ reader: inout MessageReader) throws(DiscoveryError) -> DNSRecord? {
        let entry = try reader.record()
        guard entry.type == type, entry.isAlive, entry.name == name, let data = entry.data else { return nil }
        return DNSRecord(name: entry.name, data: data)
    }
}

private func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xff)] }

/// Takes a DNS message apart, whose names may point back at names before them (RFC 1035 section 4.1.4).
struct MessageReader {
    struct Entry {
        let name: DNSName
        let type: RecordType
        /// Not a goodbye, and of the class of the Internet.
        let isAlive: Bool
        /// nil where the data is not of its type.
        let data: RecordData?
    }

    private let bytes: [UInt8]
    var position = 0

    init(_ packet: Span<UInt8>) {
        bytes = packet.indices.map { packet[$0] }
    }

    mutating func number() throws(DiscoveryError) -> UInt16 {
        guard bytes.count - position >= 2 else { throw tooShort }
        defer { position += 2 }
        return UInt16(bytes[position]) << 8 | UInt16(bytes[position + 1])
    }

    mutating func skipQuestion() throws(DiscoveryError) {
        _ = try name()
        _ = (try number(), try number())
    }

    mutating func record() throws(DiscoveryError) -> Entry {
        let name = try name()
        let type = RecordType(rawValue: try number())
        // The highest bit tells a cache to forget the others (RFC 6762 section 10.2).
        let isInternet = try number() & 0x7fff == 1
        let timeToLive = (try number(), try number())
        let length = Int(try number())
        guard bytes.count - position >= length else { throw tooShort }
        let end = position + length
        defer { position = end }
        let data = try? data(type, end: end)
        return Entry(name: name, type: type, isAlive: isInternet && timeToLive != (0, 0), data: data)
    }

    /// The data of a record, its names made whole.
    private mutating func data(_ type: RecordType, end: Int) throws(DiscoveryError) -> RecordData {
        var whole: [UInt8]
        switch type {
        case .srv:
            whole = Array(bytes[position..<min(position + 6, end)])
            position += whole.count
            whole += try name().rdata
        case .ptr, .cname: whole = try name().rdata
        // No name of any other type that is parsed may be compressed.
        default: whole = Array(bytes[position..<end])
        }
        return try RecordData(type: type, rdata: whole.span)
    }

    /// Each pointer must lead further back than the one before, so that this ends.
    mutating func name() throws(DiscoveryError) -> DNSName {
        var labels: [[UInt8]] = []
        var (next, earliest) = (position, position)
        var end: Int?
        while true {
            guard next < bytes.count else { throw tooShort }
            let length = Int(bytes[next])
            switch length {
            case 0:
                position = end ?? next + 1
                return try DNSName(labels: labels)
            case 1...63:
                guard next + 1 + length <= bytes.count, labels.count < 128 else { throw tooShort }
                labels.append(Array(bytes[(next + 1)..<(next + 1 + length)]))
                next += 1 + length
            case 0xc0...0xff:
                guard next + 1 < bytes.count else { throw tooShort }
                let target = (length & 0x3f) << 8 | Int(bytes[next + 1])
                guard target < earliest else { throw tooShort }
                end = end ?? next + 2
                (next, earliest) = (target, target)
            // 64 to 191: reserved kinds of labels.
            default: throw tooShort
            }
        }
    }

    private var tooShort: DiscoveryError {
        DiscoveryError(.invalidRecord, operation: "reading a packet", explanation: "it ends too early or is malformed")
    }
}
