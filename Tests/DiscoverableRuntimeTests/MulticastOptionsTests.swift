import DiscoverableCore
import Glibc
import Testing

@testable import DiscoverableRuntime

@Suite("Groups of a UDP socket")
struct MulticastOptionsTests {
    private let loopback: NetworkInterface

    init() throws {
        loopback = try #require(try NetworkInterface.all().first(where: \.isLoopback))
    }

    @Test("A group is joined once and left once", arguments: AddressFamily.allCases)
    func membership(family: AddressFamily) throws {
        let socket = try OpenSocket(family)
        let group = try group(family)
        #expect(join(socket, group) == nil)
        #expect(join(socket, group) == Failure(number: EADDRINUSE, call: "setsockopt(MCAST_JOIN_GROUP)"))
        #expect(leave(socket, group) == nil)
        #expect(leave(socket, group) == Failure(number: EADDRNOTAVAIL, call: "setsockopt(MCAST_LEAVE_GROUP)"))
        #expect(join(socket, group) == nil)
    }

    @Test("A source is joined once and left once", arguments: AddressFamily.allCases)
    func sources(family: AddressFamily) throws {
        let socket = try OpenSocket(family)
        let group = try #require(IPAddress(family == .ipv4 ? "232.1.2.3" : "ff31::4321"))
        let first = try #require(IPAddress(family == .ipv4 ? "192.0.2.1" : "2001:db8::1"))
        let second = try #require(IPAddress(family == .ipv4 ? "192.0.2.2" : "2001:db8::2"))
        let leaving = "setsockopt(MCAST_LEAVE_SOURCE_GROUP)"
        #expect(leave(socket, group, first) == Failure(number: EINVAL, call: leaving))
        #expect(join(socket, group, first) == nil)
        let again = Failure(number: EADDRNOTAVAIL, call: "setsockopt(MCAST_JOIN_SOURCE_GROUP)")
        #expect(join(socket, group, first) == again)
        #expect(leave(socket, group, second) == Failure(number: EADDRNOTAVAIL, call: leaving))
        #expect(join(socket, group, second) == nil)
        #expect(leave(socket, group, first) == nil)
        #expect(leave(socket, group, second) == nil)
    }

    @Test("Addresses of the other family are refused", arguments: AddressFamily.allCases)
    func wrongFamily(family: AddressFamily) throws {
        let socket = try OpenSocket(family)
        let (mine, other) = (try group(family), try group(family == .ipv4 ? .ipv6 : .ipv4))
        #expect(join(socket, other) == Failure(number: EAFNOSUPPORT, call: "setsockopt(MCAST_JOIN_GROUP)"))
        #expect(leave(socket, other) == Failure(number: EAFNOSUPPORT, call: "setsockopt(MCAST_LEAVE_GROUP)"))
        let call = "setsockopt(MCAST_JOIN_SOURCE_GROUP)"
        #expect(join(socket, mine, other) == Failure(number: EAFNOSUPPORT, call: call))
        #expect(join(socket, other, mine) == Failure(number: EAFNOSUPPORT, call: call))
    }

    @Test("What is no group, and no interface, is refused", arguments: AddressFamily.allCases)
    func wrongArguments(family: AddressFamily) throws {
        let socket = try OpenSocket(family)
        let host: IPAddress = family == .ipv4 ? .v4(.loopback) : .v6(.loopback)
        #expect(join(socket, host) == Failure(number: EINVAL, call: "setsockopt(MCAST_JOIN_GROUP)"))
        let nowhere = InterfaceIndex(rawValue: 999_999)
        let group = try group(family)
        let failed = failure { () throws(UnderlyingError) in
            try socket.options.join(group, interface: nowhere, source: nil)
        }
        #expect(failed == Failure(number: ENODEV, call: "setsockopt(MCAST_JOIN_GROUP)"))
    }

    @Test("The outgoing interface is set and given up")
    func outgoingIPv6() throws {
        let socket = try OpenSocket(.ipv6)
        for interface in [loopback.index, nil] {
            try socket.options.setMulticastInterface(interface)
            let held = socket.value(Int(IPPROTO_IPV6), IPV6_MULTICAST_IF)
            #expect(held.map(UInt32.init(bitPattern:)) == interface?.rawValue ?? 0)
        }
    }

    @Test(
        "The outgoing IPv4 interface, which the kernel does not tell, is the one whose address a socket takes",
        .enabled("needs root and iproute2") { await PrivateHost.isAllowed.value }
    )
    func outgoingIPv4() async throws {
        let group = SocketAddress(try group(.ipv4), port: 5_353)
        let commands = ["lan0", "lan1"].enumerated().flatMap { number, name in
            [
                "link add \(name) type veth peer name \(name)b", "link set \(name) up", "link set \(name)b up",
                "addr add 192.0.2.\(number + 1)/24 dev \(name)",
            ]
        }
        let outcomes = try await PrivateHost.run(commands) {
            try ["lan0", "lan1", "lan0", nil].map { name in
                let socket = try OpenSocket(.ipv4)
                try socket.options.setMulticastInterface(NetworkInterface.index(of: "lan1"))
                try socket.options.setMulticastInterface(name.flatMap(NetworkInterface.index(of:)))
                let number = socket.connect(group)
                guard number == 0 else { return "\(number)" }
                let local = unsafe SocketAddress.reading { _ = unsafe getsockname(socket.number, $0, &$1) }
                return local?.ip.description ?? "none"
            }
        }
        #expect(outcomes == ["192.0.2.1", "192.0.2.2", "192.0.2.1", "\(ENETUNREACH)"])
    }

    @Test("An outgoing interface that is none is refused", arguments: AddressFamily.allCases)
    func noOutgoingInterface(family: AddressFamily) throws {
        let socket = try OpenSocket(family)
        let failed = failure { () throws(UnderlyingError) in
            try socket.options.setMulticastInterface(InterfaceIndex(rawValue: 999_999))
        }
        let expected =
            family == .ipv4
            ? Failure(number: EADDRNOTAVAIL, call: "setsockopt(IP_MULTICAST_IF)")
            : Failure(number: ENODEV, call: "setsockopt(IPV6_MULTICAST_IF)")
        #expect(failed == expected)
    }

    @Test("Hops, loopback, and the groups of others", arguments: AddressFamily.allCases)
    func switches(family: AddressFamily) throws {
        let socket = try OpenSocket(family)
        for hops in [0, 1, 255] as [UInt8] {
            try socket.options.setMulticastHopLimit(hops)
            #expect(socket.value(IP_MULTICAST_TTL, IPV6_MULTICAST_HOPS) == Int32(hops))
        }
        for isOn in [false, true] {
            try socket.options.setMulticastLoopback(isOn)
            #expect(socket.value(IP_MULTICAST_LOOP, IPV6_MULTICAST_LOOP) == (isOn ? 1 : 0))
            try socket.options.setReceivesGroupsOfOthers(isOn)
            let held = socket.value(IP_MULTICAST_ALL, IPV6_MULTICAST_ALL)
            if family == .ipv4 || held != nil { #expect(held == (isOn ? 1 : 0)) }
        }
    }

    // MARK: - Shorthands

    private func group(_ family: AddressFamily) throws -> IPAddress {
        try #require(IPAddress(family == .ipv4 ? "239.1.2.3" : "ff02::4321"))
    }

    private func join(_ socket: borrowing OpenSocket, _ group: IPAddress, _ source: IPAddress? = nil) -> Failure? {
        let options = socket.options
        return failure { () throws(UnderlyingError) in
            try options.join(group, interface: loopback.index, source: source)
        }
    }

    private func leave(_ socket: borrowing OpenSocket, _ group: IPAddress, _ source: IPAddress? = nil) -> Failure? {
        let options = socket.options
        return failure { () throws(UnderlyingError) in
            try options.leave(group, interface: loopback.index, source: source)
        }
    }
}
