import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Testing

@Suite("Ports and peers", .timeLimit(.minutes(1)))
struct UDPSocketBindingTests {
    @Test("Both families get one port, many sockets at once, each its own")
    func bothFamilies() async throws {
        let loops = try (0..<4).map { _ in try EventLoop() }
        let sockets = try await withThrowingTaskGroup(of: UDPSocket.self) { group in
            for index in 0..<200 {
                group.addTask {
                    let socket = try UDPSocket(loop: loops[index % 4])
                    try await socket.bind(port: 0)
                    return socket
                }
            }
            return try await group.reduce(into: [UDPSocket]()) { $0.append($1) }
        }
        var ports = Set<UInt16>()
        for socket in sockets {
            let addresses = try await socket.localAddresses
            #expect(addresses.map(\.family) == [.ipv4, .ipv6] && addresses[0].port == addresses[1].port)
            #expect(addresses[0].port != 0)
            ports.insert(addresses[0].port)
            for port in [0, addresses[0].port] {
                #expect(await socketErrorCode { try await socket.bind(port: port) } == .alreadyBound)
            }
        }
        #expect(ports.count == 200)
    }

    @Test("A socket of both families talks in both, and connects in one")
    func talk() async throws {
        let server = try UDPSocket()
        try await server.bind(port: 0)
        let port = try await server.localAddress.port
        let client = try UDPSocket()
        for family in AddressFamily.allCases {
            try await client.send(bytes("\(family)"), to: .loopback(family, port: port))
            let datagram = try await server.receive()
            #expect(datagram.bytes == bytes("\(family)") && datagram.source.family == family)
            try await server.reply(bytes("answer"), to: datagram)
            #expect(try await client.receive().source == .loopback(family, port: port))
        }
        try await client.connect(to: .loopback(.ipv6, port: port))
        #expect(client.peerAddress == .loopback(.ipv6, port: port))
        try await client.send(bytes("connected"))
        #expect(try await server.receive().source.family == .ipv6)
        #expect(
            await socketErrorCode { try await client.send([1], to: .loopback(.ipv4, port: port)) } == .alreadyConnected
        )
    }

    @Test("A port that is taken in one family is refused, and the other family's is given back")
    func halfTaken() async throws {
        let taken = try UDPSocket(family: .ipv6)
        // Not a port of the kernel's choice, which in IPv4 may be another test's.
        let port = try await closedPort(.ipv4).port
        try await taken.bind(port: port)
        let socket = try UDPSocket()
        #expect(await socketErrorCode { try await socket.bind(port: port) } == .addressInUse)
        let other = try UDPSocket(family: .ipv4)
        try await other.bind(port: port)
        try await socket.bind(port: 0)
        #expect(try await socket.localAddress.port != port)
    }

    @Test("Disconnecting keeps the address and the port, and lets everybody in", arguments: AddressFamily.allCases)
    func disconnect(family: AddressFamily) async throws {
        let (peer, peerAddress) = try await boundSocket(family)
        let (stranger, _) = try await boundSocket(family)
        for isBound in [true, false] {
            let socket = try UDPSocket(family: family)
            if isBound { try await socket.bind(to: .loopback(family)) }
            try await socket.connect(to: peerAddress)
            let port = try await socket.localAddress.port
            #expect(port != 0)
            try await socket.send(bytes("connected"))
            #expect(try await peer.receive().source.port == port)
            try await socket.disconnect()
            try await socket.disconnect()
            let address = try await socket.localAddress
            #expect(address.port == port && socket.peerAddress == nil)
            // Bound to one address it must not begin to listen on others.
            if isBound { #expect(address == .loopback(family, port: port)) }
            #expect(await socketErrorCode { try await socket.send([1]) } == .notConnected)
            try await stranger.send(bytes("stranger"), to: .loopback(family, port: port))
            #expect(try await socket.receive().bytes == bytes("stranger"))
            try await socket.send(bytes("again"), to: peerAddress)
            #expect(try await peer.receive().source == .loopback(family, port: port))
        }
    }

    @Test("A socket is connected again, to another peer", arguments: AddressFamily.allCases)
    func reconnect(family: AddressFamily) async throws {
        let (one, first) = try await boundSocket(family)
        let (two, second) = try await boundSocket(family)
        let client = try UDPSocket(family: family)
        try await client.connect(to: first)
        try await client.send(bytes("1"))
        #expect(try await one.receive().bytes == bytes("1"))
        try await client.connect(to: second)
        #expect(client.peerAddress == second)
        try await client.send(bytes("2"))
        #expect(try await two.receive().bytes == bytes("2"))
        #expect(await socketErrorCode { try await client.send([1], to: first) } == .alreadyConnected)
    }

    @Test("A connected socket sends to nobody else, singly or among many, and does not redirect")
    func otherAddress() async throws {
        let (server, address) = try await boundSocket(.ipv4)
        let (_, other) = try await boundSocket(.ipv4)
        let client = try UDPSocket(family: .ipv4)
        try await client.connect(to: address)
        #expect(await socketErrorCode { try await client.send([1], to: other) } == .alreadyConnected)
        #expect(await socketErrorCode { try client.enqueue([1], to: other) } == .alreadyConnected)
        let datagrams = [address, other, nil].map { OutgoingDatagram(bytes: [2], to: $0) }
        #expect(await client.send(datagrams).map { $0?.code } == [nil, .alreadyConnected, nil])
        try await client.send([3])
        for byte in [2, 2, 3] as [UInt8] { #expect(try await server.receive().bytes == [byte]) }
    }

    @Test("A host is looked up, and connected to at an address of the socket's family")
    func host() async throws {
        let (server, address) = try await boundSocket(.ipv4)
        let client = try UDPSocket(family: .ipv4)
        try await client.connect(host: "localhost", port: address.port)
        #expect(client.peerAddress == address)
        try await client.send(bytes("hello"))
        #expect(try await server.receive().bytes == bytes("hello"))
        let both = try UDPSocket()
        try await both.connect(host: "127.0.0.1", port: address.port)
        #expect(both.peerAddress == address)
        #expect(await socketErrorCode { try await client.connect(host: "::1", port: 9) } == .wrongFamily)
        #expect(await socketErrorCode { try await client.connect(host: "no such host", port: 9) } == .nameNotFound)
        await both.close()
        #expect(await socketErrorCode { try await both.connect(host: "127.0.0.1", port: 9) } == .closed)
    }

    @Test("12: the port can be bound again as soon as a waiter hears of the closing")
    func rebindInClosing() async throws {
        var (socket, address) = try await boundSocket(.ipv4)
        let late = Locked(0)
        for _ in 0..<20 {
            let (old, port) = (socket, address)
            let waiter = Task {
                for await _ in old.datagrams {}
                let next = try UDPSocket(family: .ipv4)
                if try await bindSoon(next, to: port) { late.withLock { $0 += 1 } }
                return next
            }
            await old.close()
            socket = try await waiter.value
        }
        #expect(late.withLock { $0 } < 10)
    }
}
