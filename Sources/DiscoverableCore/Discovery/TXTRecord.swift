/// The TXT record of a service: strings of at most 255 bytes in an order, read as keys with values (RFC 6763 section 6).
///
/// The strings are kept exactly as they came. `entries` reads them by the rules of section 6.4: a string without a key is
/// passed over, the first of equal keys counts, keys are compared without regard to ASCII case, a key may have no value.
public struct TXTRecord: Hashable, Sendable {
    /// One key with its value.
    public struct Entry: Hashable, Sendable {
        /// The key as it was spelt: printable ASCII without `=`.
        public let key: String
        /// The bytes after the first `=`; empty for `key=`, nil for a key that stands alone.
        public let value: [UInt8]?

        /// The value as text; nil where there is none or where it is not UTF-8.
        public var text: String? { value.flatMap { String(validating: $0, as: UTF8.self) } }

        /// A key with the bytes of its value, or without one.
        public init(key: String, value: [UInt8]?) {
            self.key = key
            self.value = value
        }

        /// A key with a text as its value, or without one.
        public init(key: String, text: String?) {
            self.init(key: key, value: text.map { Array($0.utf8) })
        }
    }

    /// The strings in the order of the wire, each of 1 to 255 bytes.
    public let strings: [[UInt8]]

    /// A record without any string.
    public static let empty = TXTRecord(unchecked: [])

    /// The longest record that a multicast DNS packet can carry (RFC 6762 section 17: 9,000 bytes with all headers).
    public static let maximumLength = 8_900

    /// A record of entries in this order.
    /// - Throws: `DiscoveryError` with code `invalidTXTRecord` for a key that is empty, holds `=` or anything but
    ///   printable ASCII, stands twice, or makes more than 255 bytes with its value; and for more than 8,900 bytes.
    public init(_ entries: [Entry]) throws(DiscoveryError) {
        var seen: Set<String> = []
        for entry in entries {
            try check(entry)
            if !seen.insert(entry.key.lowercased()).inserted {
                throw refuse("key \"\(entry.key)\" stands twice, and readers take only the first; remove one")
            }
        }
        try self.init(strings: entries.map { entry in Array(entry.key.utf8) + (entry.value.map { [0x3d] + $0 } ?? []) })
    }

    /// A record of raw strings in this order; empty strings, which carry nothing, are left out.
    /// - Throws: `DiscoveryError` with code `invalidTXTRecord` for a string of more than 255 bytes and for more than
    ///   8,900 bytes in all, which the daemon would take and never send.
    public init(strings: [[UInt8]]) throws(DiscoveryError) {
        if let long = strings.first(where: { $0.count > 255 }) {
            throw refuse("a string has \(long.count) bytes and a TXT string holds 255; shorten \"\(preview(long))\"")
        }
        self.init(unchecked: strings.filter { !$0.isEmpty })
        if encodedLength > Self.maximumLength {
            throw refuse(
                "the record has \(encodedLength) bytes and a multicast DNS packet carries \(Self.maximumLength); "
                    + "keep it under 1,300"
            )
        }
    }

    /// What came from the network, where every string is short enough by its own format.
    package init(unchecked strings: [[UInt8]]) {
        self.strings = strings
    }

    /// The keys with their values, in order, as RFC 6763 section 6.4 reads the strings.
    public var entries: [Entry] {
        var seen: Set<String> = []
        return strings.compactMap(parseEntry).filter { seen.insert($0.key.lowercased()).inserted }
    }

    /// The entry with this key, compared without regard to ASCII case; nil where there is none.
    public subscript(key: String) -> Entry? {
        entries.first { ASCIIFolding.areEqual($0.key, key) }
    }
}

private func refuse(_ explanation: String) -> DiscoveryError {
    DiscoveryError(.invalidTXTRecord, operation: "building a TXT record", explanation: explanation)
}

private func preview(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.prefix(20), as: UTF8.self) + "…"
}

private func check(_ entry: TXTRecord.Entry) throws(DiscoveryError) {
    if entry.key.isEmpty { throw refuse("a key is empty; give it at least one character") }
    if !entry.key.utf8.allSatisfy(isKeyByte) {
        throw refuse("key \"\(entry.key)\" holds more than printable ASCII without =; rename it")
    }
}

private func isKeyByte(_ byte: UInt8) -> Bool { (0x20...0x7e).contains(byte) && byte != 0x3d }

private func parseEntry(_ string: [UInt8]) -> TXTRecord.Entry? {
    let end = string.firstIndex(of: 0x3d)
    let key = string[..<(end ?? string.count)]
    guard !key.isEmpty, key.allSatisfy(isKeyByte) else { return nil }
    return TXTRecord.Entry(key: String(decoding: key, as: UTF8.self), value: end.map { Array(string[($0 + 1)...]) })
}

// MARK: - The wire

extension TXTRecord {
    /// Parses record data: strings, each behind a byte with its length (RFC 1035 section 3.3.14). Strings of no bytes are
    /// left out, so that the single zero byte of an empty record gives `empty`.
    /// - Throws: `DiscoveryError` with code `invalidTXTRecord` where a string is longer than what is left.
    public init(rdata: Span<UInt8>) throws(DiscoveryError) {
        var strings: [[UInt8]] = []
        var position = 0
        while position < rdata.count {
            let end = position + 1 + Int(rdata[position])
            guard end <= rdata.count else { throw refuse("the data ends in the middle of a string") }
            let string = ((position + 1)..<end).map { rdata[$0] }
            if !string.isEmpty { strings.append(string) }
            position = end
        }
        self.init(unchecked: strings)
    }

    /// The record data; a record without strings is a single zero byte (RFC 6763 section 6.1).
    public var rdata: [UInt8] {
        strings.isEmpty ? [0] : strings.flatMap { [UInt8($0.count)] + $0 }
    }

    /// The length of `rdata` in bytes.
    public var encodedLength: Int {
        max(1, strings.reduce(0) { $0 + 1 + $1.count })
    }
}
