import DiscoverableCore
import Testing

private let lan0 = InterfaceIndex(rawValue: 2)
private let lan1 = InterfaceIndex(rawValue: 3)

@Suite("What the records of a service say together")
struct ServiceRecordsTests {
    private let instance: ServiceInstance
    private let name: DNSName
    private let host: DNSName
    private var records: ServiceRecords

    init() throws {
        instance = try ServiceInstance(name: ServiceName("X"), type: ServiceType("_ipp._tcp"))
        name = try DNSName(instance)
        host = try DNSName("beta.local")
        records = ServiceRecords(instance: instance)
    }

    private func found(_ data: RecordData, on interfaces: InterfaceIndex..., of name: DNSName? = nil) -> BrowsedRecord {
        BrowsedRecord(
            identity: DNSRecord(name: name ?? self.name, data: data),
            paths: interfaces.map { ServicePath(interface: $0, family: .ipv4) }
        )
    }

    private func location(port: UInt16) -> RecordData {
        .srv(RecordData.ServiceLocation(port: port, target: host))
    }

    private func text(_ value: String) throws -> RecordData {
        .txt(try TXTRecord([TXTRecord.Entry(key: "v", text: value)]))
    }

    private mutating func tellAll() throws {
        records.take(.added(found(location(port: 80), on: lan0)), of: .srv)
        records.take(.added(found(try text("1"), on: lan0)), of: .txt)
        records.take(.added(found(.a(IPv4Address(10, 0, 0, 2)), on: lan0, of: host)), of: .a)
    }

    @Test("It is there once port, host, TXT and one address are known")
    mutating func complete() throws {
        records.take(.added(found(location(port: 80), on: lan0)), of: .srv)
        #expect(records.host == host)
        #expect(records.service == nil)
        records.take(.added(found(try text("1"), on: lan0)), of: .txt)
        #expect(records.service == nil)
        records.take(.added(found(.a(IPv4Address(10, 0, 0, 2)), on: lan0, of: host)), of: .a)
        #expect(records.service?.port == 80)
        #expect(records.service?.host == "beta.local")
        #expect(records.service?.addresses == [SocketAddress(.v4(IPv4Address(10, 0, 0, 2)), port: 80)])
        #expect(records.service?.txt["v"]?.text == "1")
        #expect(records.isSettled)
    }

    @Test(
        "18: the newest record wins at once, the older one's end changes nothing, and where the newest goes the older holds"
    )
    mutating func newest() throws {
        try tellAll()
        records.take(.added(found(try text("2"), on: lan0)), of: .txt)
        #expect(records.service?.txt["v"]?.text == "2")
        // Seen on another path too: no newer for that.
        records.take(.updated(found(try text("1"), on: lan0, lan1)), of: .txt)
        #expect(records.service?.txt["v"]?.text == "2")
        records.take(.removed(found(try text("1"))), of: .txt)
        #expect(records.service?.txt["v"]?.text == "2")
        records.take(.added(found(location(port: 81), on: lan0)), of: .srv)
        #expect(records.service?.addresses.map(\.port) == [81])
        records.take(.removed(found(location(port: 81))), of: .srv)
        #expect(records.service?.port == 80)
    }

    @Test("35: only addresses under an interface on which the service is told are its own, each under its interface")
    mutating func interfaces() throws {
        try tellAll()
        records.take(.added(found(.a(IPv4Address(172, 17, 0, 1)), on: lan1, of: host)), of: .a)
        #expect(records.service?.addresses.map(\.ip) == [.v4(IPv4Address(10, 0, 0, 2))])
        records.take(.updated(found(location(port: 80), on: lan0, lan1)), of: .srv)
        let service = try #require(records.service)
        #expect(service.addresses(on: lan0).map(\.ip) == [.v4(IPv4Address(10, 0, 0, 2))])
        #expect(service.addresses(on: lan1).map(\.ip) == [.v4(IPv4Address(172, 17, 0, 1))])
        #expect(service.addresses.count == 2)
    }

    @Test("3: one address less is no loss of the service; the last one is")
    mutating func addresses() throws {
        try tellAll()
        let second = found(.a(IPv4Address(10, 0, 0, 3)), on: lan0, of: host)
        records.take(.added(second), of: .a)
        #expect(records.service?.addresses.count == 2)
        records.take(.removed(BrowsedRecord(identity: second.identity, paths: [])), of: .a)
        #expect(records.service?.addresses.map(\.ip) == [.v4(IPv4Address(10, 0, 0, 2))])
        records.take(.removed(found(.a(IPv4Address(10, 0, 0, 2)), of: host)), of: .a)
        #expect(records.service == nil)
    }

    @Test("A service that names no host is not to be had (RFC 2782)")
    mutating func noHost() throws {
        records.take(.added(found(.srv(RecordData.ServiceLocation(port: 0, target: .root)), on: lan0)), of: .srv)
        #expect(records.host == nil)
        records.settled(.srv)
        #expect(!records.isSettled)
        records.settled(.txt)
        #expect(records.isSettled)
        #expect(records.service == nil)
    }

    @Test("It is not there when the network has told of neither record, or of no address")
    mutating func settlement() {
        records.settled(.srv)
        records.settled(.txt)
        #expect(records.isSettled)
        records.take(.added(found(location(port: 80), on: lan0)), of: .srv)
        #expect(!records.isSettled)
        records.settled(.a)
        records.settled(.aaaa)
        #expect(records.isSettled)
        #expect(records.service == nil)
    }

    @Test("A pointer's name is a service of its type and domain, or none")
    func pointers() throws {
        #expect(ServiceInstance(name, type: instance.type, domain: .local) == instance)
        #expect(ServiceInstance(name, type: try ServiceType("_http._tcp"), domain: .local) == nil)
        #expect(ServiceInstance(host, type: instance.type, domain: .local) == nil)
        #expect(ServiceInstance(.root, type: instance.type, domain: .local) == nil)
        let invalid = try DNSName(#"\255._ipp._tcp.local"#)
        #expect(ServiceInstance(invalid, type: instance.type, domain: .local) == nil)
    }
}
