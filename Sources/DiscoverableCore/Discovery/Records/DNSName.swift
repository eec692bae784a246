/// A full DNS name: labels of 1 to 63 bytes, 255 bytes in all with their lengths (RFC 1035 section 2.3.4).
///
/// `text` is its one spelling in the form that Avahi speaks: labels separated by dots, no dot at the end; a dot and a
/// backslash in a label stand behind a backslash, every other byte outside `A-Z a-z 0-9 _ -` as `\DDD` in decimal. The root
/// is `.`. Two names are equal where DNS calls them equal: byte by byte, ASCII letters without regard to case.
public struct DNSName: DNSComparable, Sendable {
    /// The escaped name.
    public let text: String

    /// The name without labels, which as the target of a service says that there is none (RFC 2782).
    public static let root = DNSName(unchecked: ".")

    /// The longest name in bytes of the wire.
    public static let maximumLength = 255

    /// A name of labels as they are, without escapes.
    /// - Throws: `DiscoveryError` with code `invalidName` for a label of no or of more than 63 bytes, and for more than 255
    ///   bytes in all.
    public init(labels: [[UInt8]]) throws(DiscoveryError) {
        let text = labels.isEmpty ? "." : labels.map(escape).joined(separator: ".")
        if let label = labels.first(where: { !(1...63).contains($0.count) }) {
            throw refuse(text, "a label has \(label.count) bytes and DNS allows 1 to 63; correct it")
        }
        let length = labels.reduce(1) { $0 + 1 + $1.count }
        if length > Self.maximumLength {
            throw refuse(text, "the name has \(length) bytes and DNS allows \(Self.maximumLength); shorten it")
        }
        self.text = text
    }

    /// Parses an escaped name: `beta.local`, `My\032Printer._ipp._tcp.local`. A dot at the end may stand or not; bytes that
    /// need no escape may stand as they are, in UTF-8.
    /// - Throws: `DiscoveryError` with code `invalidName` for an escape that is none, an empty label, a label of more than 63
    ///   bytes, and more than 255 bytes in all.
    public init(_ text: String) throws(DiscoveryError) {
        if text == "." {
            self = .root
        } else {
            self = try DNSName(labels: unescape(text))
        }
    }

    /// The name under which a service's SRV and TXT records stand (RFC 6763 section 4.1).
    /// - Throws: `DiscoveryError` with code `invalidName` where the three names together have more than 255 bytes.
    public init(_ instance: ServiceInstance) throws(DiscoveryError) {
        let rest = try DNSName("\(instance.type.text).\(instance.domain.text)")
        self = try DNSName(labels: [Array(instance.name.text.utf8)] + rest.labels)
    }

    /// The name under which the host that has an address is told: `4.2.0.192.in-addr.arpa` (RFC 1035 section 3.5),
    /// `….ip6.arpa` (RFC 3596 section 2.5).
    public init(reverseOf address: IPAddress) {
        switch address {
        case .v4(let address):
            self.init(unchecked: address.bytes.reversed().map(String.init).joined(separator: ".") + ".in-addr.arpa")
        case .v6(let address):
            let digits = address.bytes.reversed().flatMap { [$0 & 0xf, $0 >> 4] }
            self.init(unchecked: digits.map { String($0, radix: 16) }.joined(separator: ".") + ".ip6.arpa")
        }
    }

    private init(unchecked text: String) {
        self.text = text
    }

    /// The labels as they are on the wire, without escapes.
    public var labels: [[UInt8]] {
        // `text` was escaped here, so that it can be read.
        text == "." ? [] : (try? unescape(text)) ?? []
    }

    /// Whether this name is `other`, or stands under it.
    public func isWithin(_ other: DNSName) -> Bool {
        let (mine, theirs) = (labels, other.labels)
        guard mine.count >= theirs.count else { return false }
        guard let suffix = try? DNSName(labels: Array(mine.suffix(theirs.count))) else { return false }
        return suffix == other
    }
}

// MARK: - The wire

extension DNSName {
    /// Parses the name that stands at `position` and moves behind it. Names inside the record data that Avahi hands over are
    /// whole, so that a compression pointer is refused.
    /// - Throws: `DiscoveryError` with code `invalidRecord` where the data ends inside the name, a label is longer than 63
    ///   bytes, or the name is longer than 255.
    public init(rdata: Span<UInt8>, at position: inout Int) throws(DiscoveryError) {
        var labels: [[UInt8]] = []
        var next = position
        while true {
            guard next >= 0, next < rdata.count else { throw malformed("the data ends inside a name") }
            let length = Int(rdata[next])
            next += 1
            if length == 0 { break }
            guard length <= 63 else { throw malformed("a label of a name has more than 63 bytes, or is a pointer") }
            guard next + length <= rdata.count else { throw malformed("the data ends inside a label") }
            labels.append((next..<(next + length)).map { rdata[$0] })
            next += length
            guard next - position < Self.maximumLength else { throw malformed("a name has more than 255 bytes") }
        }
        position = next
        self = try DNSName(labels: labels)
    }

    /// The labels behind their lengths, and the zero byte of the root.
    public var rdata: [UInt8] { labels.flatMap { [UInt8($0.count)] + $0 } + [0] }

    /// The length of `rdata` in bytes.
    public var encodedLength: Int { labels.reduce(1) { $0 + 1 + $1.count } }
}

// MARK: - Escapes

private func refuse(_ text: String, _ explanation: String) -> DiscoveryError {
    DiscoveryError(.invalidName, operation: "taking \"\(text)\" as a DNS name", explanation: explanation)
}

private func malformed(_ explanation: String) -> DiscoveryError {
    DiscoveryError(.invalidRecord, operation: "reading a name in a record", explanation: explanation)
}

private func escape(_ label: [UInt8]) -> String {
    label.map { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x5f: String(UnicodeScalar(byte))
        case 0x2e: "\\."
        case 0x5c: "\\\\"
        default: "\\" + String(repeating: "0", count: byte < 10 ? 2 : byte < 100 ? 1 : 0) + String(byte)
        }
    }.joined()
}

private func unescape(_ text: String) throws(DiscoveryError) -> [[UInt8]] {
    var labels: [[UInt8]] = [[]]
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
        switch byte {
        case 0x2e: labels.append([])
        case 0x5c: labels[labels.count - 1].append(try escaped(&rest, of: text))
        default: labels[labels.count - 1].append(byte)
        }
    }
    // A dot at the end stands for the root.
    if labels.count > 1, labels.last == [] { labels.removeLast() }
    return labels
}

/// The byte that stands behind a backslash.
private func escaped(_ rest: inout ArraySlice<UInt8>, of text: String) throws(DiscoveryError) -> UInt8 {
    guard let first = rest.popFirst() else { throw refuse(text, "it ends with a backslash; write \\\\ for one") }
    guard isDigit(first) else { return first }
    guard rest.count >= 2, rest.prefix(2).allSatisfy(isDigit),
        let byte = UInt8(String(decoding: [first] + rest.prefix(2), as: UTF8.self))
    else { throw refuse(text, "behind a backslash stand three digits up to 255, or one other character; correct it") }
    rest = rest.dropFirst(2)
    return byte
}

private func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
