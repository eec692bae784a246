import DiscoverableCore
import TestSupport
import Testing

@Suite("The data of DNS records")
struct RecordDataTests {
    private static let samples: [(RecordType, [UInt8], String)] = [
        (.a, [192, 0, 2, 1], "192.0.2.1"),
        (.aaaa, [0xfe, 0x80] + Array(repeating: 0, count: 13) + [1], "fe80::1"),
        (.cname, [4] + Array("beta".utf8) + [5] + Array("local".utf8) + [0], "beta.local"),
        (.ptr, [1, 0x20, 0], #"\032"#),
        (
            .srv, [0, 1, 0, 2, 0x1f, 0x90, 4] + Array("beta".utf8) + [5] + Array("local".utf8) + [0],
            "1 2 8080 beta.local"
        ),
        (.srv, [0, 0, 0, 0, 0, 0, 0], "0 0 0 ."),
        (.txt, [3, 0x61, 0x3d, 0x22, 1, 0xff], #""a=\"" "\255""#),
        (.txt, [0], ""),
        (.hinfo, [1, 0x58, 0], #""X" """#),
        (.nsec, [0xc0, 0x0c, 1], "\\# 3 c00c01"),
        (RecordType(rawValue: 65), [], "\\# 0"),
    ]

    @Test("Parsed, spelt out and encoded again", arguments: samples)
    func bothWays(type: RecordType, rdata: [UInt8], text: String) throws {
        let data = try RecordData(type: type, rdata: rdata.span)
        #expect(data.type == type)
        #expect(data.description == text)
        #expect(data.rdata == rdata)
        #expect(data.encodedLength == rdata.count)
    }

    @Test("Each type gives its own value")
    func values() throws {
        #expect(try RecordData(type: .a, rdata: [192, 0, 2, 1].span) == .a(IPv4Address(192, 0, 2, 1)))
        let location = RecordData.ServiceLocation(priority: 1, weight: 258, port: 80, target: try DNSName("h.local"))
        let rdata: [UInt8] = [0, 1, 1, 2, 0, 80, 1, 0x68, 5] + Array("local".utf8) + [0]
        #expect(try RecordData(type: .srv, rdata: rdata.span) == .srv(location))
        #expect(RecordData.srv(location).rdata == rdata)
        let txt = try TXTRecord([TXTRecord.Entry(key: "a", text: "1")])
        #expect(try RecordData(type: .txt, rdata: txt.rdata.span) == .txt(txt))
        let info = try RecordData.HostInformation(cpu: Array("X86_64".utf8), system: Array("LINUX".utf8))
        #expect(try RecordData(type: .hinfo, rdata: RecordData.hinfo(info).rdata.span) == .hinfo(info))
    }

    private static let malformed: [(RecordType, [UInt8])] = [
        (.a, []), (.a, [1, 2, 3]), (.a, [1, 2, 3, 4, 5]), (.aaaa, Array(repeating: 0, count: 15)),
        (.aaaa, Array(repeating: 0, count: 17)), (.cname, []), (.cname, [0, 0]), (.ptr, [0xc0, 0x0c]),
        (.ptr, [5, 0x61]),
        (.srv, [0, 0, 0, 0, 0, 80]), (.srv, [0, 0, 0, 0, 0]), (.srv, [0, 0, 0, 0, 0, 80, 0, 1]), (.txt, [2, 0x61]),
        (.hinfo, [1, 0x58]), (.hinfo, [1, 0x58, 1]), (.hinfo, [0, 0, 0]),
    ]

    @Test("Data that is too short or too long for its type is refused", arguments: malformed)
    func refused(type: RecordType, rdata: [UInt8]) {
        let error = #expect(throws: DiscoveryError.self) { try RecordData(type: type, rdata: rdata.span) }
        #expect(error?.code == .invalidRecord)
    }

    @Test("Any bytes are either refused or kept exactly", arguments: 1...200 as ClosedRange<UInt64>)
    func anyBytes(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let types: [RecordType] = [.a, .aaaa, .cname, .ptr, .srv, .hinfo, .nsec]
        for type in types {
            let count = Int.random(in: 0...40, using: &generator)
            let rdata = (0..<count).map { _ in UInt8.random(in: 0...(count % 3 == 0 ? 8 : 255), using: &generator) }
            guard let data = try? RecordData(type: type, rdata: rdata.span) else { continue }
            #expect(data.rdata == rdata)
            #expect(data.encodedLength == rdata.count)
        }
    }

    @Test("A text of 256 bytes is no host information")
    func longText() {
        let long = [UInt8](repeating: 0x61, count: 256)
        #expect(throws: DiscoveryError.self) { try RecordData.HostInformation(cpu: [], system: long) }
    }

    @Test("Types have names, or their numbers", arguments: [("SRV", 33), ("aaaa", 28), ("TYPE65", 65), ("type1", 1)])
    func types(text: String, number: UInt16) throws {
        #expect(try RecordType(text).rawValue == number)
        #expect(try RecordType(RecordType(rawValue: number).description).rawValue == number)
    }

    @Test("What is no type is refused", arguments: ["", "TYPE", "TYPE65536", "TYPE-1", "X"])
    func noTypes(text: String) {
        #expect(throws: DiscoveryError.self) { try RecordType(text) }
    }

    @Test("Records are equal where DNS calls them equal, and ordered by name, type and bytes")
    func records() throws {
        let low = DNSRecord(name: try DNSName("b.local"), data: .a(IPv4Address(10, 0, 0, 1)))
        let high = DNSRecord(name: try DNSName("B.LOCAL"), data: .a(IPv4Address(10, 0, 1, 0)))
        #expect(low < high)
        #expect(low != high)
        #expect(low == DNSRecord(name: try DNSName("B.local"), data: .a(IPv4Address(10, 0, 0, 1))))
        #expect(DNSRecord(name: try DNSName("a.local"), data: .txt(.empty)) < low)
        #expect(low < DNSRecord(name: low.name, data: .txt(.empty)))
        #expect(low.description == "b.local A 10.0.0.1")
    }
}
