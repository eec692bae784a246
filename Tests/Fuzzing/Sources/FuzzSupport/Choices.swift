/// The bytes of one run as the source of chance: each choice takes one byte, so that a mutation of the input changes one choice.
/// With fewer than 256 possibilities every one of them can be chosen.
package struct Choices: RandomNumberGenerator {
    private var rest: ArraySlice<UInt8>

    package init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// Whether all bytes are taken: what is chosen then is always the first possibility.
    package var isEmpty: Bool { rest.isEmpty }

    /// The standard library maps numbers to a range by their high bits, and takes another number where the low ones are small:
    /// with all of those set it never does, for ranges below 256.
    package mutating func next() -> UInt64 {
        UInt64(rest.popFirst() ?? 0) << 56 | 0x00ff_ffff_ffff_ffff
    }

    /// A number below `count`, 1…255.
    package mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }

    /// One of several things; there must be one.
    package mutating func one<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }

    /// The next bytes, `count` at most.
    package mutating func bytes(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }
}
