internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime

extension UDPListener {
    /// Gives each flow what is its peer's. Neighbours of one peer go together.
    func received(_ batch: DatagramBatch) {
        let now = configuration.idleTimeout.map { _ in MonotonicClock.now }
        var start = 0
        while start < batch.count {
            let peer = batch.source(at: start)
            var end = start + 1
            while end < batch.count, batch.source(at: end) == peer { end += 1 }
            if let inbox = table[peer] ?? admit(peer, now: now) {
                inbox.push(batch, start..<end, now: now)
            } else {
                refusedDatagrams += UInt64(end - start)
            }
            start = end
        }
    }

    /// A flow for a new peer; nil where there are too many.
    private func admit(_ peer: SocketAddress, now: Instant?) -> FlowInbox? {
        guard !isClosed, table.count < max(1, configuration.maximumFlows) else { return nil }
        guard flowBroadcast.unread < max(1, configuration.backlog) else { return nil }
        let inbox = FlowInbox(peer: peer, limit: configuration.queueLimit, now: now ?? .origin)
        table[peer] = inbox
        if let now, let timeout = configuration.idleTimeout { watch(inbox, until: now.advanced(by: timeout)) }
        flowBroadcast.push(UDPFlow(inbox: inbox, listener: self))
        return inbox
    }

    func route(_ failure: DatagramFailure) {
        guard let peer = failure.peer, let inbox = table[peer] else { return failures.push(failure) }
        inbox.failures.push(failure)
    }

    /// The flow is over: its peer's next datagram makes a new one.
    func remove(_ inbox: FlowInbox) {
        // Another flow may have taken its place.
        guard table[inbox.peer] === inbox else { return }
        table[inbox.peer] = nil
        timers.removeValue(forKey: inbox.peer)?.cancel()
    }

    // MARK: Idleness

    /// One timer for each flow, which is set anew when it is due and not with each datagram.
    private func watch(_ inbox: FlowInbox, until deadline: Instant) {
        timers[inbox.peer] = socket.loop.schedule(at: deadline) { [weak self, weak inbox] in
            guard let inbox else { return }
            self?.assumeIsolated { $0.endIfIdle(inbox) }
        }
    }

    private func endIfIdle(_ inbox: FlowInbox) {
        guard table[inbox.peer] === inbox, let timeout = configuration.idleTimeout else { return }
        switch inbox.endIfIdle(for: timeout, now: MonotonicClock.now) {
        case .active(let deadline): watch(inbox, until: deadline)
        case .ended(let waiters):
            remove(inbox)
            for waiter in waiters { waiter.end(.ended(.timedOut)) }
        }
    }
}
