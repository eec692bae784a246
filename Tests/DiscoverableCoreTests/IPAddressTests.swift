import DiscoverableCore
import Testing

@Suite("IP addresses")
struct IPAddressTests {
    @Test(
        "RFC 5952 text is what an address prints, whatever form it was written in",
        arguments: [
            ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("2001:0DB8::0001", "2001:db8::1"), ("::", "::"),
            ("0:0:0:0:0:0:0:1", "::1"), ("fe80::", "fe80::"), ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
            ("::ffff:192.0.2.1", "::ffff:192.0.2.1"), ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"),
            ("1:0:0:2::3", "1:0:0:2::3"),
        ]
    )
    func canonicalText(written: String, printed: String) {
        #expect(IPv6Address(written)?.description == printed)
    }

    @Test(
        "Text that is no address is refused",
        arguments: [
            "", ":", ":::", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "12345::", "fe80::1%lan0", "::1.2.3",
            "+1::",
            "1:2:3:4:5:6:7::8:9", "1.2.3.4.5", "1.2.3", "01.2.3.4", "256.0.0.1", "1.2.3.4 ", "a.b.c.d", "g::",
            "1:2:3:4:5:6:7:8::",
        ]
    )
    func refused(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test("Bytes go both ways")
    func bytes() {
        let address = IPv6Address(high: 0xfe80_0000_0000_0000, low: 0x0102_0304_0506_0708)
        #expect(IPv6Address(bytes: address.bytes) == address)
        #expect(IPv6Address(bytes: [1, 2, 3]) == nil)
        #expect(IPv4Address(192, 0, 2, 1).bytes == [192, 0, 2, 1])
    }

    @Test("Only an address that needs a scope keeps one")
    func scope() {
        let scope = InterfaceIndex(rawValue: 3)
        let linkLocal = SocketAddress(.v6(IPv6Address(high: 0xfe80 << 48, low: 1)), port: 80, scope: scope)
        #expect(linkLocal.description == "[fe80::1%3]:80")
        #expect(SocketAddress(.v6(.loopback), port: 80, scope: scope).description == "[::1]:80")
        #expect(SocketAddress(.v4(.loopback), port: 80, scope: scope).scope == nil)
    }
}
