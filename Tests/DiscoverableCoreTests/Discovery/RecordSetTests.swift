import DiscoverableCore
import Testing

private let lan0 = InterfaceIndex(rawValue: 2)
private let lan1 = InterfaceIndex(rawValue: 3)
private let start = Instant.origin

private func path(_ interface: InterfaceIndex, _ family: AddressFamily = .ipv4) -> ServicePath {
    ServicePath(interface: interface, family: family)
}

@Suite("The records of a question")
struct RecordSetTests {
    private let first: DNSRecord
    private let second: DNSRecord

    init() throws {
        let name = try DNSName("x.local")
        first = DNSRecord(name: name, data: .txt(try TXTRecord([TXTRecord.Entry(key: "a", text: "1")])))
        second = DNSRecord(name: name, data: .txt(try TXTRecord([TXTRecord.Entry(key: "a", text: "2")])))
    }

    @Test("The newest stands last, whatever is told of older ones meanwhile")
    func order() {
        var set = RecordSet()
        _ = set.appeared(Sighting(first, on: path(lan0)))
        _ = set.appeared(Sighting(second, on: path(lan0)))
        _ = set.appeared(Sighting(first, on: path(lan1)))
        #expect(set.records.map(\.record) == [first, second])
        #expect(set.records[0].paths == [path(lan0), path(lan1)])
        _ = set.vanished(Sighting(second, on: path(lan0)))
        #expect(set.records.map(\.record) == [first])
        _ = set.appeared(Sighting(second, on: path(lan0)))
        #expect(set.records.map(\.record) == [first, second])
    }

    @Test("A lost connection loses nothing; what nobody confirms is gone five seconds after the network was asked")
    func restart() {
        var set = RecordSet()
        _ = set.appeared(Sighting(first, on: path(lan0)))
        _ = set.appeared(Sighting(second, on: path(lan0)))
        #expect(set.networkTold(now: start) == true)
        set.connectionLost()
        #expect(set.records.count == 2)
        #expect(set.appeared(Sighting(second, on: path(lan0))) == nil)
        #expect(set.networkTold(now: start) == false)
        #expect(set.nextDeadline == start.advanced(by: .seconds(5)))
        let events = set.deadlineReached(now: start.advanced(by: .seconds(5)))
        #expect(events == [.removed(BrowsedRecord(identity: first, paths: []))])
        #expect(set.records.map(\.record) == [second])
    }

    @Test("How far the answer is told never goes back, and is news once")
    func progress() {
        var set = RecordSet()
        #expect(set.progress == .asked)
        #expect(set.cacheTold() == true)
        #expect(set.cacheTold() == false)
        #expect(set.networkTold(now: start) == true)
        #expect(set.cacheTold() == false)
        #expect(set.progress == .networkTold)
    }
}

@Suite("The addresses of a host")
struct AddressListTests {
    private let name: DNSName
    private let linkLocal = IPv6Address(high: 0xfe80_0000_0000_0000, low: 1)
    private let unique = IPv6Address(high: 0xfd00_0000_0000_0000, low: 1)

    init() throws {
        name = try DNSName("beta.local")
    }

    private func record(_ data: RecordData, _ paths: ServicePath...) -> BrowsedRecord {
        BrowsedRecord(identity: DNSRecord(name: name, data: data), paths: paths)
    }

    @Test("2: a link-local address is one for each interface and carries it; no other address has a scope")
    func scopes() {
        var list = AddressList()
        _ = list.take(.added(record(.aaaa(linkLocal), path(lan0), path(lan1, .ipv6))))
        _ = list.take(.added(record(.aaaa(unique), path(lan0), path(lan1))))
        _ = list.take(.added(record(.a(IPv4Address(169, 254, 0, 1)), path(lan0))))
        _ = list.take(.added(record(.aaaa(.loopback), path(lan1))))
        #expect(
            list.addresses.map(\.identity.description) == ["169.254.0.1", "::1", "fd00::1", "fe80::1%2", "fe80::1%3"]
        )
        #expect(list.addresses[2].interfaces == [lan0, lan1])
        #expect(list.addresses[4].paths == [path(lan1, .ipv6)])
        #expect(list.addresses[4].endpoint(port: 80) == SocketAddress(.v6(linkLocal), port: 80, scope: lan1))
    }

    @Test("A link that no longer tells a link-local address takes that one only")
    func lostLink() {
        var list = AddressList()
        _ = list.take(.added(record(.aaaa(linkLocal), path(lan0), path(lan1))))
        let gone = BrowsedAddress.Identity(.v6(linkLocal), on: lan1)
        let events = list.take(.updated(record(.aaaa(linkLocal), path(lan0))))
        #expect(events == [.removed(BrowsedAddress(identity: gone, paths: []))])
        #expect(list.addresses.map(\.identity.scope) == [lan0])
    }

    @Test("3: each address that comes and goes is told, and none twice")
    func changes() {
        var list = AddressList()
        let first = record(.a(IPv4Address(10, 0, 0, 1)), path(lan0))
        let second = record(.a(IPv4Address(10, 0, 0, 2)), path(lan0))
        #expect(list.take(.added(first)) == [.added(BrowsedAddress.told(by: first)[0])])
        #expect(list.take(.added(first)) == [])
        #expect(list.take(.added(second)).count == 1)
        let gone = BrowsedAddress(identity: BrowsedAddress.Identity(.v4(IPv4Address(10, 0, 0, 1)), on: nil), paths: [])
        #expect(list.take(.removed(BrowsedRecord(identity: first.identity, paths: []))) == [.removed(gone)])
        #expect(list.addresses == BrowsedAddress.told(by: second))
    }

    @Test("Settled when both families are, once; records of other types tell no address")
    func settlement() {
        var list = AddressList()
        #expect(list.settled(.a) == nil)
        #expect(list.settled(.a) == nil)
        #expect(list.settled(.aaaa) == .settled)
        #expect(list.settled(.aaaa) == nil)
        #expect(list.take(.added(record(.ptr(name), path(lan0)))) == [])
    }
}
