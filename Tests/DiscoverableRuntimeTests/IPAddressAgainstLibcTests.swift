import DiscoverableCore
import Glibc
import TestSupport
import Testing

@Suite("IP addresses beside libc's")
struct IPAddressAgainstLibcTests {
    @Test("IPv4 addresses print as libc prints them, and read back", arguments: 1...4 as ClosedRange<UInt64>)
    func ipv4Printing(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let address = IPv4Address(rawValue: UInt32(truncatingIfNeeded: sparse(&generator)))
            #expect(address.description == libcText(AF_INET, address.bytes))
            #expect(IPv4Address(address.description) == address)
        }
    }

    @Test(
        "IPv6 addresses print as libc prints them, but for ::/96, and read back",
        arguments: 1...4 as ClosedRange<UInt64>
    )
    func ipv6Printing(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<1_000 {
            let address = IPv6Address(high: sparse(&generator), low: sparse(&generator))
            let theirs = libcText(AF_INET6, address.bytes)
            // libc prints ::/96 with a dotted quad, which RFC 5952 section 5 leaves to prefixes that are known to hold one.
            if address.high != 0 || address.low >> 32 != 0 { #expect(address.description == theirs) }
            #expect(IPv6Address(theirs) == address)
            #expect(libcBytes(AF_INET6, address.description) == address.bytes)
            #expect(IPv6Address(address.description) == address)
        }
    }

    @Test(
        "IPv4-mapped addresses print with a dotted quad, as libc prints them",
        arguments: 1...2 as ClosedRange<UInt64>
    )
    func mappedPrinting(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let quad = UInt64(UInt32(truncatingIfNeeded: sparse(&generator)))
            let address = IPv6Address(high: 0, low: 0xffff << 32 | quad)
            #expect(address.description == libcText(AF_INET6, address.bytes))
        }
    }

    @Test("Texts near an IPv4 address are read or refused as libc does", arguments: 1...4 as ClosedRange<UInt64>)
    func ipv4Parsing(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<1_000 {
            let address = IPv4Address(rawValue: UInt32(truncatingIfNeeded: sparse(&generator)))
            let text = mutated(address.description, with: "0123456789. a+-:", &generator)
            #expect(IPv4Address(text)?.bytes == libcBytes(AF_INET, text), "\(text)")
        }
    }

    @Test("Texts near an IPv6 address are read or refused as libc does", arguments: 1...8 as ClosedRange<UInt64>)
    func ipv6Parsing(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<1_000 {
            let address = IPv6Address(high: sparse(&generator), low: sparse(&generator))
            let shape = [address.description, longText(address), quadText(address)].randomElement(using: &generator)
            let text = mutated(shape ?? "::", with: "0123456789abcdefABCDEF:::::...g%+- ", &generator)
            #expect(IPv6Address(text)?.bytes == libcBytes(AF_INET6, text), "\(text)")
        }
    }
}

// MARK: - libc

private func libcBytes(_ family: Int32, _ text: String) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: family == AF_INET ? 4 : 16)
    return unsafe inet_pton(family, text, &bytes) == 1 ? bytes : nil
}

private func libcText(_ family: Int32, _ bytes: [UInt8]) -> String {
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard unsafe inet_ntop(family, bytes, &buffer, socklen_t(buffer.count)) != nil else { return "" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// 64 bits in groups of 16, of which many are zero and many have few digits.
private func sparse(_ generator: inout SeededGenerator) -> UInt64 {
    (0..<4).reduce(0) { value, _ in
        let width = [0, 0, 1, 4, 8, 16].randomElement(using: &generator) ?? 0
        return value << 16 | generator.next() & (1 << width - 1)
    }
}

private func longText(_ address: IPv6Address) -> String {
    groups(address).map { String($0, radix: 16, uppercase: true) }.joined(separator: ":")
}

private func quadText(_ address: IPv6Address) -> String {
    let front = groups(address)[..<6].map { String($0, radix: 16) }.joined(separator: ":")
    return "\(front):\(IPv4Address(rawValue: UInt32(truncatingIfNeeded: address.low)))"
}

private func groups(_ address: IPv6Address) -> [UInt16] {
    [address.high, address.low].flatMap { half in [48, 32, 16, 0].map { UInt16(truncatingIfNeeded: half >> $0) } }
}

/// The text with up to three characters replaced, put in or taken out.
private func mutated(_ text: String, with characters: String, _ generator: inout SeededGenerator) -> String {
    var result = Array(text)
    for _ in 0..<Int.random(in: 0...3, using: &generator) {
        let place = Int.random(in: 0...result.count, using: &generator)
        guard let character = characters.randomElement(using: &generator) else { continue }
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: result.insert(character, at: place)
        case 1 where place < result.count: result[place] = character
        case 2 where place < result.count: result.remove(at: place)
        default: break
        }
    }
    return String(result)
}
