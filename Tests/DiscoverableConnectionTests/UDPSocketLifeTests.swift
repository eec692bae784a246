import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Testing

@Suite("Cancelling and closing", .timeLimit(.minutes(1)))
struct UDPSocketLifeTests {
    @Test("Cancelling a receive loses no datagram")
    func cancel() async throws {
        let (server, address) = try await boundSocket(.ipv4)
        let (client, _) = try await boundSocket(.ipv4)
        let task = Task { try await server.receive() }
        task.cancel()
        let error = await #expect(throws: SocketError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        try await client.send(bytes("kept"), to: address)
        #expect(try await server.receive().bytes == bytes("kept"))
    }

    @Test("Whichever way a race of cancelling and arriving ends, each datagram is received once, in order")
    func race() async throws {
        let (server, address) = try await boundSocket(.ipv4)
        let (client, _) = try await boundSocket(.ipv4)
        for index in 0..<UInt8(200) {
            let task = Task { try await server.receive() }
            try await client.send([index], to: address)
            task.cancel()
            if let datagram = try? await task.value {
                #expect(datagram.bytes == [index])
            } else {
                #expect(try await server.receive().bytes == [index])
            }
        }
    }

    @Test("Closing ends every waiter with a typed error, in order")
    func closeEndsWaiters() async throws {
        let loop = try EventLoop()
        let socket = try UDPSocket(family: .ipv4, loop: loop)
        try await socket.bind(to: .loopback(.ipv4))
        let ended = Locked<[Int]>([])
        // On the loop's one thread tasks begin and go on in order.
        let waiters = (0..<5).map { index in
            Task(executorPreference: loop.taskExecutor) {
                do throws(SocketError) {
                    _ = try await socket.receive()
                } catch {
                    if error.code == .closed { ended.withLock { $0.append(index) } }
                }
            }
        }
        await Task(executorPreference: loop.taskExecutor) { await socket.close() }.value
        for waiter in waiters { await waiter.value }
        #expect(ended.withLock { $0 } == [0, 1, 2, 3, 4])
    }

    @Test("After closing everything says so, and sequences end")
    func afterClosing() async throws {
        let (socket, address) = try await boundSocket(.ipv4)
        await socket.close()
        await socket.close()
        #expect(await socketErrorCode { _ = try await socket.receive() } == .closed)
        #expect(await socketErrorCode { _ = try await socket.send([1], to: address) } == .closed)
        #expect(await socketErrorCode { _ = try await socket.bind(port: 0) } == .closed)
        let many = await socket.send(Array(repeating: OutgoingDatagram(bytes: [1], to: address), count: 3))
        #expect(many.map { $0?.code } == [.closed, .closed, .closed])
        for await _ in socket.datagrams { Issue.record("a datagram out of a closed socket") }
    }

    @Test("12: the port is free as soon as close returns")
    func rebind() async throws {
        let address = try await closedPort(.ipv4)
        var late = 0
        for _ in 0..<50 {
            let socket = try UDPSocket(family: .ipv4)
            if try await bindSoon(socket, to: address) { late += 1 }
            let waiter = Task { try? await socket.receive() }
            await socket.close()
            _ = await waiter.value
        }
        #expect(late < 25)
    }

    @Test("11: dropping the last reference closes the socket, whatever is going on")
    func drop() async throws {
        let address = try await closedPort(.ipv4)
        do {
            let socket = try UDPSocket(family: .ipv4)
            try await socket.bind(to: address)
            // A handler and a consumer that has left keep nothing alive.
            await socket.onReceive { _, _ in }
            await socket.onReceive(nil)
            try await socket.send([1], to: address)
            _ = try await socket.receive()
            let waiter = Task { try await socket.receive() }
            waiter.cancel()
            _ = try? await waiter.value
            try await socket.send([1], to: address)
        }
        // The loop may just be about to let go of it, so that a moment may pass; the time limit says how long.
        let next = try UDPSocket(family: .ipv4)
        try await bindSoon(next, to: address)
        #expect(try await next.localAddress == address)
    }

    @Test("A new socket with an old descriptor's number gets its events")
    func reusedNumber() async throws {
        for _ in 0..<50 {
            let (server, address) = try await boundSocket(.ipv4)
            let (client, _) = try await boundSocket(.ipv4)
            let task = Task { try await server.receive() }
            try await client.send(bytes("x"), to: address)
            #expect(try await task.value.bytes == bytes("x"))
            await server.close()
            await client.close()
        }
    }
}
