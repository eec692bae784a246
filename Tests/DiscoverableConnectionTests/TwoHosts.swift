import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime

/// Two hosts with two links between them, `lan0` and `lan1` on each. The first host's addresses end in 1, the second's in 2:
/// `lan0` has 192.0.2.0/24 and fd00::/64, `lan1` has 198.51.100.0/24, and both have the same link-local addresses.
struct TwoHosts: Sendable {
    let first: NetworkHost
    let second: NetworkHost

    init(mtu: Int = 1500) async throws {
        first = try await NetworkHost()
        second = try await NetworkHost()
        let there = second.namespace
        for link in 0...1 {
            try await first.ip(
                "link add lan\(link) mtu \(mtu) address 02:00:00:00:0\(link):01 type veth "
                    + "peer name lan\(link) mtu \(mtu) address 02:00:00:00:0\(link):02 netns \(there)"
            )
        }
        for host in [first, second] {
            try await host.ip(
                "link set lan0 addrgenmode none",
                "link set lan1 addrgenmode none",
                "link set lan0 up",
                "link set lan1 up"
            )
        }
        // The kernel switches a link on some time after both of its ends are up; what is sent before is lost.
        for host in [first, second] { try await Self.waitForLinks(of: host) }
        for (number, host) in [(1, first), (2, second)] {
            try await host.ip(
                "addr add 192.0.2.\(number)/24 brd + dev lan0",
                "addr add fd00::\(number)/64 dev lan0 nodad",
                "addr add fe80::\(number)/64 dev lan0 nodad",
                "addr add 198.51.100.\(number)/24 brd + dev lan1",
                "addr add fe80::\(number)/64 dev lan1 nodad"
            )
        }
    }

    private static func waitForLinks(of host: NetworkHost) async throws {
        var areRunning = false
        while !areRunning {
            let all = try await host.onLoop { Result { try NetworkInterface.all() } }.get()
            areRunning = all.count == 3 && all.allSatisfy(\.isRunning)
            if !areRunning { await Task.yield() }
        }
    }

    /// The second host answers nobody who asks for its hardware address on `lan0`: what is sent there waits in the first
    /// host's kernel.
    func stall() async throws {
        try await second.ip("link set lan0 arp off")
        // So that the first host gives up no sooner than the test.
        try await first.ip("ntable change name arp_cache dev lan0 mcast_probes 100")
    }

    /// The first host knows the hardware address from now on: what waits leaves.
    func resume() async throws {
        try await first.ip("neigh replace 192.0.2.2 lladdr 02:00:00:00:00:02 nud permanent dev lan0")
    }
}

extension SocketAddress {
    /// An address of `TwoHosts`, without a scope.
    init(_ text: String, _ port: UInt16) throws {
        guard let address = SocketAddress.parse(text, defaultPort: port) else { throw NotAnAddress(text: text) }
        self = address
    }
}

struct NotAnAddress: Error {
    let text: String
}
