import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Testing

@Suite("Floods", .timeLimit(.minutes(1)))
struct FloodTests {
    @Test("5: a flood, of empty datagrams too, starves no other socket of the loop", arguments: [0, 100])
    func starvation(length: Int) async throws {
        let loop = try EventLoop()
        let flooded = try UDPSocket(family: .ipv4, loop: loop)
        try await flooded.bind(to: .loopback(.ipv4))
        let address = try await flooded.localAddress
        let received = Locked(0)
        await flooded.onReceive { _, batch in
            #expect(batch.allSatisfy { $0.length == length })
            received.withLock { $0 += batch.count }
        }
        let flood = Task(executorPreference: try EventLoop().taskExecutor) {
            let client = try UDPSocket(family: .ipv4)
            let content = Array(repeating: 0 as UInt8, count: length)
            while !Task.isCancelled {
                for _ in 0..<64 { try client.enqueue(content, to: address) }
                await Task.yield()
            }
        }
        let healthy = try UDPSocket(family: .ipv4, loop: loop)
        try await healthy.bind(to: .loopback(.ipv4))
        let healthyAddress = try await healthy.localAddress
        let client = try UDPSocket(family: .ipv4)
        for index in 0..<100 as Range<UInt8> {
            try await client.send([index], to: healthyAddress)
            let question = try await healthy.receive()
            try await healthy.send(question.bytes, to: question.source)
            #expect(try await client.receive().bytes == [index])
        }
        flood.cancel()
        try await flood.value
        #expect(received.withLock { $0 } > 0)
        await flooded.close()
    }

    @Test("A queue that is full drops the datagram and says so; nobody waits for room", .needsNamespaces)
    func fullQueue() async throws {
        // A queue of the system in front of a slow link: what does not fit is dropped there (ENOBUFS where errors are told).
        let hosts = try await TwoHosts()
        try await hosts.first.trafficControl("qdisc add dev lan0 root tbf rate 8kbit burst 1600 limit 3000")
        let address = try SocketAddress("192.0.2.2", 7)
        let server = try await hosts.second.socket(at: address)
        let client = try await hosts.first.socket()
        try await client.send([0], to: address)
        #expect(try await server.receive().bytes == [0])
        let content = Array(repeating: 1 as UInt8, count: 1000)
        var codes: [SocketError.Code?] = []
        for _ in 0..<8 { codes.append(await socketErrorCode { try await client.send(content, to: address) }) }
        // The link makes room for one more each second: on a busy machine a few may pass, eight at once cannot.
        #expect(codes.contains(nil) && codes.contains(.outOfResources), "\(codes)")
        let many = Array(repeating: OutgoingDatagram(bytes: content, to: address), count: 8)
        #expect(await client.send(many).map { $0?.code }.contains(.outOfResources))
        var failures = client.errors.makeAsyncIterator()
        try await Task(executorPreference: client.taskExecutor) {
            for _ in 0..<8 { try client.enqueue(content, to: address) }
        }.value
        let failure = await failures.next()
        #expect(failure?.error.code == .outOfResources && failure?.peer == address && failure?.origin == .local)
        // The socket is as before.
        try await hosts.first.trafficControl("qdisc del dev lan0 root")
        try await client.send([2], to: address)
        var last: [UInt8] = []
        while last != [2] { last = try await server.receive().bytes }
    }
}
