import DiscoverableCore
import Testing

@Suite("What is to be published is checked before anything is sent")
struct DiscoveryAdvertisementTests {
    private func service(_ name: String = "X", _ txt: TXTRecord = .empty) throws -> ServiceAdvertisement {
        ServiceAdvertisement(name: try ServiceName(name), type: try ServiceType("_http._tcp"), port: 80, txt: txt)
    }

    private func refusal(_ advertisement: Advertisement) -> DiscoveryError? {
        do throws(DiscoveryError) {
            try advertisement.check()
            return nil
        } catch {
            return error
        }
    }

    @Test("25: a TXT record as it may be read from the network, too long to be sent, is refused with its length")
    func longTXT() throws {
        let string: [UInt8] = [255] + Array(repeating: 0x61, count: 255)
        let bytes = Array(repeatElement(string, count: 40).joined())
        let long = try TXTRecord(rdata: bytes.span)
        let error = try #require(refusal(Advertisement([try service("X", long)])))
        #expect(error.code == .invalidTXTRecord)
        #expect(error.failureClass == .giveUp)
        #expect(error.description.contains("10240"))
        #expect(error.description.contains("8900"))
    }

    @Test("25: strings of 255 bytes pass and of 256 do not; six of 200 bytes pass; 9 kB do not")
    func stringLengths() throws {
        func record(_ count: Int, _ length: Int) throws(DiscoveryError) -> TXTRecord {
            try TXTRecord(strings: Array(repeating: Array(repeating: 0x61, count: length), count: count))
        }
        #expect(refusal(Advertisement([try service("X", record(1, 255))])) == nil)
        #expect(refusal(Advertisement([try service("X", record(6, 200))])) == nil)
        #expect(throws: DiscoveryError.self) { try record(1, 256) }
        #expect(throws: DiscoveryError.self) { try record(36, 250) }
        #expect(try record(1, 0).strings.isEmpty, "a string of no bytes says nothing and is left out")
    }

    @Test("25: what is larger than a packet of the narrowest interface is refused: Avahi takes it and never sends it")
    func packets() throws {
        func refusal(_ advertisement: Advertisement, mtu: Int?) -> DiscoveryError? {
            do throws(DiscoveryError) {
                try advertisement.check { _ in mtu.map { PacketLimit(interface: "lan0", mtu: $0) } }
                return nil
            } catch {
                return error
            }
        }
        func advertisement(_ length: Int) throws -> Advertisement {
            let strings =
                Array(repeating: Array(repeating: UInt8(0x61), count: 249), count: 5) + [
                    Array(repeating: 0x61, count: length - 1_251)
                ]
            return Advertisement([try service("Edge", try TXTRecord(strings: strings))])
        }
        // Headers of 70 bytes; the name has 1 + 8 with room for a number, then 6 + 5 + 6 + 1.
        #expect(refusal(try advertisement(1_403), mtu: 1_500) == nil)
        let error = try #require(refusal(try advertisement(1_404), mtu: 1_500))
        #expect(error.code == .invalidTXTRecord)
        #expect(error.description.contains("1404 bytes") && error.description.contains("lan0 (MTU 1500) 1403 fit"))
        #expect(refusal(try advertisement(1_404), mtu: 9_000) == nil)
        #expect(refusal(try advertisement(1_404), mtu: nil) == nil, "nobody knows yet which interface it will be")
        let record = DNSRecord(
            name: try DNSName("shop.local"),
            data: .raw(RecordType(rawValue: 65), Array(repeating: 0, count: 1_419))
        )
        #expect(refusal(Advertisement(records: [RecordAdvertisement(record)]), mtu: 1_500)?.code == .invalidRecord)
        #expect(refusal(Advertisement(records: [RecordAdvertisement(record)]), mtu: 1_501) == nil)
    }

    @Test("Thirty-two entries pass, one more is refused and names the setting")
    func entries() throws {
        var advertisement = Advertisement(try (1...30).map { try service("X \($0)") })
        advertisement.services[0].subtypes = [try ServiceSubtype("_printer")]
        advertisement.hosts = [host("shop.local")].compactMap { $0 }
        #expect(advertisement.entryCount == 32)
        #expect(refusal(advertisement) == nil)
        advertisement.aliases = [AliasAdvertisement(name: try DNSName("other.local"))]
        let error = try #require(refusal(advertisement))
        #expect(error.code == .invalidArgument)
        #expect(error.description.contains("33 entries"))
        #expect(error.description.contains("entries-per-entry-group-max"))
        #expect(refusal(Advertisement())?.code == .invalidArgument)
    }

    private func host(_ name: String) -> HostAdvertisement? {
        (try? DNSName(name)).map { HostAdvertisement(name: $0, address: .v4(IPv4Address(192, 0, 2, 1))) }
    }

    @Test(
        "Names that no host can have are refused",
        arguments: ["shop", ".", "192.0.2.1"]
    )
    func hostNames(name: String) throws {
        let host = try #require(self.host(name))
        #expect(refusal(Advertisement(hosts: [host]))?.code == .invalidName)
        #expect(refusal(Advertisement(aliases: [AliasAdvertisement(name: host.name)]))?.code == .invalidName)
        var service = try service()
        service.host = host.name
        #expect(refusal(Advertisement([service]))?.code == .invalidName)
    }

    @Test("22: an alias that is a host of the same publication, or of two hosts, contradicts itself")
    func aliases() throws {
        let name = try DNSName("shop.local")
        let alias = AliasAdvertisement(name: name)
        let host = HostAdvertisement(name: try DNSName("SHOP.local"), address: .v4(IPv4Address(192, 0, 2, 1)))
        #expect(refusal(Advertisement(hosts: [host], aliases: [alias]))?.code == .invalidArgument)
        let record = RecordAdvertisement(DNSRecord(name: name, data: .txt(.empty)))
        #expect(refusal(Advertisement(aliases: [alias], records: [record]))?.code == .invalidArgument)
        let other = AliasAdvertisement(name: name, target: try DNSName("beta.local"))
        #expect(refusal(Advertisement(aliases: [alias, other]))?.code == .invalidArgument)
        #expect(
            refusal(Advertisement(aliases: [AliasAdvertisement(name: name, target: name)]))?.code == .invalidArgument
        )
        #expect(refusal(Advertisement(aliases: [alias, alias])) == nil)
    }

    @Test("Records that nobody would remember, or that no packet carries, are refused")
    func records() throws {
        let name = try DNSName("shop.local")
        let long = DNSRecord(name: name, data: .raw(RecordType(rawValue: 65), Array(repeating: 0, count: 9_000)))
        #expect(refusal(Advertisement(records: [RecordAdvertisement(long)]))?.code == .invalidRecord)
        let short = DNSRecord(name: name, data: .raw(RecordType(rawValue: 65), [0]))
        #expect(refusal(Advertisement(records: [RecordAdvertisement(short)])) == nil)
        let forgotten = RecordAdvertisement(short, timeToLive: 0)
        #expect(refusal(Advertisement(records: [forgotten]))?.code == .invalidArgument)
        #expect(
            refusal(Advertisement(aliases: [AliasAdvertisement(name: name, timeToLive: 0)]))?.code == .invalidArgument
        )
    }

    @Test("Control characters in any service's name are refused")
    func controlCharacters() throws {
        #expect(refusal(Advertisement([try service(), try service("bell\u{7}")]))?.code == .invalidName)
    }

    @Test(
        "22: the names that cannot be exchanged are looked for: an alias must have nothing, a host no other addresses"
    )
    func claims() throws {
        let own = try DNSName("alpha.local")
        #expect(!Advertisement([try service()]).hasClaims)
        let alias = AliasAdvertisement(name: try DNSName("shop.local"))
        let address = IPv4Address(192, 0, 2, 1)
        let host = HostAdvertisement(name: try DNSName("till.local"), address: .v4(address), hasReverse: true)
        let advertisement = Advertisement(hosts: [host], aliases: [alias])
        #expect(advertisement.hasClaims)
        let claims = advertisement.claims(of: own)
        func claim(_ name: String, _ type: RecordType) throws -> NameClaim {
            let name = try DNSName(name)
            return try #require(claims.first { $0.name == name && $0.type == type })
        }
        #expect(claims.count == 7)
        #expect(try claim("shop.local", .a).isBroken(by: .a(address), isLocal: true))
        #expect(try claim("shop.local", .aaaa).isBroken(by: .aaaa(.loopback), isLocal: false))
        #expect(try !claim("shop.local", .cname).isBroken(by: .cname(own), isLocal: false))
        #expect(try claim("shop.local", .cname).isBroken(by: .cname(DNSName("beta.local")), isLocal: true))
        #expect(try !claim("till.local", .a).isBroken(by: .a(address), isLocal: false))
        #expect(try claim("till.local", .a).isBroken(by: .a(.loopback), isLocal: false))
        #expect(try !claim("till.local", .a).isBroken(by: .a(.loopback), isLocal: true))
        #expect(try claim("till.local", .cname).isBroken(by: .cname(own), isLocal: true))
        #expect(try claim("1.2.0.192.in-addr.arpa", .ptr).isBroken(by: .ptr(own), isLocal: false))
    }

    @Test("A service that is in it twice is refused, whatever its port, where both are told in the same place")
    func servicesTwice() throws {
        func advertisement(_ first: DiscoveryScope, _ second: DiscoveryScope, port: UInt16) throws -> Advertisement {
            var (one, other) = (try service("X"), try service("x"))
            (one.scope, other.scope, other.port) = (first, second, port)
            return Advertisement([one, other])
        }
        let (lan0, lan1) = (DiscoveryScope.interface(named: "lan0"), DiscoveryScope.interface(named: "lan1"))
        #expect(refusal(try advertisement(.everywhere, .everywhere, port: 81))?.code == .invalidArgument)
        #expect(refusal(try advertisement(.everywhere, lan0, port: 80))?.explanation.contains("is in it twice") == true)
        #expect(refusal(try advertisement(lan0, .family(.ipv6), port: 81))?.code == .invalidArgument)
        #expect(refusal(try advertisement(lan0, lan1, port: 81)) == nil)
        #expect(refusal(try advertisement(.family(.ipv4), .family(.ipv6), port: 81)) == nil)
    }

    @Test("Two records of one name and type that differ are refused where one is to be the only one")
    func uniqueRecordsTwice() throws {
        func advertisement(_ first: String, _ second: String, isUnique: Bool) throws -> Advertisement {
            let name = try DNSName("x.local")
            let records = try [first, second].map { text in
                RecordAdvertisement(DNSRecord(name: name, data: .ptr(try DNSName(text))))
            }
            var advertisement = Advertisement(records: records)
            advertisement.records[1].isUnique = isUnique
            return advertisement
        }
        #expect(refusal(try advertisement("a.local", "b.local", isUnique: true))?.code == .invalidArgument)
        #expect(refusal(try advertisement("a.local", "b.local", isUnique: false)) == nil)
        #expect(
            refusal(try advertisement("a.local", "A.local", isUnique: true)) == nil,
            "the same twice is no collision"
        )
    }

    @Test("A record without data, which ends a daemon, and a time to live that DNS does not have are refused")
    func emptyOrEternalRecords() throws {
        let name = try DNSName("x.local")
        let empty = RecordAdvertisement(DNSRecord(name: name, data: .raw(RecordType(rawValue: 99), [])))
        #expect(refusal(Advertisement(records: [empty]))?.code == .invalidRecord)
        for (seconds, code) in [(2_147_483_647, nil), (2_147_483_648, DiscoveryError.Code.invalidArgument)] {
            let record = DNSRecord(name: name, data: .a(.loopback))
            let entry = RecordAdvertisement(record, timeToLive: UInt32(seconds))
            #expect(refusal(Advertisement(records: [entry]))?.code == code)
            let alias = AliasAdvertisement(name: name, timeToLive: UInt32(seconds))
            #expect(refusal(Advertisement(aliases: [alias]))?.code == code)
        }
    }
}
