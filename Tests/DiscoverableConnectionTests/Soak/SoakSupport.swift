import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime

/// Ends after `duration`: where time itself is what is waited for.
func pause(_ duration: Duration, on loop: EventLoop = .shared) async {
    await withCheckedContinuation { continuation in
        _ = loop.schedule(after: duration) { continuation.resume() }
    }
}

extension UDPSocket {
    /// The next datagrams, at most `limit`; nil where none comes in time, or the socket is closed. What comes too late is not lost.
    nonisolated func receive(
        within limit: Duration,
        batch: Bool = false,
        on executor: LoopTaskExecutor? = nil
    ) async -> [Datagram]? {
        let task = Task(executorPreference: executor) { () -> [Datagram]? in
            batch ? (try? await self.receiveBatch()).map { Array($0) } : (try? await self.receive()).map { [$0] }
        }
        let timer = loop.schedule(after: limit) { task.cancel() }
        defer { timer.cancel() }
        return await task.value
    }

    /// Whether a datagram comes; others are passed over: their sender knew who had the port before.
    nonisolated func receives(_ bytes: [UInt8], from source: SocketAddress) async -> Bool {
        while let datagram = await receive(within: .seconds(5))?.first {
            if datagram.source == source, datagram.bytes == bytes { return true }
        }
        return false
    }
}

/// What a call throws.
func socketError(_ body: () async throws -> Void) async -> SocketError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? SocketError
    }
}
