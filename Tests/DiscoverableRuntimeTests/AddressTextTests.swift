import DiscoverableCore
import Glibc
import Testing

@testable import DiscoverableRuntime

@Suite("Textual forms of addresses")
struct AddressTextTests {
    @Test(
        "Every form is read, and printed in the one that is recommended",
        arguments: [
            // RFC 4291 section 2.2: full, with zeros left out, with a dotted quad at the end.
            ("[ABCD:EF01:2345:6789:ABCD:EF01:2345:6789]:80", "[abcd:ef01:2345:6789:abcd:ef01:2345:6789]:80"),
            ("[2001:DB8:0:0:8:800:200C:417A]:80", "[2001:db8::8:800:200c:417a]:80"),
            ("[2001:DB8::8:800:200C:417A]:80", "[2001:db8::8:800:200c:417a]:80"),
            ("[FF01:0:0:0:0:0:0:101]:80", "[ff01::101]:80"), ("[0:0:0:0:0:0:0:1]:80", "[::1]:80"),
            ("[0:0:0:0:0:0:0:0]:80", "[::]:80"), ("[0:0:0:0:0:0:13.1.68.3]:80", "[::d01:4403]:80"),
            ("[::13.1.68.3]:80", "[::d01:4403]:80"), ("[1::8:0:0:1.2.3.4]:80", "[1::8:0:0:102:304]:80"),
            ("[1:2:3:4:5:6:1.2.3.4]:80", "[1:2:3:4:5:6:102:304]:80"), ("[1:2:3:4:5:6:7::]:80", "[1:2:3:4:5:6:7:0]:80"),
            ("[::2:3:4:5:6:7:8]:80", "[0:2:3:4:5:6:7:8]:80"),
            // RFC 5952 section 4: no leading zeros, `::` for the first longest run of at least two, lower case.
            ("[2001:0db8:0000:0001::0001]:80", "[2001:db8:0:1::1]:80"),
            ("[2001:db8::1:1:1:1:1]:80", "[2001:db8:0:1:1:1:1:1]:80"),
            ("[2001:0:0:1:0:0:0:1]:80", "[2001:0:0:1::1]:80"), ("[2001:db8:0:0:1:0:0:1]:80", "[2001:db8::1:0:0:1]:80"),
            // Section 5: an address known to hold an IPv4 one shows it.
            ("[0:0:0:0:0:FFFF:129.144.52.38]:80", "[::ffff:129.144.52.38]:80"),
            ("[::ffff:c000:201]:80", "[::ffff:192.0.2.1]:80"),
            // RFC 4007 section 11: a zone by name, by number, and the default one.
            ("[fe80::1%lo]:80", "[fe80::1%lo]:80"), ("[FE80::1%1]:80", "[fe80::1%lo]:80"),
            ("[fe80::1%01]:80", "[fe80::1%lo]:80"),
            ("[febf::1%lo]:80", "[febf::1%lo]:80"), ("[ff02::1%lo]:80", "[ff02::1%lo]:80"),
            ("[ff11::1%lo]:80", "[ff11::1%lo]:80"),
            ("[fe80::1%0]:80", "[fe80::1]:80"), ("[fe80::1%4294967295]:80", "[fe80::1%4294967295]:80"),
            // Ports.
            ("192.0.2.1:0", "192.0.2.1:0"), ("192.0.2.1:65535", "192.0.2.1:65535"), ("[::1]:0080", "[::1]:80"),
            ("0.0.0.0:80", "0.0.0.0:80"), ("255.255.255.255:80", "255.255.255.255:80"),
        ]
    )
    func forms(written: String, printed: String) throws {
        for defaultPort in [nil, 7] as [UInt16?] {
            let address = try #require(SocketAddress(parsing: written, defaultPort: defaultPort))
            let host = address.hostTextWithInterfaceName
            let text = address.family == .ipv4 ? "\(host):\(address.port)" : "[\(host)]:\(address.port)"
            #expect(text == printed)
            #expect(SocketAddress(parsing: text, defaultPort: nil) == address)
            #expect(SocketAddress(parsing: address.description, defaultPort: nil) == address)
            #expect(SocketAddress(parsing: host, defaultPort: address.port) == address)
        }
    }

    @Test(
        "Without a port the default one is taken, with brackets or without",
        arguments: [
            "192.0.2.1", "2001:db8::1", "[2001:db8::1]", "fe80::1%lo", "fe80::1%1", "[fe80::1%lo]", "::",
            "::ffff:192.0.2.1",
            "::1:80", "1:2:3:4:5:6:7:80",
        ]
    )
    func defaultPort(text: String) {
        #expect(SocketAddress(parsing: text, defaultPort: 1024)?.port == 1024)
        #expect(SocketAddress(parsing: text, defaultPort: nil) == nil)
    }

    @Test(
        "What is no address is refused, with a default port too",
        arguments: [
            "", " ", ":", "::::", ":80", "%", "%lo", "%lo:80", "[]", "[]:80", "[", "]", "[::1", "::1]", "[::1]80",
            "[::1]:",
            "[::1]::80", "[[::1]]:80", "[::1]]:80", "[::1]:80]", "[192.0.2.1]", "[192.0.2.1]:80", "[lo]:80", "host",
            "host:80",
            // Ports that are none.
            "192.0.2.1:", "192.0.2.1:65536", "192.0.2.1:+1", "192.0.2.1:-1", "192.0.2.1:0x50", "192.0.2.1:80 ",
            "192.0.2.1: 80",
            "192.0.2.1:99999999999999999999", "192.0.2.1:80:80", "192.0.2.1:http", "192.0.2.1:\u{664}", "[::1]:65536",
            // IPv4 in forms that mean something else to everyone.
            "192.0.2", "192.0.2.1.1", "192.0.2.256", "192.0.2.01", "0x7f.0.0.1", "2130706433", "127.1", "192.0.2.",
            ".192.0.2.1",
            "192.0..1", "192.0.2.1 ", " 192.0.2.1", "192.0.2.1\n", "192.0.2.1\0", "192.0.2.-1", "192.0.2.1%lo",
            "192.0.2.1/24",
            // IPv6.
            "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", ":1:2:3:4:5:6:7", "1:2:3:4:5:6:7:", ":::", "1:::2",
            "00001::",
            "::12345", "::g", "::-1", "::1.2.3", "::1.2.3.4.5", "::1.2.3.256", "1.2.3.4::", "::1.2.3.4:5",
            "1:2:3:4:5:6:7:1.2.3.4",
            "::1 ", " ::1", "::1\n", "::1\0", "::1/128", "::2:3:4:5:6:7:8:9", "::ffff:192.0.2.1:80",
            // Zones that are none, and zones on addresses that have no use for one.
            "fe80::1%", "[fe80::1%]:80", "fe80::1%no-such-if", "fe80::1%+1", "fe80::1%-1", "fe80::1%4294967296",
            "fe80::1% 1",
            "fe80::1%lo ", "fe80::1%lo\0", "fe80::1%lo:80", "fe80::1%25lo", "fe80::1%lo%lo", "[fe80::1]%lo:80",
            "fe80%lo::1",
            "2001:db8::1%lo", "2001:db8::1%1", "::1%lo", "ff05::1%lo", "[fe80::1%lo:80]",
        ]
    )
    func refused(text: String) {
        #expect(SocketAddress(parsing: text, defaultPort: 1) == nil)
        #expect(SocketAddress(parsing: text, defaultPort: nil) == nil)
    }

    @Test(
        "Zones are read as libc reads them, on addresses that have a use for one",
        arguments: ["fe80::1", "febf::ffff", "ff01::1", "ff02::fb", "FF12::1", "fe80::192.0.2.1"],
        [
            "lo", "1", "0", "01", "00", "2", "999999", "4294967295", "4294967296", "18446744073709551616", "", "+1",
            "-1", " 1",
            "1 ", "0x1", "lo ", "LO", "l", "no-such-if", "1lo", "lo1", "%lo", "lo%", "25lo",
        ]
    )
    func zones(address: String, zone: String) {
        let ours = SocketAddress(parsing: "\(address)%\(zone)", defaultPort: 80)
        #expect(ours == libcAddress("\(address)%\(zone)", port: 80))
    }

    @Test("A scope of number 0 is none")
    func noScope() throws {
        let ip = try #require(IPAddress("fe80::1"))
        let address = SocketAddress(ip, port: 80, scope: InterfaceIndex(rawValue: 0))
        #expect(address == SocketAddress(ip, port: 80) && address.description == "[fe80::1]:80")
    }
}

/// What `getaddrinfo` makes of an address as text.
private func libcAddress(_ text: String, port: UInt16) -> SocketAddress? {
    var hints = unsafe addrinfo()
    unsafe hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
    unsafe hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
    var first: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(text, String(port), &hints, &first) == 0 else { return nil }
    defer { unsafe freeaddrinfo(first) }
    return unsafe first?.pointee.ai_addr.flatMap { unsafe SocketAddress(system: $0) }
}
