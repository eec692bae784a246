import DiscoverableCore
import Glibc
import Testing

@testable import DiscoverableRuntime

@Suite("Options of a UDP socket, read back from the kernel")
struct DatagramOptionsTests {
    @Test("IPv6 can be kept apart from IPv4")
    func ipv6Only() throws {
        let socket = try OpenSocket(.ipv6)
        try socket.options.setIPv6Only()
        #expect(socket.value(Int(IPPROTO_IPV6), IPV6_V6ONLY) == 1)
        try OpenSocket(.ipv4).options.setIPv6Only()
    }

    @Test("Reuse of a port is one of three modes", arguments: AddressFamily.allCases, PortReuse.allCases)
    func portReuse(family: AddressFamily, reuse: PortReuse) throws {
        let socket = try OpenSocket(family)
        for earlier in PortReuse.allCases { try socket.options.setPortReuse(earlier) }
        try socket.options.setPortReuse(reuse)
        #expect(socket.value(Int(SOL_SOCKET), SO_REUSEADDR) == (reuse == .steal ? 1 : 0))
        #expect(socket.value(Int(SOL_SOCKET), SO_REUSEPORT) == (reuse == .balance ? 1 : 0))
    }

    @Test("A socket shares its port only with one of its own mode", arguments: PortReuse.allCases, PortReuse.allCases)
    func sharing(first: PortReuse, second: PortReuse) throws {
        let one = try OpenSocket(.ipv4)
        let other = try OpenSocket(.ipv4)
        try one.options.setPortReuse(first)
        try other.options.setPortReuse(second)
        #expect(one.bind(SocketAddress(.v4(.loopback), port: 0)) == 0)
        let address = unsafe SocketAddress.reading { _ = unsafe getsockname(one.number, $0, &$1) }
        let isShared = first == second && first != .exclusive
        #expect(other.bind(try #require(address)) == (isShared ? 0 : EADDRINUSE))
    }

    @Test("Room is what the kernel says it is", arguments: AddressFamily.allCases)
    func buffers(family: AddressFamily) throws {
        let socket = try OpenSocket(family)
        try socket.options.setSendBufferSize(20_000)
        try socket.options.setReceiveBufferSize(30_000)
        #expect(try socket.options.sendBufferSize() == 40_000)
        #expect(try socket.options.receiveBufferSize() == 60_000)
        #expect(socket.value(Int(SOL_SOCKET), SO_SNDBUF) == 40_000)
        #expect(socket.value(Int(SOL_SOCKET), SO_RCVBUF) == 60_000)
        // Beyond all bounds: the kernel gives its most, or its least.
        try socket.options.setReceiveBufferSize(.max)
        #expect(try socket.options.receiveBufferSize() > 60_000)
        try socket.options.setReceiveBufferSize(-1)
        #expect(try (1..<60_000).contains(socket.options.receiveBufferSize()))
    }

    @Test("Broadcasts, hops and traffic class", arguments: AddressFamily.allCases)
    func header(family: AddressFamily) throws {
        let socket = try OpenSocket(family)
        for isAllowed in [true, false] {
            try socket.options.setBroadcast(isAllowed)
            #expect(socket.value(Int(SOL_SOCKET), SO_BROADCAST) == (isAllowed ? 1 : 0))
        }
        for hops in [1, 64, 255] as [UInt8] {
            try socket.options.setHopLimit(hops)
            #expect(socket.value(IP_TTL, IPV6_UNICAST_HOPS) == Int32(hops))
        }
        for byte in [0, 0xb8, 0x02, 0xff] as [UInt8] {
            try socket.options.setTrafficClass(TrafficClass(rawValue: byte))
            #expect(socket.value(IP_TOS, IPV6_TCLASS) == Int32(byte))
        }
    }

    @Test("Fragmentation", arguments: AddressFamily.allCases, Fragmentation.allCases)
    func fragmentation(family: AddressFamily, fragmentation: Fragmentation) throws {
        let socket = try OpenSocket(family)
        for earlier in Fragmentation.allCases { try socket.options.setFragmentation(earlier) }
        try socket.options.setFragmentation(fragmentation)
        let numbers: [Fragmentation: Int32] = [.allowed: 0, .system: 1, .forbidden: 2, .probe: 3]
        #expect(socket.value(IP_MTU_DISCOVER, IPV6_MTU_DISCOVER) == numbers[fragmentation])
        if family == .ipv6 {
            let isWhole = fragmentation == .forbidden || fragmentation == .probe
            #expect(socket.value(Int(IPPROTO_IPV6), IPV6_DONTFRAG) == (isWhole ? 1 : 0))
        }
    }

    @Test("The path has an MTU once there is a peer", arguments: AddressFamily.allCases)
    func pathMTU(family: AddressFamily) throws {
        let socket = try OpenSocket(family)
        let call = family == .ipv4 ? "getsockopt(IP_MTU)" : "getsockopt(IPV6_MTU)"
        #expect(
            failure { () throws(UnderlyingError) in _ = try socket.options.pathMTU() }
                == Failure(number: ENOTCONN, call: call)
        )
        #expect(socket.connect(SocketAddress(family == .ipv4 ? .v4(.loopback) : .v6(.loopback), port: 9)) == 0)
        let loopback = try #require(try NetworkInterface.all().first(where: \.isLoopback))
        // No IPv4 packet is larger than its length field can say, whatever the interface takes.
        #expect(try socket.options.pathMTU() == (family == .ipv4 ? min(loopback.mtu, 65_535) : loopback.mtu))
    }

    @Test("A socket is confined to an interface and set free again", arguments: AddressFamily.allCases)
    func interface(family: AddressFamily) throws {
        let socket = try OpenSocket(family)
        let loopback = try #require(try NetworkInterface.all().first(where: \.isLoopback))
        let boundIndex: Int32 = 62  // SO_BINDTOIFINDEX, which Swift's Glibc lacks.
        try socket.options.setInterface(loopback.name)
        #expect(socket.value(Int(SOL_SOCKET), boundIndex) == Int32(loopback.index.rawValue))
        guard geteuid() == 0 else { return }
        try socket.options.setInterface(nil)
        #expect(socket.value(Int(SOL_SOCKET), boundIndex) == 0)
    }

    @Test(
        "A text that is no interface's name confines to none",
        arguments: ["", "no-such-if", "lo\0", "lo:1", "a-name-longer-than-the-kernel-takes"]
    )
    func noInterface(name: String) throws {
        let socket = try OpenSocket(.ipv4)
        let expected = Failure(number: ENODEV, call: "setsockopt(SO_BINDTODEVICE)")
        #expect(failure { () throws(UnderlyingError) in try socket.options.setInterface(name) } == expected)
        #expect(NetworkInterface.index(of: name) == nil)
    }

    @Test("Metadata is switched on, and nothing else", arguments: AddressFamily.allCases, 0...15 as ClosedRange<UInt8>)
    func metadata(family: AddressFamily, bits: UInt8) throws {
        let socket = try OpenSocket(family)
        let metadata = ReceiveMetadata(rawValue: bits)
        try socket.options.addReceiveMetadata(metadata)
        #expect(socket.value(IP_PKTINFO, IPV6_RECVPKTINFO) == (metadata.contains(.destination) ? 1 : 0))
        #expect(socket.value(IP_RECVTOS, IPV6_RECVTCLASS) == (metadata.contains(.trafficClass) ? 1 : 0))
        #expect(socket.value(Int(SOL_SOCKET), SO_RXQ_OVFL) == (metadata.contains(.drops) ? 1 : 0))
        #expect(socket.value(Int(SOL_SOCKET), SO_TIMESTAMPNS) == (metadata.contains(.timestamp) ? 1 : 0))
    }

    @Test("The error queue and the offloads", arguments: AddressFamily.allCases)
    func queueAndOffloads(family: AddressFamily) throws {
        let socket = try OpenSocket(family)
        let (udp, receiveOffload) = (17, Int32(104))  // SOL_UDP and UDP_GRO, which Swift's Glibc lacks.
        for isOn in [true, false] {
            try socket.options.setErrorQueue(isOn)
            #expect(socket.value(IP_RECVERR, IPV6_RECVERR) == (isOn ? 1 : 0))
            let isKnown = try socket.options.setReceiveOffload(isOn)
            #expect(isKnown == (socket.value(udp, receiveOffload) != nil))
            if isKnown { #expect(socket.value(udp, receiveOffload) == (isOn ? 1 : 0)) }
        }
        #expect(socket.options.canSegment == (socket.value(udp, 103) != nil))
    }

    @Test("An error is the kernel's, with the option's name", arguments: AddressFamily.allCases)
    func errors(family: AddressFamily) throws {
        let closed = DatagramOptions(descriptor: -1, family: family)
        let name = family == .ipv4 ? "setsockopt(IP_TTL)" : "setsockopt(IPV6_UNICAST_HOPS)"
        #expect(
            failure { () throws(UnderlyingError) in try closed.setHopLimit(1) } == Failure(number: EBADF, call: name)
        )
        let offload = Failure(number: EBADF, call: "setsockopt(UDP_GRO)")
        #expect(failure { () throws(UnderlyingError) in _ = try closed.setReceiveOffload(true) } == offload)
        let hops = Failure(number: EINVAL, call: "setsockopt(IP_TTL)")
        let socket = try OpenSocket(.ipv4)
        #expect(failure { () throws(UnderlyingError) in try socket.options.setHopLimit(0) } == hops)
    }
}
