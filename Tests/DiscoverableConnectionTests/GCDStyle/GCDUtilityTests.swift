import DiscoverableConnection
import DiscoverableCore
import Foundation
import Glibc
import Testing

@Suite("GCD style: what an address says")
struct GCDUtilityTests {
    @Test("49: host, port and family of an address")
    func address() throws {
        let ipv4 = Data(try SocketAddress("192.0.2.1", 80))
        #expect(GCDAsyncUdpSocket.host(fromAddress: ipv4) == "192.0.2.1")
        #expect(GCDAsyncUdpSocket.port(fromAddress: ipv4) == 80)
        #expect(GCDAsyncUdpSocket.family(fromAddress: ipv4) == AF_INET)
        #expect(GCDAsyncUdpSocket.isIPv4Address(ipv4) && !GCDAsyncUdpSocket.isIPv6Address(ipv4))
        let ipv6 = Data(
            SocketAddress(.v6(try #require(IPv6Address("fe80::1"))), port: 65_535, scope: InterfaceIndex(rawValue: 1))
        )
        // Without the scope, which is this host's own.
        #expect(GCDAsyncUdpSocket.host(fromAddress: ipv6) == "fe80::1")
        #expect(GCDAsyncUdpSocket.port(fromAddress: ipv6) == 65_535)
        #expect(GCDAsyncUdpSocket.family(fromAddress: ipv6) == AF_INET6)
        #expect(!GCDAsyncUdpSocket.isIPv4Address(ipv6) && GCDAsyncUdpSocket.isIPv6Address(ipv6))
    }

    @Test("49: all at once, into variables")
    func parts() throws {
        var host: NSString?
        var port: UInt16 = 0
        var family: Int32 = 0
        let ipv6 = Data(try SocketAddress("2001:db8::7", 7))
        #expect(unsafe GCDAsyncUdpSocket.getHost(&host, port: &port, fromAddress: ipv6))
        #expect(host == "2001:db8::7" && port == 7)
        let ipv4 = Data(try SocketAddress("192.0.2.1", 80))
        #expect(unsafe GCDAsyncUdpSocket.getHost(&host, port: &port, family: &family, fromAddress: ipv4))
        #expect(host == "192.0.2.1" && port == 80 && family == AF_INET)
    }

    @Test(
        "49: what is too short for an address, or of another family, says nothing",
        arguments: GCDPreconditionTests.malformed
    )
    func malformed(data: Data) {
        #expect(GCDAsyncUdpSocket.host(fromAddress: data) == nil && GCDAsyncUdpSocket.port(fromAddress: data) == 0)
        #expect(!GCDAsyncUdpSocket.isIPv4Address(data) && !GCDAsyncUdpSocket.isIPv6Address(data))
        if data.count < 16 { #expect(GCDAsyncUdpSocket.family(fromAddress: data) == AF_UNSPEC) }
        var host: NSString?
        var port: UInt16 = 0
        #expect(unsafe !GCDAsyncUdpSocket.getHost(&host, port: &port, fromAddress: data))
    }

    @Test(
        "49: an address that is cut by a byte is none; part of larger data is one",
        arguments: ["192.0.2.1", "2001:db8::7"]
    )
    func cut(text: String) throws {
        let whole = Data(try SocketAddress(text, 80))
        #expect(GCDAsyncUdpSocket.host(fromAddress: whole.dropLast()) == nil)
        #expect(GCDAsyncUdpSocket.port(fromAddress: whole.dropLast()) == 0)
        let slice = (Data([1, 2, 3]) + whole)[3...]
        #expect(GCDAsyncUdpSocket.host(fromAddress: slice) == text && GCDAsyncUdpSocket.port(fromAddress: slice) == 80)
    }

    @Test("The constants of the header")
    func constants() {
        #expect(GCDAsyncUdpSocketErrorDomain == "GCDAsyncUdpSocketErrorDomain")
        #expect(GCDAsyncUdpSocketException == "GCDAsyncUdpSocketException")
        #expect(GCDAsyncUdpSocketQueueName == "GCDAsyncUdpSocket")
        #expect(!GCDAsyncUdpSocketThreadName.isEmpty)
        let codes: [GCDAsyncUdpSocketError] = [
            .noError, .badConfigError, .badParamError, .sendTimeoutError, .closedError, .otherError,
        ]
        #expect(codes.map(\.rawValue) == Array(0...5))
    }
}
