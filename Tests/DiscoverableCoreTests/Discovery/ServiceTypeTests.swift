import DiscoverableCore
import Testing

@Suite("Service types")
struct ServiceTypeTests {
    @Test(
        "An underscored application label and a transport are a service type",
        arguments: [
            "_http._tcp", "_discoverable._udp", "_a._tcp", "_HTTP._TCP", "_http._Udp", "_-9_z._tcp", "__._tcp",
            "_" + String(repeating: "x", count: 62) + "._tcp",
        ]
    )
    func accepted(text: String) throws {
        #expect(try ServiceType(text).text == text)
        #expect(try ServiceType(text + ".").text == text, "a dot at the end is no part of the type")
    }

    @Test(
        "Anything else is refused",
        arguments: [
            "", ".", "..", "_http", "_tcp", "http._tcp", "_._tcp", "_http._sctp", "_http.tcp", "_http._tcp.local",
            "_http._tcp..",
            "._tcp", "_http.", "_bad type._tcp", "_h\u{e9}._tcp", "_http._tcp\u{301}", "_http\u{301}._tcp", "_a\0._tcp",
            "_a\n._tcp",
            "_x._sub._http._tcp", "_" + String(repeating: "x", count: 63) + "._tcp",
        ]
    )
    func refused(text: String) {
        let error = #expect(throws: DiscoveryError.self) { try ServiceType(text) }
        #expect(error?.code == .invalidName)
    }

    @Test(
        "The transport is told without regard to case",
        arguments: [("_a._udp", true), ("_a._UDP.", true), ("_a._tcp", false), ("_udp._tcp", false)]
    )
    func transport(text: String, isUDP: Bool) throws {
        #expect(try ServiceType(text).isUDP == isUDP)
    }
}
