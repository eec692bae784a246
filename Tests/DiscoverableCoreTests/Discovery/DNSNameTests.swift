import DiscoverableCore
import TestSupport
import Testing

@Suite("DNS names")
struct DNSNameTests {
    @Test(
        "Labels and escaped text are two spellings of one name",
        arguments: [
            ([], "."), (["local"], "local"), (["beta", "local"], "beta.local"), (["a.b", "local"], #"a\.b.local"#),
            ([#"a\b"#], #"a\\b"#), (["My Printer", "_ipp", "_tcp", "local"], #"My\032Printer._ipp._tcp.local"#),
            (["é"], #"\195\169"#), (["\u{1}\u{0}\u{7f}"], #"\001\000\127"#), (["~"], #"\126"#),
        ] as [([String], String)]
    )
    func spellings(labels: [String], text: String) throws {
        let name = try DNSName(labels: labels.map { Array($0.utf8) })
        #expect(name.text == text)
        #expect(name.labels == labels.map { Array($0.utf8) })
        #expect(try DNSName(text).text == text)
    }

    @Test("Text that needs no escape, or more than it needs, is brought into the one spelling")
    func normalised() throws {
        #expect(try DNSName("beta.local.").text == "beta.local")
        #expect(try DNSName("My Printer.local").text == #"My\032Printer.local"#)
        #expect(try DNSName("é.local").text == #"\195\169.local"#)
        #expect(try DNSName(#"\a\066.\108ocal"#).text == "aB.local")
        #expect(try DNSName(#"a\046b"#).text == #"a\.b"#)
    }

    @Test("Equal as DNS sees it: ASCII letters without regard to case, all else byte by byte")
    func equality() throws {
        #expect(try DNSName("Beta.LOCAL") == DNSName("beta.local"))
        #expect(try DNSName("é.local") != DNSName("É.local"))
        #expect(try DNSName(#"a\.b.local"#) != DNSName("a.b.local"))
        #expect(try Set([DNSName("A.local"), DNSName("a.local")]).count == 1)
    }

    @Test(
        "What is no name is refused",
        arguments: [
            "", "a..b", ".a", #"a\"#, #"a\25"#, #"a\256"#, #"\1x2"#, String(repeating: "a", count: 64),
            Array(repeating: String(repeating: "a", count: 63), count: 4).joined(separator: "."),
        ]
    )
    func refused(text: String) {
        let error = #expect(throws: DiscoveryError.self) { try DNSName(text) }
        #expect(error?.code == .invalidName)
    }

    @Test("255 bytes are a name, 256 are not")
    func longest() throws {
        let long = Array(repeating: [UInt8](repeating: 0x61, count: 63), count: 3)
        #expect(try DNSName(labels: long + [[UInt8](repeating: 0x61, count: 61)]).encodedLength == 255)
        #expect(throws: DiscoveryError.self) { try DNSName(labels: long + [[UInt8](repeating: 0x61, count: 62)]) }
    }

    @Test("A service's name keeps its instance name as one label")
    func service() throws {
        let instance = try ServiceInstance(name: ServiceName("a.b é"), type: ServiceType("_ipp._tcp"))
        #expect(try DNSName(instance).text == #"a\.b\032\195\169._ipp._tcp.local"#)
        #expect(try DNSName(instance).isWithin(DNSName("_IPP._tcp.local")))
        #expect(try DNSName(instance).isWithin(.root))
        #expect(try !DNSName("local").isWithin(DNSName("b.local")))
        #expect(try !DNSName(#"a\.local"#).isWithin(DNSName("local")))
    }

    @Test("Addresses are told under their reverse names")
    func reverse() throws {
        #expect(DNSName(reverseOf: .v4(IPv4Address(192, 0, 2, 4))).text == "4.2.0.192.in-addr.arpa")
        let address = try #require(IPAddress("2001:db8::567:89ab"))
        #expect(
            DNSName(reverseOf: address).text
                == "b.a.9.8.7.6.5.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa"
        )
    }

    @Test(
        "A name on the wire that ends early, points elsewhere or is too long is refused",
        arguments: [
            [], [1], [3, 0x61], [1, 0x61], [0xc0, 0x0c], [1, 0x61, 0xc0, 0], [64] + Array(repeating: 0x61, count: 64),
            Array(repeating: [63] + Array(repeating: 0x61, count: 63), count: 4).flatMap { $0 } + [0],
        ] as [[UInt8]]
    )
    func malformed(rdata: [UInt8]) {
        var position = 0
        let error = #expect(throws: DiscoveryError.self) { try DNSName(rdata: rdata.span, at: &position) }
        #expect(error?.code == .invalidRecord || error?.code == .invalidName)
    }

    @Test("Whatever labels a name has, text and wire give them back", arguments: 1...50 as ClosedRange<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let labels = (0..<Int.random(in: 0...4, using: &generator)).map { _ in
            (0..<Int.random(in: 1...60, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
        }
        let name = try DNSName(labels: labels)
        #expect(name.labels == labels)
        #expect(try DNSName(name.text).text == name.text)
        var position = 1
        let wire = [7] + name.rdata + [9]
        #expect(try DNSName(rdata: wire.span, at: &position) == name)
        #expect(position == wire.count - 1)
        #expect(name.rdata.count == name.encodedLength)
    }
}
