internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime

extension UDPSocket {
    /// The next datagram; waits until there is one. Several may wait: each datagram goes to one of them, in the order of the
    /// calls. Cancelling loses no datagram.
    ///
    /// - Throws: `closed`, `cancelled`. What a peer's host reports is no error of this call; see `errors`.
    public nonisolated func receive() async throws(SocketError) -> Datagram {
        try await next(limit: 1)[0]
    }

    /// The next datagrams, as many as have arrived together, read in place. As `receive`.
    public nonisolated func receiveBatch() async throws(SocketError) -> DatagramBatch {
        try await next(limit: .max)
    }

    private nonisolated func next(limit: Int) async throws(SocketError) -> DatagramBatch {
        switch await delivery(limit: limit) {
        case .batch(let batch): return batch
        case .closed: throw SocketError(.closed, "receiving")
        case .cancelled: throw SocketError(.cancelled, "receiving")
        }
    }

    nonisolated func delivery(limit: Int) async -> Inbox.Delivery {
        if let batch = takeNow(limit: limit) { return .batch(batch) }
        return await input.inbox.next(id: nextCall(), limit: limit, start: startReading)
    }

    /// What is there already. Asked before anything is awaited: an await costs as much as the rest of the way.
    nonisolated func takeNow(limit: Int) -> DatagramBatch? { input.inbox.take(limit: limit, start: startReading) }

    private nonisolated func startReading() {
        ipv4?.resumeReading()
        ipv6?.resumeReading()
    }

    /// Has each batch handed to `handler`, on the loop's thread and inside the event: the fastest way to receive.
    ///
    /// Nothing may block there: all that lives on the loop waits meanwhile. What the handler enqueues leaves together when it
    /// returns. While a handler is set, `receive` and the sequences get nothing.
    ///
    /// - Important: A socket with a handler lives until it is closed, also where nobody else refers to it.
    ///
    /// - Parameter handler: gets the socket, so that it need not keep it; nil ends it.
    public func onReceive(_ handler: (@Sendable (UDPSocket, DatagramBatch) -> Void)?) {
        guard !isClosed else { return }
        input.setHandler(handler, of: self)
        guard let handler else { return }
        while let batch = input.inbox.take(limit: .max, start: {}) { handler(self, batch) }
        startReading()
    }
}
