import DiscoverableConnection
import DiscoverableCore
import DiscoverableRuntime
import Testing

@Suite("Errors of a peer's host", .timeLimit(.minutes(1)))
struct UDPSocketErrorTests {
    @Test(
        "fault 21: a refused port is told once, by a receive that waits; the socket lives on",
        arguments: AddressFamily.allCases
    )
    func refused(family: AddressFamily) async throws {
        let address = try await closedPort(family)
        let client = try UDPSocket(family: family)
        try await client.connect(to: address)
        try await client.send(bytes("to nobody"))
        let error = await #expect(throws: SocketError.self) { try await client.receive() }
        #expect(error?.code == .refused && error?.underlying?.text == "Connection refused")
        let server = try UDPSocket(family: family)
        try await server.bind(to: address)
        try await client.send(bytes("to somebody"))
        let datagram = try await server.receive()
        #expect(datagram.bytes == bytes("to somebody"))
        try await server.send(bytes("answer"), to: datagram.source)
        #expect(try await client.receive().bytes == bytes("answer"))
    }

    @Test("The next send tells it where nobody receives; every send has exactly one outcome")
    func refusedSends() async throws {
        let client = try UDPSocket(family: .ipv4)
        try await client.connect(to: try await closedPort(.ipv4))
        var outcomes: [SocketError.Code?] = []
        for _ in 0..<50 {
            do throws(SocketError) {
                try await client.send(bytes("x"))
                outcomes.append(nil)
            } catch {
                outcomes.append(error.code)
            }
        }
        #expect(outcomes.count == 50 && outcomes.contains(.refused))
        #expect(outcomes.allSatisfy { $0 == nil || $0 == .refused })
    }

    @Test("A sequence does not end by it: the error waits for the next call")
    func sequence() async throws {
        let address = try await closedPort(.ipv4)
        let client = try UDPSocket(family: .ipv4)
        try await client.connect(to: address)
        let task = Task { await client.datagrams.first { _ in true } }
        try await client.send(bytes("to nobody"))
        let server = try UDPSocket(family: .ipv4)
        try await server.bind(to: address)
        // The first call may tell the error, the second does not.
        for _ in 0..<2 { try? await client.send(bytes("x")) }
        let source = try await server.receive().source
        try await server.send(bytes("answer"), to: source)
        #expect(await task.value?.bytes == bytes("answer"))
    }

    @Test("A pending error uses no processor time, waited for or not", arguments: [true, false])
    func idle(isWaitedFor: Bool) async throws {
        let loop = try EventLoop()
        let client = try UDPSocket(family: .ipv4, loop: loop)
        try await client.connect(to: try await closedPort(.ipv4))
        let task = Task { for await _ in client.datagrams {} }
        if !isWaitedFor {
            // Watched by the loop from now on, with nobody who waits.
            try await client.send(bytes("to nobody"))
            _ = try? await client.receive()
            task.cancel()
            await task.value
        }
        try? await client.send(bytes("to nobody"))
        let before = await cpuTime(of: loop)
        // The one wait in these tests: idleness can only be seen by letting time pass.
        await withCheckedContinuation { continuation in
            EventLoop.shared.schedule(after: .seconds(1)) { continuation.resume() }
        }
        let used = await cpuTime(of: loop) - before
        #expect(used < .milliseconds(50), "\(used) of one second")
        await client.close()
    }
}
