import DiscoverableCore
import Testing

@Suite("Classic datagrams")
struct ClassicCodecTests {
    let codec = ClassicCodec(prefix: "dscv")

    static let datagrams: [(String, ClassicDatagram)] = [
        ("dscv_discover", .discover(name: nil)),
        ("dscv_discover:", .discover(name: "")),
        ("dscv_discover:Käse 🧀", .discover(name: "Käse 🧀")),
        ("dscv_shake", .shake(text: nil)),
        ("dscv_shake:192.0.2.1", .shake(text: "192.0.2.1")),
        ("dscv_shake:2001:db8::1", .shake(text: "2001:db8::1")),
        ("dscv_ack", .acknowledgement),
        ("dscv_disconnect", .disconnect),
        ("", .payload("")),
        ("hello", .payload("hello")),
    ]

    @Test("Parsing and encoding are inverse", arguments: datagrams)
    func roundTrip(text: String, datagram: ClassicDatagram) {
        #expect(codec.parse(Array(text.utf8)) == datagram)
        #expect(codec.encode(datagram) == Array(text.utf8))
        #expect(codec.encodedLength(of: datagram) == text.utf8.count)
    }

    @Test(
        "fault 14: only a whole first token is a word of the protocol",
        arguments: [
            "hello dscv_disconnect", "dscv_disconnect now", "dscv_disconnect:", "dscv_ack ", "dscv_acknowledge",
            "dscv_ack:1", "dscv_discoverer:x", "DSCV_ACK", " dscv_ack", "astv_ack", "dscv_ack\n", ":dscv_ack",
        ]
    )
    func nearMisses(text: String) {
        #expect(codec.parse(Array(text.utf8)) == .payload(text))
    }

    @Test("Bytes that are not UTF-8 mean nothing")
    func invalid() {
        #expect(codec.parse([0xff]) == nil)
        #expect(codec.parse(Array("dscv_discover:".utf8) + [0xc3]) == nil)
    }

    @Test("The predecessor's prefix")
    func predecessor() {
        let codec = ClassicCodec(prefix: "astv")
        #expect(codec.parse(Array("astv_shake:fe80::1".utf8)) == .shake(text: "fe80::1"))
        #expect(codec.parse(Array("dscv_ack".utf8)) == .payload("dscv_ack"))
    }

    @Test("What would stop or confuse a classic peer is refused")
    func refusals() {
        #expect(throws: ClassicCodec.PayloadRefusal.empty) { try codec.checkPayload("") }
        #expect(throws: Never.self) { try codec.checkPayload(String(repeating: "ä", count: 512)) }
        #expect(throws: ClassicCodec.PayloadRefusal.tooLong(bytes: 1026)) {
            try codec.checkPayload(String(repeating: "ä", count: 513))
        }
        #expect(throws: Never.self) { try codec.checkPayload("the prefix dscv alone, or astv_ack, is harmless") }
    }

    @Test(
        "Words are found anywhere, also before a combining character",
        arguments: ["discover", "shake", "ack", "disconnect"]
    )
    func refusedWords(word: String) {
        for text in ["dscv_\(word)", "a dscv_\(word) b", "dscv_\(word)\u{301}", "x\u{200d}dscv_\(word)"] {
            #expect(throws: ClassicCodec.PayloadRefusal.containsProtocolWord("dscv_\(word)")) {
                try codec.checkPayload(text)
            }
        }
    }

    @Test("fault 27: names may contain colons, and are cut between characters to fit a datagram")
    func names() {
        #expect(codec.parse(Array("dscv_discover:a:b:c".utf8)) == .discover(name: "a:b:c"))
        let discover = codec.discover(name: String(repeating: "🧀", count: 1000))
        #expect(codec.encodedLength(of: discover) == 14 + 1008)
        #expect(codec.discover(name: "short") == .discover(name: "short"))
    }

    @Test("The answer to the shortest discover is never more than three times as long", arguments: 0...64)
    func amplification(length: Int) {
        let answer = codec.admission(text: String(repeating: "x", count: length))
        let sum = answer.reduce(0) { $0 + codec.encodedLength(of: $1) }
        #expect(sum <= 3 * codec.encodedLength(of: .discover(name: nil)))
        #expect(answer.first == .acknowledgement)
    }
}
