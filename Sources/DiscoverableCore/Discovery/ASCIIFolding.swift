/// DNS compares names byte by byte, ASCII letters without regard to case and everything else exactly (RFC 1035 section
/// 2.3.3, RFC 6762 section 16). Swift's own string equality is neither: it equates composed and decomposed letters.
enum ASCIIFolding {
    static func areEqual(_ left: String, _ right: String) -> Bool {
        left.utf8.elementsEqual(right.utf8) { fold($0) == fold($1) }
    }

    static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8) { fold($0) < fold($1) }
    }

    static func hash(_ text: String, into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(fold(byte)) }
        hasher.combine(text.utf8.count)
    }

    private static func fold(_ byte: UInt8) -> UInt8 {
        (0x41...0x5a).contains(byte) ? byte | 0x20 : byte
    }
}

/// A name that is equal to another one as DNS sees it.
public protocol DNSComparable: Hashable, Comparable, CustomStringConvertible {
    /// The text, as the user or the network spelt it.
    var text: String { get }
}

extension DNSComparable {
    /// The text, as the user or the network spelt it.
    public var description: String { text }

    /// Equal as DNS sees it.
    public static func == (left: Self, right: Self) -> Bool { ASCIIFolding.areEqual(left.text, right.text) }
    /// Orders by bytes, ASCII letters without regard to case.
    public static func < (left: Self, right: Self) -> Bool { ASCIIFolding.precedes(left.text, right.text) }
    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) { ASCIIFolding.hash(text, into: &hasher) }
}
