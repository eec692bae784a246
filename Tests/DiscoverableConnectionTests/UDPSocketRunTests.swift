import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Glibc
import Testing

/// Datagrams of one length that stand one behind the other are sent, received and sent on as one piece, and arrive as what they are.
@Suite("Runs of datagrams", .timeLimit(.minutes(1)))
struct UDPSocketRunTests {
    private func socket(_ family: AddressFamily, offloads: Bool = true) async throws -> (UDPSocket, SocketAddress) {
        var options = UDPSocket.Options()
        options.offloads = offloads ? .all : .none
        options.receiveBufferSize = 1 << 20
        let socket = try UDPSocket(family: family, options: options)
        try await socket.bind(to: .loopback(family))
        return (socket, try await socket.localAddress)
    }

    /// So many bytes, none like its neighbours, and the datagrams that they are.
    private func run(_ count: Int, of length: Int) -> (bytes: [UInt8], datagrams: [[UInt8]]) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 251) }
        let datagrams = stride(from: 0, to: count, by: length).map { Array(bytes[$0..<min($0 + length, count)]) }
        return (bytes, datagrams)
    }

    private func receive(_ count: Int, on socket: UDPSocket) async throws -> [[UInt8]] {
        var datagrams: [[UInt8]] = []
        while datagrams.count < count { datagrams.append(try await socket.receive().bytes) }
        return datagrams
    }

    @Test(
        "A run arrives as its datagrams, in order, on the loop and off it, with offloads and without",
        arguments: AddressFamily.allCases
    )
    func arrives(family: AddressFamily) async throws {
        let (server, address) = try await socket(family)
        for offloads in [true, false] {
            let (client, _) = try await socket(family, offloads: offloads)
            for (count, length) in [
                (10_000, 1_000), (1_001, 1_000), (1_000, 1_000), (65, 1), (200_000, 1_400), (40_000, 16_000),
            ] {
                let (bytes, datagrams) = run(count, of: length)
                for onLoop in [true, false] {
                    let send = { @Sendable in try client.enqueue(bytes, segmentLength: length, to: address) }
                    if onLoop {
                        try await Task(executorPreference: client.taskExecutor) { try send() }.value
                    } else {
                        try send()
                    }
                    #expect(try await receive(datagrams.count, on: server) == datagrams, "\(count) of \(length)")
                }
            }
        }
    }

    @Test("What was enqueued before a run leaves before it, and what comes behind stays behind")
    func order() async throws {
        let (server, address) = try await socket(.ipv4)
        let (client, _) = try await socket(.ipv4)
        let (bytes, datagrams) = run(5_000, of: 100)
        try await Task(executorPreference: client.taskExecutor) {
            try client.enqueue([1], to: address)
            try client.enqueue(bytes, segmentLength: 100, to: address)
            try client.enqueue([2], to: address)
            try client.enqueue(bytes, segmentLength: 100, to: address)
        }.value
        let expected = [[1]] + datagrams + [[2]] + datagrams
        #expect(try await receive(expected.count, on: server) == expected)
    }

    @Test("A batch is read run by run, and sent on as it came", arguments: [true, false])
    func echo(offloads: Bool) async throws {
        let (server, address) = try await socket(.ipv4, offloads: offloads)
        let lengths = Locked<[[Int]]>([])
        await server.onReceive { server, batch in
            var seen = 0
            batch.forEachRunInPlace { bytes, length, source in
                let pieces = length == 0 ? 1 : (bytes.count + length - 1) / length
                lengths.withLock { $0.append([pieces, length]) }
                seen += pieces
                try? server.enqueue(bytes, segmentLength: length, to: source)
            }
            #expect(seen == batch.count)
        }
        let (client, _) = try await socket(.ipv4)
        let (bytes, datagrams) = run(6_350, of: 100)
        try await Task(executorPreference: client.taskExecutor) {
            try client.enqueue([], to: address)
            try client.enqueue(bytes, segmentLength: 100, to: address)
            try client.enqueue([9, 9], to: address)
        }.value
        #expect(try await receive(66, on: client) == [[]] + datagrams + [[9, 9]])
        let runs = lengths.withLock { $0 }
        #expect(runs.reduce(0) { $0 + $1[0] } == 66)
        // The kernel has joined what it had cut, which costs one look each and not sixty-four.
        if offloads {
            #expect(runs == [[1, 0], [64, 100], [1, 2]])
        } else {
            #expect(runs.allSatisfy { $0[0] == 1 })
        }
        await server.onReceive(nil)
    }

    @Test("Part of a batch has part of its runs")
    func parts() async throws {
        let (server, address) = try await socket(.ipv4)
        let (client, _) = try await socket(.ipv4)
        // The kernel joins datagrams once somebody reads.
        try client.enqueue([1], to: address)
        _ = try await server.receive()
        let (bytes, datagrams) = run(1_000, of: 100)
        try await Task(executorPreference: client.taskExecutor) {
            try client.enqueue(bytes, segmentLength: 100, to: address)
        }.value
        let batch = try await server.receiveBatch()
        try #require(batch.count == 10)
        var pieces: [[UInt8]] = []
        batch.dropFirst(2).prefix(3).forEachRunInPlace { bytes, length, _ in
            #expect(length == 100)
            pieces.append(bytes.indices.map { bytes[$0] })
        }
        #expect(pieces == [Array(datagrams[2...4].joined())])
    }

    @Test("One datagram is a run, also an empty one; a length of nothing is refused")
    func bounds() async throws {
        let (server, address) = try await socket(.ipv4)
        let (client, _) = try await socket(.ipv4)
        try client.enqueue([], segmentLength: 0, to: address)
        try client.enqueue([7, 8], segmentLength: 2, to: address)
        try client.enqueue([9], segmentLength: 100, to: address)
        #expect(try await receive(3, on: server) == [[], [7, 8], [9]])
        for length in [0, -1] {
            let error = #expect(throws: SocketError.self) {
                try client.enqueue([1, 2], segmentLength: length, to: address)
            }
            #expect(error?.underlying?.number == EINVAL)
        }
        await client.close()
        let code = await socketErrorCode { try client.enqueue([1, 2], segmentLength: 1, to: address) }
        #expect(code == .closed)
    }
}
