import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Testing

@Suite("Errors of a peer's host", .timeLimit(.minutes(1)))
struct UDPSocketErrorTests {
    @Test(
        "1: a refused port is an event that names the peer; the socket lives on",
        arguments: AddressFamily.allCases
    )
    func refused(family: AddressFamily) async throws {
        let address = try await closedPort(family)
        let client = try UDPSocket(family: family)
        try await client.connect(to: address)
        async let report = first(of: client.errors)
        try await client.send(bytes("to nobody"))
        // Also while somebody waits for datagrams, who is told nothing of it.
        let waiter = Task { try await client.receive().bytes }
        let failure = try #require(try await report)
        #expect(failure.peer == address && failure.origin == .network(reporter: address.ip))
        #expect(failure.error.code == .refused && failure.error.underlying?.text == "Connection refused")
        let server = try UDPSocket(family: family)
        try await server.bind(to: address)
        try await client.send(bytes("to somebody"))
        let datagram = try await server.receive()
        #expect(datagram.bytes == bytes("to somebody"))
        try await server.send(bytes("answer"), to: datagram.source)
        #expect(try await waiter.value == bytes("answer"))
    }

    @Test("3, 4: 50 sends to a closed port: each completes once, none with somebody else's error")
    func refusedSends() async throws {
        let client = try UDPSocket(family: .ipv4)
        let address = try await closedPort(.ipv4)
        try await client.connect(to: address)
        for _ in 0..<50 { try await client.send(bytes("x")) }
        var reports = 0
        for await failure in client.errors {
            #expect(failure.error.code == .refused && failure.peer == address)
            reports += 1
            if reports == 50 { break }
        }
    }

    @Test("A socket without a peer is told which peer it was")
    func unconnected() async throws {
        let client = try UDPSocket(family: .ipv4)
        let nobody = try await closedPort(.ipv4)
        let (server, address) = try await boundSocket(.ipv4)
        async let report = first(of: client.errors)
        try await client.send(bytes("to nobody"), to: nobody)
        try await client.send(bytes("to somebody"), to: address)
        #expect(try await report?.peer == nobody)
        #expect(try await server.receive().bytes == bytes("to somebody"))
    }

    @Test("1: a pending error uses no processor time, waited for or not", arguments: [true, false])
    func idle(isWaitedFor: Bool) async throws {
        let loop = try EventLoop()
        let client = try UDPSocket(family: .ipv4, loop: loop)
        try await client.connect(to: try await closedPort(.ipv4))
        let task = Task { for await _ in client.datagrams {} }
        if !isWaitedFor {
            // Watched by the loop from now on, with nobody who waits.
            try await client.send(bytes("to nobody"))
            _ = try await first(of: client.errors)
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
