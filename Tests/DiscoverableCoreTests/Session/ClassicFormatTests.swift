import DiscoverableCore
import Testing

@Suite("Classic datagrams")
struct ClassicFormatTests {
    let format = ClassicFormat(prefix: "dscv")

    static let datagrams: [(String, SessionStatement)] = [
        ("dscv_discover", .discover(name: nil)),
        ("dscv_discover:", .discover(name: "")),
        ("dscv_discover:Käse 🧀", .discover(name: "Käse 🧀")),
        ("dscv_shake", .shake(text: nil)),
        ("dscv_shake:192.0.2.1", .shake(text: "192.0.2.1")),
        ("dscv_shake:2001:db8::1", .shake(text: "2001:db8::1")),
        ("dscv_ack", .acknowledgement(nil)),
        ("dscv_disconnect", .disconnect),
        ("", .message(nil, "")),
        ("hello", .message(nil, "hello")),
    ]

    @Test("Parsing and encoding are inverse", arguments: datagrams)
    func roundTrip(text: String, datagram: SessionStatement) {
        #expect(format.parse(Array(text.utf8)) == datagram)
        #expect(format.encode(datagram) == Array(text.utf8))
        #expect(format.encodedLength(of: datagram) == text.utf8.count)
    }

    @Test(
        "14: only a whole first token is a word of the protocol",
        arguments: [
            "hello dscv_disconnect", "dscv_disconnect now", "dscv_disconnect:", "dscv_ack ", "dscv_acknowledge",
            "dscv_ack:1", "dscv_discoverer:x", "DSCV_ACK", " dscv_ack", "astv_ack", "dscv_ack\n", ":dscv_ack",
        ]
    )
    func nearMisses(text: String) {
        #expect(format.parse(Array(text.utf8)) == .message(nil, text))
    }

    @Test("Bytes that are not UTF-8 mean nothing")
    func invalid() {
        #expect(format.parse([0xff]) == nil)
        #expect(format.parse(Array("dscv_discover:".utf8) + [0xc3]) == nil)
    }

    @Test("The predecessor's prefix")
    func predecessor() {
        let format = ClassicFormat(prefix: "astv")
        #expect(format.parse(Array("astv_shake:fe80::1".utf8)) == .shake(text: "fe80::1"))
        #expect(format.parse(Array("dscv_ack".utf8)) == .message(nil, "dscv_ack"))
    }

    @Test("What would stop or confuse a classic peer is refused")
    func refusals() {
        #expect(throws: MessageRefusal.empty) { try format.checkMessage("") }
        #expect(throws: Never.self) { try format.checkMessage(String(repeating: "ä", count: 512)) }
        #expect(throws: MessageRefusal.tooLong(bytes: 1026)) {
            try format.checkMessage(String(repeating: "ä", count: 513))
        }
        #expect(throws: Never.self) { try format.checkMessage("the prefix dscv alone, or astv_ack, is harmless") }
    }

    @Test(
        "Words are found anywhere, also before a combining character",
        arguments: ["discover", "shake", "ack", "disconnect"]
    )
    func refusedWords(word: String) {
        for text in ["dscv_\(word)", "a dscv_\(word) b", "dscv_\(word)\u{301}", "x\u{200d}dscv_\(word)"] {
            #expect(throws: MessageRefusal.containsProtocolWord("dscv_\(word)")) {
                try format.checkMessage(text)
            }
        }
    }

    @Test("27: names may contain colons, and are cut between characters to fit a datagram")
    func names() {
        #expect(format.parse(Array("dscv_discover:a:b:c".utf8)) == .discover(name: "a:b:c"))
        let discover = format.discover(name: String(repeating: "🧀", count: 1000))
        #expect(format.encodedLength(of: discover) == 14 + 1008)
        #expect(format.discover(name: "short") == .discover(name: "short"))
        #expect(format.discover(name: "") == .discover(name: nil))
    }

    @Test("The answer to the shortest discover is never more than three times as long", arguments: 0...64)
    func amplification(length: Int) {
        let answer = format.admission(text: String(repeating: "x", count: length))
        let sum = answer.reduce(0) { $0 + format.encodedLength(of: $1) }
        #expect(sum <= 3 * format.encodedLength(of: .discover(name: nil)))
        #expect(answer.first == .acknowledgement(nil))
    }

    @Test("An app may insist on words inside a message, but not on a message that is one")
    func insisting() {
        let format = ClassicFormat(prefix: "dscv", refusesProtocolWords: false)
        #expect(throws: Never.self) { try format.checkMessage("please dscv_disconnect") }
        for text in ["dscv_disconnect", "dscv_ack", "dscv_discover:x", "dscv_shake"] {
            let word = String(text.prefix { $0 != ":" })
            #expect(throws: MessageRefusal.containsProtocolWord(word)) { try format.checkMessage(text) }
        }
    }
}
