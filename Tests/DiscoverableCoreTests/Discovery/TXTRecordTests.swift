import DiscoverableCore
import Testing

@Suite("TXT records")
struct TXTRecordTests {
    private typealias Entry = TXTRecord.Entry

    @Test(
        "A string is read as RFC 6763 section 6.4 says",
        arguments: [
            ("k=v", "k", "v"), ("k=", "k", ""), ("k", "k", nil), ("k==", "k", "="), ("k=a=b", "k", "a=b"),
            ("k =v", "k ", "v"),
            (" =v", " ", "v"), ("~!=é", "~!", "é"), ("K=v", "K", "v"),
        ] as [(String, String, String?)]
    )
    func reading(string: String, key: String, value: String?) throws {
        #expect(try record(string).entries == [TXTRecord.Entry(key: key, text: value)])
        #expect(try record(string)[key]?.text == value)
    }

    @Test(
        "A string without a key that RFC 6763 allows is passed over, and kept",
        arguments: ["=", "=x", "é=1", "a\tb=1", "\u{7f}=1", "\0"]
    )
    func passedOver(string: String) throws {
        let record = try record(string, "k=v")
        #expect(record.entries == [Entry(key: "k", text: "v")])
        #expect(record.strings == [Array(string.utf8), Array("k=v".utf8)])
    }

    @Test("The first of equal keys counts, without regard to ASCII case; the strings keep order and bytes")
    func duplicates() throws {
        let record = try record("a=1", "B", "A=2", "b=3", "a")
        #expect(record.entries == [Entry(key: "a", text: "1"), Entry(key: "B", text: nil)])
        #expect(record["A"]?.text == "1")
        #expect(record["b"] == Entry(key: "B", value: nil))
        #expect(record["c"] == nil)
        #expect(record.strings.count == 5)
        #expect(try record != self.record("B", "a=1", "A=2", "b=3", "a"), "another order is another record")
    }

    @Test("A value is bytes, and a text only where it is UTF-8")
    func binaryValue() throws {
        let bytes: [UInt8] = [0x00, 0xff, 0x3d, 0xc3]
        let record = try TXTRecord([Entry(key: "k", value: bytes)])
        #expect(record["k"]?.value == bytes)
        #expect(record["k"]?.text == nil)
        #expect(record.strings == [[0x6b, 0x3d] + bytes])
    }

    @Test("Entries become strings in their order, with and without values")
    func building() throws {
        let entries = [
            Entry(key: "z", text: "1"), Entry(key: "a", text: nil), Entry(key: "m", text: ""),
            Entry(key: "Q 9", text: "é"),
        ]
        let record = try TXTRecord(entries)
        #expect(record.strings == ["z=1", "a", "m=", "Q 9=é"].map { Array($0.utf8) })
        #expect(record.entries == entries)
    }

    @Test(
        "Entries that a reader could not find again are refused",
        arguments: [
            [("", "v")], [("a=b", "v")], [("é", "v")], [("a\n", "v")], [("\u{7f}", "v")], [("\0", nil)],
            [("a", "1"), ("b", nil), ("A", "2")],
            [("a", nil), ("a", nil)], [("k", String(repeating: "x", count: 254))],
            [(String(repeating: "k", count: 256), nil)],
        ] as [[(String, String?)]]
    )
    func refusedEntries(pairs: [(String, String?)]) {
        let error = #expect(throws: DiscoveryError.self) { try TXTRecord(pairs.map { Entry(key: $0, text: $1) }) }
        #expect(error?.code == .invalidTXTRecord)
    }

    @Test("A string may have 255 bytes, and none is cut")
    func longestString() throws {
        let entry = Entry(key: "k", text: String(repeating: "x", count: 253))
        #expect(try TXTRecord([entry]).entries == [entry])
        #expect(try TXTRecord([Entry(key: String(repeating: "k", count: 255), value: nil)]).strings[0].count == 255)
        #expect(try TXTRecord(strings: [Array(repeating: 1, count: 255)]).encodedLength == 256)
        #expect(throws: DiscoveryError.self) { try TXTRecord(strings: [[1], Array(repeating: 1, count: 256)]) }
    }

    @Test("A record may have 8,900 bytes with the lengths of its strings")
    func longestRecord() throws {
        let strings = Array(repeating: Array(repeating: UInt8(1), count: 99), count: 89)
        #expect(try TXTRecord(strings: strings).rdata.count == TXTRecord.maximumLength)
        let error = #expect(throws: DiscoveryError.self) { try TXTRecord(strings: strings + [[1]]) }
        #expect(error?.code == .invalidTXTRecord)
    }

    private func record(_ strings: String...) throws -> TXTRecord {
        try TXTRecord(strings: strings.map { Array($0.utf8) })
    }
}
