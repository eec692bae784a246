import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Testing

@Suite("Closing with waiters of all kinds", .timeLimit(.minutes(1)), .needsNamespaces)
struct ClosingTests {
    @Test("Each waiter ends once, with a typed error or the end of its sequence, in the order of the calls")
    func order() async throws {
        let hosts = try await TwoHosts()
        try await hosts.stall()
        var options = UDPSocket.Options()
        options.sendBufferSize = 2304
        let socket = try await hosts.first.socket(options: options)
        let destination = try SocketAddress("192.0.2.2", 9)
        let content = Array(repeating: 1 as UInt8, count: 500)
        // What the kernel has room for does not wait.
        var free = 0
        while await socketErrorCode({ try await socket.send(content, to: destination, timeout: .zero) }) == nil {
            free += 1
        }
        #expect(free > 0)
        let ended = Locked<[String]>([])
        let waiters = (0..<4).flatMap { round in
            Kind.allCases.map { kind in
                Task(executorPreference: socket.taskExecutor) {
                    let isRight = await kind.wait(socket, content, destination)
                    ended.withLock { $0.append(isRight ? "\(kind) \(round)" : "wrong end of \(kind) \(round)") }
                }
            }
        }
        // A task takes some turns of the loop to get to where it waits.
        for _ in 0..<20 { await Task(executorPreference: socket.taskExecutor) {}.value }
        await socket.close()
        for waiter in waiters { await waiter.value }
        // How many turns a task takes to its end depends on the kind of waiting, the same for all of one kind.
        for kind in Kind.allCases {
            let ends = ended.withLock { $0.filter { $0.hasPrefix("\(kind) ") } }
            #expect(ends == (0..<4).map { "\(kind) \($0)" })
        }
        #expect(ended.withLock { $0.count } == waiters.count)
        let late = Array(repeating: OutgoingDatagram(bytes: [1], to: destination), count: 3)
        #expect(await socket.send(late).map { $0?.code } == [.closed, .closed, .closed])
        #expect(await socketErrorCode { try socket.enqueue([1], to: destination) } == .closed)
        var errors = socket.errors.makeAsyncIterator()
        #expect(await errors.next() == nil)
    }

    /// The ways to wait for a socket.
    private enum Kind: CaseIterable {
        case receive, send, batch, datagrams, sendMany, batches

        /// Waits; returns whether it has ended as it should.
        func wait(_ socket: UDPSocket, _ content: [UInt8], _ destination: SocketAddress) async -> Bool {
            switch self {
            case .receive: return await socketErrorCode { _ = try await socket.receive() } == .closed
            case .batch: return await socketErrorCode { _ = try await socket.receiveBatch() } == .closed
            case .send: return await socketErrorCode { try await socket.send(content, to: destination) } == .closed
            case .datagrams:
                var iterator = socket.datagrams.makeAsyncIterator()
                return await iterator.next() == nil
            case .batches:
                var iterator = socket.batches.makeAsyncIterator()
                return await iterator.next() == nil
            case .sendMany:
                let datagrams = Array(repeating: OutgoingDatagram(bytes: content, to: destination), count: 3)
                return await socket.send(datagrams).map { $0?.code } == [.closed, .closed, .closed]
            }
        }
    }
}
