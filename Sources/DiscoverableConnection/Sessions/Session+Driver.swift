internal import DiscoverableCore
internal import DiscoverableRuntime

/// What the machine decides is carried out here; what happens comes in here.
extension Session: DatagramEngineClient {
    nonisolated func hasRoom(on engine: DatagramEngine) -> Bool { true }

    nonisolated func received(_ batch: DatagramBatch, on engine: DatagramEngine) {
        assumeIsolated { session in
            // The socket is connected: whatever it delivers is the peer's, by the address that was tried.
            guard let peer = (session.transport as? ClientTransport)?.peer(of: engine) else { return }
            let now = MonotonicClock.now
            for datagram in batch { session.take(datagram, from: peer, now: now) }
            session.rearm()
        }
    }

    nonisolated func failed(_ failure: DatagramFailure, on engine: DatagramEngine) {
        guard let error = failure.error.underlying else { return }
        assumeIsolated { $0.engineReported(error, engine) }
    }

    nonisolated func stopped(_ error: UnderlyingError, on engine: DatagramEngine) {
        assumeIsolated { $0.engineReported(error, engine) }
    }

    private func engineReported(_ error: UnderlyingError, _ engine: DatagramEngine) {
        guard let peer = (transport as? ClientTransport)?.peer(of: engine) else { return }
        peerReported(error, peer)
        rearm()
    }

    /// Takes a datagram; the listener calls it for its sessions.
    func receive(_ datagram: Datagram, from source: SocketAddress, now: Instant) {
        take(datagram, from: source, now: now)
        rearm()
    }

    private func take(_ datagram: Datagram, from source: SocketAddress, now: Instant) {
        let parsed = datagram.isTruncated ? nil : codec.parse(datagram.bytes)
        let hasRoom = messageBroadcast.unread < configuration.maximumUnreadMessages
        perform(machine.receive(parsed, from: source, roomForMessage: hasRoom, now: now))
    }

    private func peerReported(_ error: UnderlyingError, _ peer: SocketAddress) {
        guard let rejection = SessionMachine.PeerRejection(error) else { return }
        peerRejected(rejection, peer)
    }

    private func peerRejected(_ rejection: SessionMachine.PeerRejection, _ peer: SocketAddress) {
        switch machine.peerRejected(rejection, from: peer, now: MonotonicClock.now) {
        case .note: break
        case .end(let end): finish(end)
        }
    }

    func transmit(_ datagram: ClassicDatagram) {
        guard let peer else { return }
        transmit(datagram, to: peer)
    }

    func transmit(_ datagram: ClassicDatagram, to address: SocketAddress) {
        if let rejection = transport.send(codec.encode(datagram), to: address, for: self) {
            peerRejected(rejection, address)
        }
    }

    /// One timer, for the machine's next deadline.
    func rearm() {
        let next = machine.nextDeadline?.at
        guard next != timer?.deadline else { return }
        timer?.scheduled.cancel()
        timer = next.map { deadline in
            (
                deadline,
                loop.schedule(at: deadline) { [weak self] in self?.assumeIsolated { $0.deadlineReached() } }
            )
        }
    }

    private func deadlineReached() {
        timer = nil
        let now = MonotonicClock.now
        while let deadline = machine.nextDeadline, deadline.at <= now {
            perform(machine.deadlineReached(now: now))
        }
        rearm()
    }
}
