import DiscoverableCore
import TestSupport
import Testing

@Suite("Alternatives to a service name")
struct ServiceNameAlternativeTests {
    @Test(
        "The alternative counts on as Avahi does",
        arguments: [
            ("X", "X #2"), ("X #2", "X #3"), ("X #9", "X #10"), ("X #99", "X #100"), ("X #1", "X #2"),
            ("X #2 #3", "X #2 #4"),
            ("X #0", "X #0 #2"), ("X #02", "X #02 #2"), ("X #", "X # #2"), ("X#2", "X#2 #2"), ("X #-2", "X #-2 #2"),
            ("X # 2", "X # 2 #2"), ("X #2 ", "X #2  #2"), ("#2", "#2 #2"), (" #2", " #3"), (" ", "  #2"), ("#", "# #2"),
            ("X #2147483646", "X #2147483647"), ("X #٢", "X #٢ #2"), ("X #2\u{301}", "X #2\u{301} #2"),
        ]
    )
    func counting(name: String, alternative: String) throws {
        #expect(Array(try ServiceName(name).alternative.text.utf8) == Array(alternative.utf8))
    }

    @Test(
        "A number at the end of what a number can be is counted on, or is taken as part of the name",
        arguments: [
            ("X #2147483647", "X #2147483648"),
            ("X #9223372036854775806", "X #9223372036854775807"),
            ("X #9223372036854775807", "X #9223372036854775807 #2"),
            ("X #9223372036854775808", "X #9223372036854775808 #2"),
            ("X #99999999999999999999999999", "X #99999999999999999999999999 #2"),
        ]
    )
    func largeNumbers(name: String, alternative: String) throws {
        #expect(try ServiceName(name).alternative.text == alternative)
    }

    @Test(
        "A full name gives up its last characters for the number",
        arguments: [
            (String(repeating: "x", count: 63), String(repeating: "x", count: 60) + " #2"),
            (String(repeating: "x", count: 60) + " #9", String(repeating: "x", count: 59) + " #10"),
            (String(repeating: "x", count: 59) + "🖨", String(repeating: "x", count: 59) + " #2"),
            (String(repeating: "x", count: 56) + "🖨abc", String(repeating: "x", count: 56) + "🖨 #2"),
            (String(repeating: "é", count: 30) + "abc", String(repeating: "é", count: 30) + " #2"),
            ("e" + String(repeating: "\u{301}", count: 31), "e" + String(repeating: "\u{301}", count: 29) + " #2"),
        ]
    )
    func fullNames(name: String, alternative: String) throws {
        #expect(Array(try ServiceName(name).alternative.text.utf8) == Array(alternative.utf8))
    }

    @Test("Every alternative is a valid name and another one", arguments: 1...20 as ClosedRange<UInt64>)
    func alwaysValid(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let name = try ServiceName(truncating: randomText(&generator))
            let alternative = name.alternative
            #expect(throws: Never.self) { try ServiceName(alternative.text) }
            #expect(alternative != name)
        }
    }

    @Test(
        "2,000 collisions in a row never come back to a name",
        arguments: [
            "X", "X #2", "#2", " #2", "X #9223372036854775000", String(repeating: "x", count: 63),
            String(repeating: "x", count: 59) + "🖨", "e" + String(repeating: "\u{301}", count: 31), "x\u{600} #2",
            String(repeating: "x", count: 58) + "\u{600} #2", String(repeating: "👩\u{200d}", count: 9),
        ]
    )
    func chain(start: String) throws {
        var name = try ServiceName(start)
        var seen: Set<ServiceName> = [name]
        for _ in 0..<2_000 {
            name = name.alternative
            try #require(seen.insert(name).inserted)
            try #require(name.text.utf8.count <= ServiceName.maximumLength)
        }
    }
}

/// 1 to 80 characters that are likely to disturb a cut or a count.
private func randomText(_ generator: inout SeededGenerator) -> String {
    let pieces = [
        "x", "é", "e\u{301}", "🖨", " ", "#", " #", "1", "2", "9", "0", "\u{200d}", "👩", "\u{600}", "\r\n", "\u{301}",
    ]
    let count = Int.random(in: 1...80, using: &generator)
    return (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "x" }.joined()
}
