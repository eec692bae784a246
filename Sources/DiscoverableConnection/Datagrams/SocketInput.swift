internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime
internal import Synchronization

/// What the engines of a socket bring, and who gets it. An object of its own, so that an engine can hold it, and nobody refers to the
/// socket weakly, which would make each use of it dearer.
final class SocketInput: DatagramEngineClient {
    /// A struct: a bare closure is wrapped anew each time it passes through generic code such as `LoopConfined`, and with `inout`
    /// the wrapped one is written back.
    private struct Handler: Sendable {
        /// The socket is held as long as it has a handler.
        let socket: UDPSocket
        let call: @Sendable (UDPSocket, DatagramBatch) -> Void
    }

    let inbox = Inbox()
    private let told = LockedInPlace(Told())
    /// Which family's half has a peer: what every send asks, so that it needs no lock. The other half gets nothing meanwhile.
    let peerFamily = Atomic(UDPSocket.Connection.none)
    private let hasStopped = Atomic(false)
    private let handler: LoopConfined<Handler?>

    init(loop: EventLoop) {
        handler = LoopConfined(nil, on: loop)
    }

    /// What went wrong, for whoever asks.
    private struct Told {
        /// Made when it is needed: most sockets are told of no error, and nobody asks.
        var failures: Broadcast<DatagramFailure>?
        var isFinished = false
    }

    var failures: Broadcast<DatagramFailure> {
        told.withLock { told in
            if let failures = told.failures { return failures }
            let failures = Broadcast<DatagramFailure>(capacity: 256)
            if told.isFinished { failures.finish() }
            told.failures = failures
            return failures
        }
    }

    /// No error follows.
    func finishFailures() {
        let failures = told.withLock { told in
            told.isFinished = true
            return told.failures
        }
        failures?.finish()
    }

    /// On the loop's thread.
    func setHandler(_ call: (@Sendable (UDPSocket, DatagramBatch) -> Void)?, of socket: UDPSocket) {
        // Released outside: it may be the last reference to what the closure holds.
        let last = handler.withValue { handler in
            defer { handler = call.map { Handler(socket: socket, call: $0) } }
            return handler
        }
        withExtendedLifetime(last) {}
    }

    /// Whether the system has made the socket unusable.
    var isStopped: Bool { hasStopped.load(ordering: .relaxed) }

    func hasRoom(on engine: DatagramEngine) -> Bool {
        !isStopped && (handler.withValue { $0 != nil } || inbox.hasRoom)
    }

    func received(_ batch: DatagramBatch, on engine: DatagramEngine) {
        guard peerFamily.load(ordering: .relaxed).family ?? engine.family == engine.family else { return }
        if let handler = handler.withValue({ $0 }) { handler.call(handler.socket, batch) } else { inbox.push(batch) }
    }

    func failed(_ failure: DatagramFailure, on engine: DatagramEngine) { failures.push(failure) }

    func stopped(_ error: UnderlyingError, on engine: DatagramEngine) {
        hasStopped.store(true, ordering: .relaxed)
        failures.push(DatagramFailure(stopped: error))
        finishFailures()
        for (_, waiter) in inbox.close() { waiter.goOn() }
        engine.shutDown()
    }
}
