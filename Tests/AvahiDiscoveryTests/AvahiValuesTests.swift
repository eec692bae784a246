import CAvahi
import DiscoverableCore
import Testing

@testable import AvahiDiscovery

@Suite("Avahi's values")
struct AvahiValuesTests {
    @Test("A list of strings goes both ways, with every byte", arguments: [0, 1, 3, 100])
    func stringLists(count: Int) {
        let all = (0..<count).map { number in (0...(number % 255)).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ number) }
        }
        let back = unsafe withStringList(all) { unsafe strings(of: $0) }
        #expect(back == all)
    }

    @Test("Addresses come out of Avahi's memory in network order")
    func addresses() {
        var four = AvahiAddress()
        _ = unsafe avahi_address_parse("192.0.2.1", AvahiProtocol(AVAHI_PROTO_INET), &four)
        let ipv4 = unsafe IPAddress(&four)
        #expect(ipv4 == .v4(IPv4Address(192, 0, 2, 1)))
        var six = AvahiAddress()
        _ = unsafe avahi_address_parse("fe80::1:2", AvahiProtocol(AVAHI_PROTO_INET6), &six)
        let ipv6 = unsafe IPAddress(&six)
        #expect(ipv6 == IPAddress("fe80::1:2"))
        #expect(unsafe IPAddress(nil) == nil)
    }

    @Test("Record data of any other length is no address", arguments: [0, 1, 3, 5, 15, 17, 255])
    func rdata(length: Int) {
        #expect(IPAddress(rdata: Array(repeating: 1, count: length)) == nil)
    }

    @Test("Record data of an address is read in network order")
    func addressRecords() {
        #expect(IPAddress(rdata: [192, 0, 2, 1]) == .v4(IPv4Address(192, 0, 2, 1)))
        #expect(IPAddress(rdata: [0xfe, 0x80] + Array(repeating: 0, count: 13) + [1]) == IPAddress("fe80::1"))
    }

    @Test("An event that belongs to no single interface or family has no path")
    func paths() {
        #expect(ServicePath(interface: 3, protocol: AvahiProtocol(AVAHI_PROTO_INET6))?.family == .ipv6)
        #expect(ServicePath(interface: AvahiIfIndex(AVAHI_IF_UNSPEC), protocol: AvahiProtocol(AVAHI_PROTO_INET)) == nil)
        #expect(ServicePath(interface: 3, protocol: AvahiProtocol(AVAHI_PROTO_UNSPEC)) == nil)
    }
}
