import DiscoverableCore
import TestSupport
import Testing

@Suite("TXT records on the wire")
struct TXTRecordWireTests {
    @Test("Each string stands behind its length")
    func encoding() throws {
        let record = try TXTRecord([TXTRecord.Entry(key: "a", text: "1"), TXTRecord.Entry(key: "b", text: nil)])
        #expect(record.rdata == [3, 0x61, 0x3d, 0x31, 1, 0x62])
        #expect(record.encodedLength == 6)
    }

    @Test("An empty record is one zero byte, both ways", arguments: [[], [0], [0, 0, 0]] as [[UInt8]])
    func emptyRecord(rdata: [UInt8]) throws {
        let record = try TXTRecord(rdata: rdata.span)
        #expect(record == .empty)
        #expect(record.rdata == [0])
        #expect(record.encodedLength == 1)
        #expect(try TXTRecord([]) == .empty)
        #expect(try TXTRecord(strings: [[], []]) == .empty)
    }

    @Test("Strings of no bytes between others are left out")
    func emptyStrings() throws {
        #expect(try TXTRecord(rdata: [0, 1, 0x61, 0, 1, 0x62, 0].span).strings == [[0x61], [0x62]])
    }

    @Test(
        "Data that ends inside a string is refused",
        arguments: [[1], [2, 0x61], [0, 1], [1, 0x61, 255]] as [[UInt8]]
    )
    func truncated(rdata: [UInt8]) {
        let error = #expect(throws: DiscoveryError.self) { try TXTRecord(rdata: rdata.span) }
        #expect(error?.code == .invalidTXTRecord)
    }

    @Test("Whatever strings a record has, its data gives them back", arguments: 1...20 as ClosedRange<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let strings = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                randomBytes(Int.random(in: 1...255, using: &generator), &generator)
            }
            let record = try TXTRecord(strings: strings)
            #expect(record.rdata.count == record.encodedLength)
            #expect(try TXTRecord(rdata: record.rdata.span) == record)
            #expect(record.strings == strings)
        }
    }

    @Test(
        "Whatever bytes come, they are a record whose data reads the same, or an error",
        arguments: 1...20 as ClosedRange<UInt64>
    )
    func anyBytes(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let bytes = randomBytes(Int.random(in: 0...60, using: &generator), &generator).map { $0 % 16 }
            guard let record = try? TXTRecord(rdata: bytes.span) else { continue }
            #expect(try TXTRecord(rdata: record.rdata.span) == record)
            #expect(record.entries.allSatisfy { record[$0.key] == $0 })
        }
    }
}

private func randomBytes(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
}
