import DiscoverableCore
import Testing

@Suite("Service names")
struct ServiceNameTests {
    @Test(
        "1 to 63 bytes of UTF-8 are a name and stay as they are spelt",
        arguments: [
            "a", " ", ".", "\\", "\\046", "a.b\\c \"é\" 🖨 _x", "e\u{301}", "line\nbreak",
            String(repeating: "x", count: 63),
            String(repeating: "é", count: 31) + "x",
        ]
    )
    func accepted(text: String) throws {
        #expect(Array(try ServiceName(text).text.utf8) == Array(text.utf8))
    }

    @Test(
        "What is no DNS label is refused, with an error that nobody should retry",
        arguments: [
            "", "\0", "a\0b", String(repeating: "x", count: 64), String(repeating: "é", count: 32),
            String(repeating: "x", count: 100_000),
        ]
    )
    func refused(text: String) {
        let error = #expect(throws: DiscoveryError.self) { try ServiceName(text) }
        #expect(error?.code == .invalidName)
        #expect(error?.failureClass == .giveUp)
    }

    @Test(
        "Truncating cuts between characters, and inside one only where it alone is too long",
        arguments: [
            ("short", "short"),
            (String(repeating: "x", count: 64), String(repeating: "x", count: 63)),
            (String(repeating: "é", count: 32), String(repeating: "é", count: 31)),
            (String(repeating: "x", count: 60) + "🖨y", String(repeating: "x", count: 60)),
            (String(repeating: "x", count: 59) + "🖨y", String(repeating: "x", count: 59) + "🖨"),
            (String(repeating: "x", count: 62) + "e\u{301}", String(repeating: "x", count: 62)),
            ("e" + String(repeating: "\u{301}", count: 40), "e" + String(repeating: "\u{301}", count: 31)),
            (
                "x" + String(repeating: "👩\u{200d}", count: 20) + "👩",
                "x"
            ),
        ]
    )
    func truncated(text: String, kept: String) throws {
        #expect(Array(try ServiceName(truncating: text).text.utf8) == Array(kept.utf8))
    }

    @Test(
        "Truncating cannot make a name of nothing, nor of a NUL",
        arguments: ["", "\0", "a\0" + String(repeating: "x", count: 99)]
    )
    func truncatingRefuses(text: String) {
        #expect(throws: DiscoveryError.self) { try ServiceName(truncating: text) }
    }

    @Test(
        "Only ASCII control characters count as such",
        arguments: [
            ("a\tb", true), ("a\u{7f}", true), ("\u{1}", true), ("a b", false), ("\u{85}", false), ("é~", false),
        ]
    )
    func controlCharacters(text: String, expected: Bool) throws {
        #expect(try ServiceName(text).hasControlCharacters == expected)
    }
}
