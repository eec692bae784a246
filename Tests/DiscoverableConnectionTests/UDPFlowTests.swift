import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Testing

/// A listener on the loopback interface, with its address.
func flowListener(
    _ family: AddressFamily = .ipv4,
    loop: EventLoop = .shared,
    _ configure: (inout UDPListener.Configuration) -> Void = { _ in }
) async throws -> (UDPListener, SocketAddress) {
    var configuration = UDPListener.Configuration()
    configure(&configuration)
    let listener = try await UDPListener.bind(to: .loopback(family), configuration: configuration, loop: loop)
    return (listener, try await listener.localAddresses[0])
}

/// The next new flow.
func next(_ flows: inout EventSequence<UDPFlow>.Iterator) async throws -> UDPFlow {
    let flow = await flows.next()
    return try #require(flow)
}

func send(_ contents: [String], from client: UDPSocket, to address: SocketAddress) async throws {
    for content in contents { try await client.send(bytes(content), to: address) }
}

@Suite("A flow for each peer", .timeLimit(.minutes(1)))
struct UDPFlowTests {
    @Test(
        "Each flow has its own peer's datagrams only, in order; answers go both ways",
        arguments: AddressFamily.allCases
    )
    func twoPeers(family: AddressFamily) async throws {
        let (listener, address) = try await flowListener(family)
        var clients: [SocketAddress: UDPSocket] = [:]
        for _ in 0..<2 {
            let (client, clientAddress) = try await boundSocket(family)
            clients[clientAddress] = client
        }
        for index in 0..<50 {
            for (peer, client) in clients { try await client.send(bytes("\(peer) \(index)"), to: address) }
        }
        var flows = listener.flows.makeAsyncIterator()
        for _ in 0..<2 {
            let flow = try await next(&flows)
            let client = try #require(clients[flow.peer])
            for index in 0..<50 { #expect(try await flow.receive().bytes == bytes("\(flow.peer) \(index)")) }
            try await flow.send(bytes("sent"))
            try flow.enqueue(bytes("enqueued"))
            #expect(try await client.receive().bytes == bytes("sent"))
            let answer = try await client.receive()
            #expect(answer.bytes == bytes("enqueued") && answer.source == address)
            #expect(flow.droppedDatagrams == 0)
        }
        #expect(await listener.refusedDatagrams == 0)
    }

    @Test("Both families on one port")
    func bothFamilies() async throws {
        let listener = try await UDPListener.bind(port: 0)
        let addresses = try await listener.localAddresses
        #expect(Set(addresses.map(\.port)).count == 1 && addresses.map(\.family) == [.ipv4, .ipv6])
        var flows = listener.flows.makeAsyncIterator()
        for family in AddressFamily.allCases {
            let (client, clientAddress) = try await boundSocket(family)
            try await client.send(bytes("hello"), to: .loopback(family, port: addresses[0].port))
            let flow = try await next(&flows)
            #expect(flow.peer == clientAddress)
            #expect(try await flow.receive().bytes == bytes("hello"))
            try await flow.send(bytes("welcome"))
            #expect(try await client.receive().bytes == bytes("welcome"))
        }
    }

    @Test("An answer leaves from the address that was asked")
    func replyAddress() async throws {
        let listener = try await UDPListener.bind(port: 0, families: [.ipv4])
        let port = try await listener.localAddresses[0].port
        let (client, _) = try await boundSocket(.ipv4)
        var flows = listener.flows.makeAsyncIterator()
        let second = SocketAddress(.v4(IPv4Address(127, 0, 0, 2)), port: port)
        try await client.send(bytes("?"), to: second)
        let flow = try await next(&flows)
        _ = try await flow.receive()
        try await flow.send(bytes("!"))
        #expect(try await client.receive().source == second)
        // The peer is the same one when it asks another address.
        try await client.send(bytes("?"), to: .loopback(.ipv4, port: port))
        _ = try await flow.receive()
        try flow.enqueue(bytes("!"))
        #expect(try await client.receive().source == .loopback(.ipv4, port: port))
    }

    @Test("A flow that nobody reads keeps its oldest datagrams, counts the others, and holds up nobody")
    func unread() async throws {
        let (listener, address) = try await flowListener { $0.queueLimit = 3 }
        let (silent, _) = try await boundSocket(.ipv4)
        let (lively, _) = try await boundSocket(.ipv4)
        try await send((0..<10).map { "\($0)" }, from: silent, to: address)
        var flows = listener.flows.makeAsyncIterator()
        let unread = try await next(&flows)
        try await send(["hello"], from: lively, to: address)
        let read = try await next(&flows)
        for index in 0..<100 {
            #expect(try await read.receive().bytes == (index == 0 ? bytes("hello") : [UInt8(index)]))
            try await lively.send([UInt8(index + 1)], to: address)
        }
        #expect(unread.droppedDatagrams == 7)
        for index in 0..<3 { #expect(try await unread.receive().bytes == bytes("\(index)")) }
        try await send(["again"], from: silent, to: address)
        #expect(try await unread.receive().bytes == bytes("again"))
        #expect(read.droppedDatagrams == 0)
    }

    @Test("Empty datagrams are received, in order")
    func empty() async throws {
        let (listener, address) = try await flowListener()
        let (client, _) = try await boundSocket(.ipv4)
        try await send(["", "a", ""], from: client, to: address)
        let flow = try #require(try await first(of: listener.flows))
        for content in ["", "a", ""] { #expect(try await flow.receive().bytes == bytes(content)) }
        try await flow.send([])
        #expect(try await client.receive().bytes.isEmpty)
    }

    @Test("Cancelling a receive, or a loop, loses no datagram")
    func cancel() async throws {
        let (listener, address) = try await flowListener()
        let (client, _) = try await boundSocket(.ipv4)
        try await send(["first"], from: client, to: address)
        let flow = try #require(try await first(of: listener.flows))
        #expect(try await flow.receive().bytes == bytes("first"))
        for index in 0..<UInt8(200) {
            let task = Task { try await flow.receive() }
            try await client.send([index], to: address)
            task.cancel()
            if let datagram = try? await task.value {
                #expect(datagram.bytes == [index])
            } else {
                #expect(try await flow.receive().bytes == [index])
            }
        }
        let loop = Task { for await _ in flow.datagrams {} }
        loop.cancel()
        await loop.value
        try await send(["last"], from: client, to: address)
        #expect(try await first(of: flow.datagrams)?.bytes == bytes("last"))
    }

    @Test("What the network reports goes to the flow of its peer")
    func errors() async throws {
        let (listener, address) = try await flowListener()
        let (gone, goneAddress) = try await boundSocket(.ipv4)
        let (there, _) = try await boundSocket(.ipv4)
        var flows = listener.flows.makeAsyncIterator()
        try await send(["hello"], from: gone, to: address)
        let lost = try await next(&flows)
        try await send(["hello"], from: there, to: address)
        let kept = try await next(&flows)
        await gone.close()
        try await lost.send(bytes("to nobody"))
        let failure = try #require(try await first(of: lost.errors))
        #expect(failure.peer == goneAddress && failure.error.code == .refused)
        // It ended nothing.
        try await kept.send(bytes("to somebody"))
        #expect(try await there.receive().bytes == bytes("to somebody"))
        #expect(try await lost.receive().bytes == bytes("hello"))
        await kept.close()
        #expect(try await first(of: kept.errors) == nil)
    }

    @Test("What is reported about a peer without a flow is the listener's to tell")
    func errorsWithoutFlow() async throws {
        let (listener, _) = try await flowListener()
        let nobody = try await closedPort(.ipv4)
        try await listener.socket.send(bytes("to nobody"), to: nobody)
        #expect(try await first(of: listener.errors)?.peer == nobody)
    }

    @Test("1,000 peers have 1,000 flows")
    func manyPeers() async throws {
        let (listener, address) = try await flowListener { $0.backlog = 1_000 }
        let echo = Task {
            var flows: [SocketAddress: UDPFlow] = [:]
            for await flow in listener.flows {
                flows[flow.peer] = flow
                guard let datagram = try? await flow.receive() else { continue }
                try? await flow.send(datagram.bytes)
                if flows.count == 1_000 { break }
            }
            return flows
        }
        var clients: [UDPSocket] = []
        // Not more at a time than the kernel has room for.
        for round in 0..<10 {
            for index in round * 100..<round * 100 + 100 {
                clients.append(try await boundSocket(.ipv4).0)
                try await clients[index].send(bytes("\(index)"), to: address)
            }
            for index in round * 100..<round * 100 + 100 {
                #expect(try await clients[index].receive().bytes == bytes("\(index)"))
            }
        }
        let flows = await echo.value
        #expect(flows.count == 1_000)
        #expect(await listener.flowCount == 1_000)
        #expect(await listener.refusedDatagrams == 0)
    }
}
