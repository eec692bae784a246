internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime

extension UDPSocket {
    /// The next datagram; waits until there is one. Several may wait: each datagram goes to one of them, in the order of the
    /// calls. Cancelling loses no datagram, and neither does a time-out.
    ///
    /// - Parameter timeout: how long to wait; nil for as long as it takes.
    /// - Throws: `closed`, `cancelled`, `timedOut`. What a peer's host reports is no error of this call; see `errors`.
    public nonisolated func receive(timeout: Duration? = nil) async throws(SocketError) -> Datagram {
        try await next(limit: 1, timeout)[0]
    }

    /// The next datagrams, as many as have arrived together, read in place. As `receive`.
    public nonisolated func receiveBatch(timeout: Duration? = nil) async throws(SocketError) -> DatagramBatch {
        try await next(limit: .max, timeout)
    }

    private nonisolated func next(limit: Int, _ timeout: Duration?) async throws(SocketError) -> DatagramBatch {
        if let batch = takeNow(limit: limit) { return batch }
        switch await Consumer(self).next(limit: limit, timeout: timeout) {
        case .batch(let batch): return batch
        case .closed: throw SocketError(.closed, "receiving")
        case .cancelled: throw SocketError(.cancelled, "receiving")
        case .timedOut: throw SocketError(.timedOut, "receiving")
        }
    }

    /// One who receives, again and again, with one wait at a time.
    struct Consumer {
        private let socket: UDPSocket
        private let seat: Seat
        private let place: Seat.Place

        init(_ socket: UDPSocket) {
            self.socket = socket
            seat = Seat(socket)
            place = Seat.Place(seat)
        }

        /// Waits for datagrams, at most `limit`.
        func next(limit: Int, timeout: Duration? = nil) async -> Inbox.Delivery {
            let (call, inbox, seat) = (socket.nextCall(), socket.input.inbox, seat)
            inbox.begin(call, limit: limit, at: seat)
            let timer = timeout.map { timeout in
                socket.loop.schedule(after: timeout) { inbox.leave(seat, call, .timedOut) }
            }
            defer { timer?.cancel() }
            return await inbox.wait(call, at: place, of: seat)
        }

        /// For a sequence: what comes next; nil after the end, and where the task is cancelled.
        func nextBatch(limit: Int) async -> DatagramBatch? {
            if let batch = socket.takeNow(limit: limit) { return batch }
            guard case .batch(let batch) = await next(limit: limit) else { return nil }
            return batch
        }
    }

    /// What is there already. Asked before anything is awaited: an await costs as much as the rest of the way.
    nonisolated func takeNow(limit: Int) -> DatagramBatch? { input.inbox.take(limit: limit, start: startReading) }

    nonisolated func startReading() {
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
