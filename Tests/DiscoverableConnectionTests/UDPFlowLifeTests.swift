import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Testing

@Suite("How flows begin and end", .timeLimit(.minutes(1)))
struct UDPFlowLifeTests {
    @Test("Peers beyond the most flows are refused and counted, and admitted when there is room")
    func maximumFlows() async throws {
        let (listener, address) = try await flowListener { $0.maximumFlows = 1 }
        let (admitted, _) = try await boundSocket(.ipv4)
        let (refused, refusedAddress) = try await boundSocket(.ipv4)
        var flows = listener.flows.makeAsyncIterator()
        try await send(["a"], from: admitted, to: address)
        let flow = try await next(&flows)
        try await send(["lost", "lost"], from: refused, to: address)
        try await send(["b"], from: admitted, to: address)
        #expect(try await flow.receive().bytes == bytes("a"))
        #expect(try await flow.receive().bytes == bytes("b"))
        #expect(await listener.refusedDatagrams == 2)
        await flow.close()
        try await send(["c"], from: refused, to: address)
        let second = try await next(&flows)
        #expect(second.peer == refusedAddress)
        #expect(try await second.receive().bytes == bytes("c"))
    }

    @Test("Peers beyond the backlog are refused and counted, until somebody takes flows")
    func backlog() async throws {
        let (listener, address) = try await flowListener { $0.backlog = 2 }
        let (sentinel, _) = try await boundSocket(.ipv4)
        var flows = listener.flows.makeAsyncIterator()
        try await send(["a"], from: sentinel, to: address)
        let known = try await next(&flows)
        var clients: [UDPSocket] = []
        for _ in 0..<5 {
            let (client, _) = try await boundSocket(.ipv4)
            clients.append(client)
            try await send(["hello"], from: client, to: address)
        }
        try await send(["b"], from: sentinel, to: address)
        for content in ["a", "b"] { #expect(try await known.receive().bytes == bytes(content)) }
        #expect(await listener.refusedDatagrams == 3)
        #expect(await listener.flowCount == 3)
        var kept: [UDPFlow] = []
        for _ in 0..<2 { kept.append(try await next(&flows)) }
        try await send(["hello"], from: clients[4], to: address)
        kept.append(try await next(&flows))
        #expect(Set(kept.map(\.peer)).count == 3)
    }

    @Test("A flow that is closed ends its waiters; its peer's next datagram makes a new one")
    func closeAndComeBack() async throws {
        let loop = try EventLoop()
        let (listener, address) = try await flowListener(loop: loop)
        let (client, clientAddress) = try await boundSocket(.ipv4)
        var flows = listener.flows.makeAsyncIterator()
        try await send(["a", "never taken"], from: client, to: address)
        let flow = try await next(&flows)
        #expect(try await flow.receive().bytes == bytes("a"))
        #expect(try await flow.receive().bytes == bytes("never taken"))
        // On the loop's one thread the wait begins before the close.
        let waiter = Task(executorPreference: loop.taskExecutor) {
            await socketErrorCode { _ = try await flow.receive() }
        }
        await Task(executorPreference: loop.taskExecutor) { await flow.close() }.value
        #expect(await waiter.value == .closed)
        #expect(await listener.flowCount == 0)
        #expect(await socketErrorCode { try await flow.send([1]) } == .closed)
        #expect(await socketErrorCode { try flow.enqueue([1]) } == .closed)
        for await _ in flow.datagrams { Issue.record("a datagram out of a closed flow") }
        try await send(["b"], from: client, to: address)
        let second = try await next(&flows)
        #expect(second.peer == clientAddress && second !== flow)
        // The old flow's end does not touch the new one.
        await flow.close()
        #expect(try await second.receive().bytes == bytes("b"))
        #expect(await listener.flowCount == 1)
    }

    /// A flow goes on the loop's thread, so that a moment may pass; the time limit says how long.
    private func letGo(of flow: consuming UDPFlow, by listener: UDPListener) async {
        _ = consume flow
        while await listener.flowCount > 0 { await Task.yield() }
    }

    @Test("Dropping a flow's last reference closes it")
    func dropFlow() async throws {
        let (listener, address) = try await flowListener()
        let (client, _) = try await boundSocket(.ipv4)
        for content in ["a", "b"] {
            try await send([content], from: client, to: address)
            let flow = try #require(try await first(of: listener.flows))
            #expect(try await flow.receive().bytes == bytes(content))
            await letGo(of: flow, by: listener)
        }
    }

    @Test("An idle flow ends, with what it has received still to be taken")
    func idle() async throws {
        let (listener, address) = try await flowListener { $0.idleTimeout = .milliseconds(20) }
        let (client, _) = try await boundSocket(.ipv4)
        var flows = listener.flows.makeAsyncIterator()
        try await send(["a"], from: client, to: address)
        let flow = try await next(&flows)
        #expect(try await flow.receive().bytes == bytes("a"))
        #expect(await socketErrorCode { _ = try await flow.receive() } == .timedOut)
        #expect(await socketErrorCode { try await flow.send([1]) } == .timedOut)
        #expect(await listener.flowCount == 0)
        try await send(["b"], from: client, to: address)
        let second = try await next(&flows)
        for await _ in second.errors {}
        #expect(try await second.receive().bytes == bytes("b"))
        #expect(await socketErrorCode { _ = try await second.receive() } == .timedOut)
    }

    @Test("Closing the listener ends every waiter, in the order of the calls, and frees the port")
    func closeListener() async throws {
        let loop = try EventLoop()
        let (listener, address) = try await flowListener(loop: loop)
        var flows: [UDPFlow] = []
        var iterator = listener.flows.makeAsyncIterator()
        for _ in 0..<3 {
            let (client, _) = try await boundSocket(.ipv4)
            try await send(["a"], from: client, to: address)
            flows.append(try await next(&iterator))
            _ = try await flows.last?.receive()
        }
        let ended = Locked<[Int]>([])
        let waiters = (0..<9).map { index in
            let flow = flows[index % 3]
            return Task(executorPreference: loop.taskExecutor) {
                let code = await socketErrorCode { _ = try await flow.receive() }
                if code == .closed { ended.withLock { $0.append(index) } }
            }
        }
        await Task(executorPreference: loop.taskExecutor) { await listener.close() }.value
        for waiter in waiters { await waiter.value }
        #expect(ended.withLock { $0 } == Array(0..<9))
        let last = await iterator.next()
        #expect(last == nil)
        for await _ in flows[0].errors {}
        #expect(await socketErrorCode { try await flows[0].send([1]) } == .closed)
        #expect(await socketErrorCode { _ = try await listener.localAddresses } == .closed)
        let next = try UDPSocket(family: .ipv4)
        try await next.bind(to: address)
    }

    @Test("What has arrived before the listener was closed can still be taken")
    func closeKeeps() async throws {
        let (listener, address) = try await flowListener()
        let (client, _) = try await boundSocket(.ipv4)
        try await send(["a"], from: client, to: address)
        let flow = try #require(try await first(of: listener.flows))
        await listener.close()
        #expect(try await flow.receive().bytes == bytes("a"))
        #expect(await socketErrorCode { _ = try await flow.receive() } == .closed)
    }

    @Test("Dropping the listener's last reference ends the flows, and closes the socket that it opened")
    func dropListener() async throws {
        let (client, _) = try await boundSocket(.ipv4)
        let flow: UDPFlow
        let address: SocketAddress
        do {
            let listener: UDPListener
            (listener, address) = try await flowListener()
            try await send(["a"], from: client, to: address)
            flow = try #require(try await first(of: listener.flows))
            #expect(try await flow.receive().bytes == bytes("a"))
        }
        #expect(await socketErrorCode { _ = try await flow.receive() } == .closed)
        let next = try UDPSocket(family: .ipv4)
        try await next.bind(to: address)
    }

    @Test("A listener over a socket of the app's gives it back when it is closed")
    func takesOver() async throws {
        let (socket, address) = try await boundSocket(.ipv4)
        let (client, clientAddress) = try await boundSocket(.ipv4)
        let listener = await UDPListener(socket: socket)
        try await send(["a"], from: client, to: address)
        let flow = try #require(try await first(of: listener.flows))
        #expect(try await flow.receive().bytes == bytes("a"))
        await listener.close()
        #expect(await socketErrorCode { try await flow.send([1]) } == .closed)
        try await send(["b"], from: client, to: address)
        let datagram = try await socket.receive()
        #expect(datagram.bytes == bytes("b") && datagram.source == clientAddress)
    }

    @Test("When the app closes its socket, the flows end")
    func socketCloses() async throws {
        let (socket, address) = try await boundSocket(.ipv4)
        let (client, _) = try await boundSocket(.ipv4)
        let listener = await UDPListener(socket: socket)
        var flows = listener.flows.makeAsyncIterator()
        try await send(["a"], from: client, to: address)
        let flow = try await next(&flows)
        #expect(try await flow.receive().bytes == bytes("a"))
        await socket.close()
        #expect(await socketErrorCode { _ = try await flow.receive() } == .closed)
        let last = await flows.next()
        #expect(last == nil)
    }
}
