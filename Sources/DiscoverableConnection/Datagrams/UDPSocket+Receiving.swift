internal import DiscoverableCore
internal import DiscoverableRuntime

extension UDPSocket {
    /// The next datagram; waits until there is one. Several may wait: each datagram goes to one of them, in the order of the
    /// calls. Cancelling loses no datagram.
    ///
    /// - Throws: `refused` or `unreachable`, once, where the peer's host has reported something; receive again to go on.
    ///   `closed`, `cancelled`.
    public func receive() async throws(SocketError) -> Datagram {
        try await next(takesErrors: true)
    }

    func next(takesErrors: Bool) async throws(SocketError) -> Datagram {
        let operation = "receiving"
        guard let channel else { throw SocketError(.closed, operation) }
        if Task.isCancelled { throw SocketError(.cancelled, operation) }
        if received.isEmpty, receivers.isEmpty { fill(from: channel) }
        if takesErrors, let error = pendingError.take() { throw SocketError(error, operation) }
        if !received.isEmpty {
            defer { rewatch() }
            return received.removeFirst()
        }
        return try await waitForDatagram(takesErrors: takesErrors)
    }

    private func waitForDatagram(takesErrors: Bool) async throws(SocketError) -> Datagram {
        let id = nextID()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let receiver = Receiver(id: id, takesErrors: takesErrors, continuation: continuation)
                // Every `await` may let others in: what held before it is asked again, and from here on nothing comes between.
                if Task.isCancelled { return receiver.end(.cancelled) }
                if channel == nil { return receiver.end(.closed) }
                receivers.append(receiver)
                serveReceivers()
                watch()
            }
        } onCancel: {
            // Through the loop, and so behind the call itself: a datagram that is handed over first stays handed over.
            loop.execute { self.assumeIsolated { $0.cancelReceiver(id) } }
        }
        return try result.get()
    }

    private func cancelReceiver(_ id: UInt64) {
        guard let index = receivers.firstIndex(where: { $0.id == id }) else { return }
        receivers.remove(at: index).end(.cancelled)
    }

    /// Reads what the kernel has, as far as there is room.
    func fill(from channel: DatagramChannel) {
        let room = min(DatagramChannel.batchSize, Self.bufferLimit - received.count)
        guard room > 0 else { return }
        let end = channel.receive(limit: room, maximumSize: maximumDatagramSize) { datagram in
            received.append(
                Datagram(bytes: datagram.bytes, source: datagram.source, isTruncated: datagram.isTruncated)
            )
        }
        if case .failed(let error) = end { pendingError = error }
    }

    /// Hands out what is there, to whoever waits longest.
    func serveReceivers() {
        if let error = pendingError, let index = receivers.firstIndex(where: \.takesErrors) {
            pendingError = nil
            receivers.remove(at: index).continuation.resume(returning: .failure(SocketError(error, "receiving")))
        }
        let count = min(received.count, receivers.count)
        for (receiver, datagram) in zip(receivers.prefix(count), received.prefix(count)) {
            receiver.continuation.resume(returning: .success(datagram))
        }
        receivers.removeFirst(count)
        received.removeFirst(count)
    }
}

extension UDPSocket.Receiver {
    fileprivate func end(_ code: SocketError.Code) {
        continuation.resume(returning: .failure(SocketError(code, "receiving")))
    }
}
