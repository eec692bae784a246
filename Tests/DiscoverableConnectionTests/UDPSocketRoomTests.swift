import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Testing

@Suite(
    "Waiting for room in the kernel",
    .timeLimit(.minutes(1)),
    .enabled("needs root and iproute2 for a network namespace") { await PrivateNetwork.isAllowed.value }
)
struct UDPSocketRoomTests {
    private let destination = SocketAddress(.v4(IPv4Address(192, 0, 2, 2)), port: 9)

    /// A socket whose datagrams wait in the kernel for a hardware address that nobody tells.
    private func stalledSocket(in network: PrivateNetwork) async throws -> UDPSocket {
        let loop = network.loop
        let socket = try await network.onLoop { Result { try UDPSocket(family: .ipv4, loop: loop) } }.get()
        try await socket.setSendBufferSize(2304)
        return socket
    }

    @Test("Sends wait, and all complete in order once there is room")
    func wait() async throws {
        let network = try #require(try await PrivateNetwork())
        let socket = try await stalledSocket(in: network)
        let completed = Locked<[Int]>([])
        let sends = (0..<40).map { index in
            Task(executorPreference: network.loop.taskExecutor) {
                try await socket.send(Array(repeating: 1, count: 500), to: destination)
                completed.withLock { $0.append(index) }
            }
        }
        // Behind all sends on the loop's one thread: some are through, the others wait.
        await Task(executorPreference: network.loop.taskExecutor) {}.value
        let before = completed.withLock { $0.count }
        #expect((1..<40).contains(before))
        #expect(await network.resolveNeighbour())
        for send in sends { try await send.value }
        #expect(completed.withLock { $0 } == Array(0..<40))
    }

    @Test("A send that waits can be cancelled, and closing ends the others")
    func cancel() async throws {
        let network = try #require(try await PrivateNetwork())
        let socket = try await stalledSocket(in: network)
        let sends = (0..<40).map { _ in
            Task(executorPreference: network.loop.taskExecutor) {
                await socketErrorCode { try await socket.send(Array(repeating: 1, count: 500), to: destination) }
            }
        }
        await Task(executorPreference: network.loop.taskExecutor) {}.value
        sends[38].cancel()
        #expect(await sends[38].value == .cancelled)
        await socket.close()
        #expect(await sends[39].value == .closed)
        #expect(await sends[0].value == nil)
    }
}
