/// An IPv6 address, without a scope: `SocketAddress` carries that.
public struct IPv6Address: BitwiseCopyable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The first eight bytes as a number in host byte order.
    public let high: UInt64
    /// The last eight bytes as a number in host byte order.
    public let low: UInt64

    /// The address made of two halves in host byte order.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The address made of 16 bytes in network order; nil for any other count.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The sixteen bytes in network order.
    public var bytes: [UInt8] {
        [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) } }
    }

    /// Every address of the host: `::`.
    public static let any = IPv6Address(high: 0, low: 0)
    /// `::1`.
    public static let loopback = IPv6Address(high: 0, low: 1)

    /// Whether the address means something on one link only (fe80::/10), so that it needs a scope.
    public var isLinkLocal: Bool { high >> 54 == 0xfe80 >> 6 }

    /// Whether the address names a group (ff00::/8).
    public var isMulticast: Bool { high >> 56 == 0xff }

    /// The address inside an IPv4-mapped one (::ffff:0:0/96), else nil.
    public var mappedIPv4: IPv4Address? {
        guard high == 0, low >> 32 == 0xffff else { return nil }
        return IPv4Address(rawValue: UInt32(truncatingIfNeeded: low))
    }

    private var groups: [UInt16] {
        [high, low].flatMap { half in (0..<4).map { UInt16(truncatingIfNeeded: half >> (48 - 16 * $0)) } }
    }

    /// The shortest text, in lower case, as RFC 5952 sections 4 and 5 want it.
    public var description: String {
        if let mapped = mappedIPv4 { return "::ffff:\(mapped)" }
        let groups = groups
        let texts = groups.map { String($0, radix: 16) }
        guard let zeros = longestRunOfZeros(in: groups) else { return texts.joined(separator: ":") }
        let front = texts[..<zeros.lowerBound].joined(separator: ":")
        let back = texts[zeros.upperBound...].joined(separator: ":")
        return "\(front)::\(back)"
    }

    /// Orders as numbers.
    public static func < (left: IPv6Address, right: IPv6Address) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

/// The first of the longest runs of at least two zero groups (RFC 5952 section 4.2).
private func longestRunOfZeros(in groups: [UInt16]) -> Range<Int>? {
    var best: Range<Int>?
    var start = 0
    while start < groups.count {
        let end = groups[start...].firstIndex { $0 != 0 } ?? groups.count
        if end - start >= 2, end - start > (best?.count ?? 0) { best = start..<end }
        start = max(end, start + 1)
    }
    return best
}

extension IPv6Address {
    /// Parses every textual form of RFC 4291 section 2.2: full, with one `::`, with a dotted quad at the end. A scope
    /// (`%lan0`) is no part of an address and is refused here.
    public init?(_ text: some StringProtocol) {
        guard let halves = splitAtDoubleColon(String(text)) else { return nil }
        guard let front = parseGroups(halves.front, mayEndInQuad: halves.back == nil) else { return nil }
        guard let backText = halves.back else {
            guard front.count == 8 else { return nil }
            self.init(groups: front)
            return
        }
        guard let back = parseGroups(backText, mayEndInQuad: true), front.count + back.count < 8 else { return nil }
        self.init(groups: front + Array(repeating: 0, count: 8 - front.count - back.count) + back)
    }

    private init(groups: [UInt16]) {
        self.init(
            high: groups[..<4].reduce(0) { $0 << 16 | UInt64($1) },
            low: groups[4...].reduce(0) { $0 << 16 | UInt64($1) }
        )
    }
}

/// The text before and after `::`; `back` is nil without one; nil as a whole where there are two.
private func splitAtDoubleColon(_ text: String) -> (front: String, back: String?)? {
    let bytes = Array(text.utf8)
    let places = bytes.indices.dropLast().filter { bytes[$0] == 0x3a && bytes[$0 + 1] == 0x3a }
    guard let place = places.first else { return (text, nil) }
    guard places.count == 1 else { return nil }
    return (String(decoding: bytes[..<place], as: UTF8.self), String(decoding: bytes[(place + 2)...], as: UTF8.self))
}

/// Groups of one to four hexadecimal digits separated by colons; the last may be a dotted quad, which makes two groups.
private func parseGroups(_ text: String, mayEndInQuad: Bool) -> [UInt16]? {
    if text.isEmpty { return [] }
    var groups: [UInt16] = []
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    for (position, part) in parts.enumerated() {
        if position == parts.count - 1, mayEndInQuad, let quad = IPv4Address(part) {
            groups += [UInt16(truncatingIfNeeded: quad.rawValue >> 16), UInt16(truncatingIfNeeded: quad.rawValue)]
        } else {
            let digits = part.utf8
            guard (1...4).contains(digits.count), digits.first != 0x2b, digits.first != 0x2d else { return nil }
            guard let group = UInt16(part, radix: 16) else { return nil }
            groups.append(group)
        }
    }
    return groups.count <= 8 ? groups : nil
}
