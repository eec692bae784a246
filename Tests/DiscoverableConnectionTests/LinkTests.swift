import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Testing

@Suite("Ways to other hosts", .timeLimit(.minutes(1)), .needsNamespaces)
struct LinkTests {
    @Test(
        "7: too large for the link is refused alone, where fragments are forbidden",
        arguments: AddressFamily.allCases
    )
    func linkSize(family: AddressFamily) async throws {
        let hosts = try await TwoHosts()
        let address = try SocketAddress(family == .ipv4 ? "192.0.2.2" : "fd00::2", 7)
        let server = try await hosts.second.socket(family, at: address)
        let client = try await hosts.first.socket(family)
        let largest = family == .ipv4 ? 1472 : 1452
        #expect(await socketErrorCode { _ = try await client.pathMTU } == .notConnected)
        try await client.connect(to: address)
        #expect(try await client.pathMTU == 1500)
        for fragmentation in Fragmentation.allCases {
            try await client.setFragmentation(fragmentation)
            let isWhole = fragmentation == .forbidden || fragmentation == .probe
            let content = Array(repeating: 1 as UInt8, count: largest + 1)
            let code = await socketErrorCode { try await client.send(content) }
            #expect(code == (isWhole ? .tooLarge : nil), "\(fragmentation)")
            let many = [largest, largest + 1, 1].map { OutgoingDatagram(bytes: Array(repeating: 1, count: $0)) }
            #expect(await client.send(many).map { $0?.code } == [nil, isWhole ? .tooLarge : nil, nil])
            try await client.send([2])
            let lengths = isWhole ? [largest, 1, 1] : [largest + 1, largest, largest + 1, 1, 1]
            for length in lengths { #expect(try await server.receive().length == length) }
        }
    }

    @Test("The path's MTU is learnt from a router, by an event that names the peer", arguments: AddressFamily.allCases)
    func pathSize(family: AddressFamily) async throws {
        let hosts = try await TwoHosts()
        let (router, address) =
            family == .ipv4
            ? ("192.0.2.2", try SocketAddress("203.0.113.1", 9)) : ("fd00::2", try SocketAddress("fd01::1", 9))
        // The router's second link is narrow, and nobody lives on it.
        try await hosts.second.ip("link set lan1 mtu 1400", "addr add 203.0.113.9/24 dev lan1")
        try await hosts.second.ip("addr add fd01::9/64 dev lan1 nodad")
        try await hosts.second.set("net.ipv4.ip_forward", 1)
        try await hosts.second.set("net.ipv6.conf.all.forwarding", 1)
        try await hosts.first.ip("route add \(address.ip)/\(family == .ipv4 ? 32 : 128) via \(router)")
        let client = try await hosts.first.socket(family)
        try await client.setFragmentation(.forbidden)
        try await client.connect(to: address)
        #expect(try await client.pathMTU == 1500)
        async let event = first(of: client.errors)
        let content = Array(repeating: 1 as UInt8, count: 1430)
        try await client.send(content)
        let failure = try #require(try await event)
        #expect(failure.error.code == .tooLarge && failure.pathMTU == 1400 && failure.peer == address)
        #expect(failure.origin == .network(reporter: IPAddress(router)))
        #expect(try await client.pathMTU == 1400)
        #expect(await socketErrorCode { try await client.send(content) } == .tooLarge)
        try await client.send([1])
    }

    @Test("15: without a route only the datagram fails, with its reason", arguments: AddressFamily.allCases)
    func noRoute(family: AddressFamily) async throws {
        let host = try await NetworkHost()
        let nowhere = try SocketAddress(family == .ipv4 ? "203.0.113.1" : "2001:db8::1", 9)
        let server = try await host.socket(family, at: .loopback(family))
        let address = try await server.localAddress
        let client = try await host.socketOfBothFamilies()
        #expect(await socketErrorCode { try await client.send([1], to: nowhere) } == .unreachable)
        let datagrams = [address, nowhere, address].map { OutgoingDatagram(bytes: [2], to: $0) }
        #expect(await client.send(datagrams).map { $0?.code } == [nil, .unreachable, nil])
        #expect(await socketErrorCode { try await client.connect(to: nowhere) } == .unreachable)
        try await client.send([3], to: address)
        for byte in [2, 2, 3] as [UInt8] { #expect(try await server.receive().bytes == [byte]) }
    }

    @Test("15: IPv4 through an IPv6 socket is refused, however it is written")
    func mapped() async throws {
        let (server, address) = try await boundSocket(.ipv6)
        let client = try UDPSocket(family: .ipv6)
        #expect(await socketErrorCode { try await client.send([1], to: .loopback(.ipv4, port: 9)) } == .wrongFamily)
        let mapped = try SocketAddress("::ffff:127.0.0.1", address.port)
        #expect(await socketErrorCode { try await client.send([1], to: mapped) } == .unreachable)
        try await client.send([2], to: address)
        #expect(try await server.receive().bytes == [2])
    }

    @Test("An unreachable host is an event that names the peer, and who says so", arguments: AddressFamily.allCases)
    func unreachableHost(family: AddressFamily) async throws {
        let hosts = try await TwoHosts()
        let (router, network, nobody) =
            family == .ipv4
            ? ("192.0.2.2", "203.0.113.0/24", try SocketAddress("203.0.113.1", 9))
            : ("fd00::2", "fd01::/64", try SocketAddress("fd01::1", 9))
        try await hosts.first.ip("route add \(network) via \(router)")
        try await hosts.second.ip("route add unreachable \(network)")
        try await hosts.second.set("net.ipv4.ip_forward", 1)
        try await hosts.second.set("net.ipv6.conf.all.forwarding", 1)
        let address = try SocketAddress(router, 7)
        let server = try await hosts.second.socket(family, at: address)
        let client = try await hosts.first.socket(family)
        async let event = first(of: client.errors)
        try await client.send([1], to: nobody)
        try await client.send([2], to: address)
        let failure = try #require(try await event)
        #expect(failure.error.code == .unreachable && failure.peer == nobody && failure.datagrams == 1)
        #expect(failure.origin == .network(reporter: IPAddress(router)))
        #expect(try await server.receive().bytes == [2])
    }

    @Test("A host that is not on the link is an event too")
    func absentHost() async throws {
        let hosts = try await TwoHosts()
        // The kernel asks once more after a tenth of a second instead of three times after one.
        try await hosts.first.ip("ntable change name arp_cache dev lan0 mcast_probes 1 retrans 100")
        let client = try await hosts.first.socket()
        let nobody = try SocketAddress("192.0.2.77", 9)
        async let event = first(of: client.errors)
        try await client.send([1], to: nobody)
        let failure = try #require(try await event)
        #expect(failure.error.code == .unreachable && failure.peer == nobody)
        try await client.send([2], to: nobody)
    }

    @Test("16: one link-local address on two links means two hosts")
    func linkLocal() async throws {
        let hosts = try await TwoHosts()
        let servers = try await ["lan0", "lan1"].asyncMap { name in
            try await hosts.second.socket(.ipv6, at: try await hosts.second.address("[fe80::2%\(name)]:7"))
        }
        var metadata = UDPSocket.Options()
        metadata.metadata = .destination
        let client = try await hosts.first.socket(.ipv6, options: metadata)
        for (name, server) in zip(["lan0", "lan1"], servers) {
            let scope = try await hosts.first.interface(name)
            let address = try await hosts.first.address("[fe80::2%\(name)]:7")
            #expect(address.scope == scope)
            #expect(await hosts.first.onLoop { address.endpointText } == "[fe80::2%\(name)]:7")
            try await client.send(bytes(name), to: address)
            let question = try await server.receive()
            #expect(question.bytes == bytes(name) && question.source.ip == IPAddress("fe80::1"))
            #expect(question.source.scope == (try await hosts.second.interface(name)))
            try await server.send(bytes("answer"), to: question.source)
            let answer = try await client.receive()
            #expect(answer.source == address && answer.interface == scope)
            // Connected by a name that the resolver reads, with the scope as a number.
            let other = try await hosts.first.socket(.ipv6)
            try await other.connect(host: "fe80::2%\(scope.rawValue)", port: 7)
            #expect(other.peerAddress == address)
            try await other.send(bytes("connected"))
            #expect(try await server.receive().bytes == bytes("connected"))
        }
        try await client.send(bytes("on"), to: try await hosts.first.address("[fe80::2%lan1]:7"))
        #expect(try await servers[1].receive().bytes == bytes("on"))
    }

    @Test("16: a refused port of a link-local peer is reported with the link")
    func linkLocalRefused() async throws {
        let hosts = try await TwoHosts()
        let client = try await hosts.first.socket(.ipv6)
        var failures = client.errors.makeAsyncIterator()
        for name in ["lan1", "lan0"] {
            let address = try await hosts.first.address("[fe80::2%\(name)]:9")
            try await client.send([1], to: address)
            let failure = await failures.next()
            #expect(failure?.peer == address && failure?.error.code == .refused)
        }
    }

    @Test("Bound to an interface, and still so after disconnecting, a socket hears that interface only")
    func boundInterface() async throws {
        let hosts = try await TwoHosts()
        let server = try await hosts.second.socketOfBothFamilies()
        try await server.bind(port: 7, interface: "lan0")
        let client = try await hosts.first.socket()
        let (near, far) = (try SocketAddress("192.0.2.2", 7), try SocketAddress("198.51.100.2", 7))
        for round in 0..<2 as Range<UInt8> {
            try await client.send([round, 1], to: far)
            try await client.send([round, 0], to: near)
            #expect(try await server.receive().bytes == [round, 0])
            try await server.connect(to: try SocketAddress("192.0.2.1", 9))
            try await server.disconnect()
        }
        let local = try await hosts.second.socket(.ipv6)
        try await local.bind(to: try await hosts.second.address("[fe80::2%lan1]:0"))
        let address = try await local.localAddress
        try await local.connect(to: try await hosts.second.address("[fe80::1%lan1]:9"))
        try await local.disconnect()
        #expect(try await local.localAddress == address && address.scope != nil)
    }
}

extension Sequence {
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
