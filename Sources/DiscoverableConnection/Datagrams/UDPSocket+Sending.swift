public import DiscoverableCore
internal import DiscoverableRuntime

extension UDPSocket {
    /// Sends one datagram, and returns when the kernel has it; waits while the kernel has no room.
    ///
    /// - Parameters:
    ///   - bytes: its content; may be empty.
    ///   - destination: where to; nil for the peer of a connected socket.
    /// - Throws: `refused` or `unreachable` where the peer's host has reported something: then this datagram has not been
    ///   sent, and sending again is right. `tooLarge` (over 65,507 bytes with IPv4), `wrongFamily`, `alreadyConnected`,
    ///   `notConnected`, `closed`. `cancelled` while waiting for room: then it has not been sent either.
    public func send(_ bytes: [UInt8], to destination: SocketAddress? = nil) async throws(SocketError) {
        let operation = "sending \(bytes.count) bytes"
        let channel = try checkedChannel(for: destination, operation)
        if let error = pendingError.take() { throw SocketError(error, operation) }
        // On a connected socket the kernel would take an address for an order to change the peer.
        let target = peer == nil ? destination : nil
        if senders.isEmpty {
            switch channel.send(bytes, to: target) {
            case .sent: return
            case .failed(let error): throw SocketError(error, operation)
            case .wouldBlock: break
            }
        }
        try await waitForRoom(bytes, to: target)
    }

    private func checkedChannel(
        for destination: SocketAddress?,
        _ operation: String
    ) throws(SocketError) -> DatagramChannel {
        guard let channel else { throw SocketError(.closed, operation) }
        guard let target = destination ?? peer else { throw SocketError(.notConnected, operation) }
        guard target.family == family else { throw SocketError(.wrongFamily, operation) }
        guard peer == nil || target == peer else { throw SocketError(.alreadyConnected, operation) }
        return channel
    }

    private func waitForRoom(_ bytes: [UInt8], to target: SocketAddress?) async throws(SocketError) {
        let id = nextID()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let sender = Sender(id: id, bytes: bytes, destination: target, continuation: continuation)
                if Task.isCancelled { return sender.end(.cancelled) }
                if channel == nil { return sender.end(.closed) }
                senders.append(sender)
                watch()
            }
        } onCancel: {
            loop.execute { self.assumeIsolated { $0.cancelSender(id) } }
        }
        try result.get()
    }

    private func cancelSender(_ id: UInt64) {
        guard let index = senders.firstIndex(where: { $0.id == id }) else { return }
        senders.remove(at: index).end(.cancelled)
        watch()
    }

    /// The kernel has room: sends what waits, in order.
    func flushSenders() {
        while let sender = senders.first, let channel {
            switch channel.send(sender.bytes, to: sender.destination) {
            case .wouldBlock: return
            case .sent: sender.continuation.resume(returning: .success(()))
            case .failed(let error):
                sender.continuation.resume(
                    returning: .failure(SocketError(error, "sending \(sender.bytes.count) bytes"))
                )
            }
            senders.removeFirst()
        }
    }
}

extension UDPSocket.Sender {
    fileprivate func end(_ code: SocketError.Code) {
        continuation.resume(returning: .failure(SocketError(code, "sending \(bytes.count) bytes")))
    }
}
