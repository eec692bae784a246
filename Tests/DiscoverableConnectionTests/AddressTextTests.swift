import DiscoverableConnection
import DiscoverableCore
import Testing

@Suite("Addresses as an app reads and prints them")
struct AddressTextTests {
    @Test(
        "What is printed is read back",
        arguments: [
            ("192.0.2.1:80", "192.0.2.1", "192.0.2.1:80"),
            ("[2001:DB8::0001]:65535", "2001:db8::1", "[2001:db8::1]:65535"),
            ("[fe80::1%1]:0", "fe80::1%lo", "[fe80::1%lo]:0"),
            ("[::ffff:c000:201]:7", "::ffff:192.0.2.1", "[::ffff:192.0.2.1]:7"),
            ("[fe80::1%0]:80", "fe80::1", "[fe80::1]:80"),
        ]
    )
    func roundTrip(written: String, host: String, endpoint: String) throws {
        let address = try #require(SocketAddress.parse(written))
        #expect(address.hostText == host && address.endpointText == endpoint)
        #expect(SocketAddress.parse(endpoint) == address)
        #expect(SocketAddress.parse(host, defaultPort: address.port) == address)
        #expect(SocketAddress.parse(host) == nil)
    }

    @Test("Interfaces have names and numbers")
    func interfaces() throws {
        let loopback = try #require(InterfaceIndex(named: "lo"))
        #expect(loopback.name == "lo")
        #expect(InterfaceIndex(named: "lo\0") == nil && InterfaceIndex(named: "") == nil)
        #expect(InterfaceIndex(rawValue: 999_999).name == nil)
    }
}
