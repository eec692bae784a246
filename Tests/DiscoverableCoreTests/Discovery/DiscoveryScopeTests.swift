import DiscoverableCore
import Testing

@Suite("Where something is looked for")
struct DiscoveryScopeTests {
    @Test("Nothing said is everywhere")
    func everywhere() {
        #expect(DiscoveryScope() == .everywhere)
        #expect(DiscoveryScope.everywhere == DiscoveryScope(interface: .any, family: nil))
        #expect(DiscoveryScope.loopback.interface == .loopback)
        #expect(DiscoveryScope.interface(named: "eth0").interface == .name("eth0"))
        #expect(DiscoveryScope.family(.ipv6) == DiscoveryScope(interface: .any, family: .ipv6))
    }

    @Test(
        "A scope says for people where it is",
        arguments: [
            (.everywhere, "everywhere"), (.loopback, "on the loopback interface"),
            (.family(.ipv4), "on all interfaces over IPv4"), (.interface(named: "eth0"), "on eth0"),
            (DiscoveryScope(interface: .index(InterfaceIndex(rawValue: 2)), family: .ipv6), "on interface 2 over IPv6"),
        ] as [(DiscoveryScope, String)]
    )
    func description(scope: DiscoveryScope, text: String) {
        #expect(scope.description == text)
    }
}
