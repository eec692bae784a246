/// An IPv4 address.
public struct IPv4Address: BitwiseCopyable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The address as a number in host byte order: 127.0.0.1 is 0x7f000001.
    public let rawValue: UInt32

    /// The address whose number in host byte order is `rawValue`.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The address `first.second.third.fourth`.
    public init(_ first: UInt8, _ second: UInt8, _ third: UInt8, _ fourth: UInt8) {
        rawValue = UInt32(first) << 24 | UInt32(second) << 16 | UInt32(third) << 8 | UInt32(fourth)
    }

    /// Parses four decimal numbers separated by dots, the form that `inet_pton` takes: no octal, no missing parts.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var value: UInt32 = 0
        for part in parts {
            let digits = part.utf8
            guard (1...3).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            guard digits.count == 1 || digits.first != 0x30, let number = UInt8(part) else { return nil }
            value = value << 8 | UInt32(number)
        }
        rawValue = value
    }

    /// The four bytes in network order.
    public var bytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> (24 - 8 * $0)) } }

    /// Whether the address names a group (224.0.0.0/4).
    public var isMulticast: Bool { rawValue >> 28 == 0xe }

    /// Every address of the host: 0.0.0.0.
    public static let any = IPv4Address(rawValue: 0)
    /// 127.0.0.1.
    public static let loopback = IPv4Address(127, 0, 0, 1)

    /// Four decimal numbers separated by dots.
    public var description: String { bytes.map(String.init).joined(separator: ".") }

    /// Orders as numbers.
    public static func < (left: IPv4Address, right: IPv4Address) -> Bool {
        left.rawValue < right.rawValue
    }
}
