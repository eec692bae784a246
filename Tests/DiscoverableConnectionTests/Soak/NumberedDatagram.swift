import TestSupport

/// A datagram that shows whether it was changed, and which one it is: a number, a checksum, and a pseudo-random content.
struct NumberedDatagram: Hashable {
    /// What the number and the checksum take.
    static let overhead = 16
    static let largeLength = 20_000

    let number: UInt64
    let bytes: [UInt8]

    init(number: UInt64, length: Int, using generator: inout SeededGenerator) {
        self.number = number
        let start = Int.random(in: 0..<Self.contents.count - length, using: &generator)
        let content = Self.contents[start..<start + length]
        bytes = Self.encoded(number) + Self.encoded(Self.checksum(number, content)) + content
    }

    /// nil for what is none, or was changed.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.overhead else { return nil }
        number = Self.decoded(bytes[0..<8])
        guard Self.decoded(bytes[8..<16]) == Self.checksum(number, bytes[16...]) else { return nil }
        self.bytes = bytes
    }

    /// Content for all, cut at random places: making it anew would be most of the work.
    private static let contents: [UInt8] = {
        var generator = SeededGenerator(seed: 4)
        return (0..<65_536).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }()

    /// The same in this process only, which is both ends.
    private static func checksum(_ number: UInt64, _ content: ArraySlice<UInt8>) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(number)
        unsafe content.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    private static func encoded(_ value: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private static func decoded(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
