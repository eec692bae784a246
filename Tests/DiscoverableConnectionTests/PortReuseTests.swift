import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Testing

@Suite("Sharing a port", .timeLimit(.minutes(1)))
struct PortReuseTests {
    private func socket(_ family: AddressFamily, _ reuse: PortReuse) throws -> UDPSocket {
        var options = UDPSocket.Options()
        options.reuse = reuse
        return try UDPSocket(family: family, options: options)
    }

    /// Sends from a hundred ports, each of which says its number.
    private func sendFromMany(to address: SocketAddress) async throws {
        for index in 0..<100 as Range<UInt8> {
            try await UDPSocket(family: address.family).send([index], to: address)
        }
    }

    @Test("21: an exclusive port is refused to others", arguments: PortReuse.allCases)
    func exclusive(other: PortReuse) async throws {
        let first = try socket(.ipv4, .exclusive)
        try await first.bind(to: .loopback(.ipv4))
        let address = try await first.localAddress
        let second = try socket(.ipv4, other)
        #expect(await socketErrorCode { try await second.bind(to: address) } == .addressInUse)
    }

    @Test("21: the last one bound takes everything, and gives it back", arguments: AddressFamily.allCases)
    func steal(family: AddressFamily) async throws {
        let first = try socket(family, .steal)
        try await first.bind(to: .loopback(family))
        let address = try await first.localAddress
        let second = try socket(family, .steal)
        try await second.bind(to: address)
        try await sendFromMany(to: address)
        for index in 0..<100 as Range<UInt8> { #expect(try await second.receive().bytes == [index]) }
        await second.close()
        let client = try UDPSocket(family: family)
        try await client.send([200], to: address)
        #expect(try await first.receive().bytes == [200])
    }

    @Test("21: peers are divided among those who share, each always to the same one", arguments: AddressFamily.allCases)
    func balance(family: AddressFamily) async throws {
        let first = try socket(family, .balance)
        try await first.bind(to: .loopback(family))
        let address = try await first.localAddress
        let second = try socket(family, .balance)
        try await second.bind(to: address)
        let received = Locked<[Set<UInt8>]>([[], []])
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        for (index, socket) in [first, second].enumerated() {
            await socket.onReceive { _, batch in
                for datagram in batch {
                    received.withLock { _ = $0[index].insert(datagram.bytes[0]) }
                    arrived.yield()
                }
            }
        }
        var iterator = arrivals.makeAsyncIterator()
        let clients = try (0..<100).map { _ in try UDPSocket(family: family) }
        for _ in 0..<2 {
            for (index, client) in clients.enumerated() { try await client.send([UInt8(index)], to: address) }
            for _ in clients { await iterator.next() }
        }
        let shares = received.withLock { $0 }
        #expect(shares[0].union(shares[1]).count == 100 && shares[0].isDisjoint(with: shares[1]))
        #expect(shares.allSatisfy { $0.count > 20 }, "\(shares.map(\.count))")
    }

    @Test("21: a connected one of those who share gets its peer's datagrams, all of them and no others")
    func connected() async throws {
        let others = try socket(.ipv4, .balance)
        try await others.bind(to: .loopback(.ipv4))
        let address = try await others.localAddress
        let flow = try socket(.ipv4, .balance)
        try await flow.bind(to: address)
        let (peer, peerAddress) = try await boundSocket(.ipv4)
        try await flow.connect(to: peerAddress)
        try await sendFromMany(to: address)
        for index in 0..<100 as Range<UInt8> {
            try await peer.send([index], to: address)
            let datagram = try await flow.receive()
            #expect(datagram.bytes == [index] && datagram.source == peerAddress)
        }
        for index in 0..<100 as Range<UInt8> {
            let datagram = try await others.receive()
            #expect(datagram.bytes == [index] && datagram.source != peerAddress)
        }
    }
}
