internal import DiscoverableCore
package import DiscoverableRuntime

/// What the machine decides is carried out here; what happens comes in here.
extension Session: ReadinessHandler {
    package nonisolated func becameReady(_ readiness: EpollSet.Readiness, registration: Registration) {
        assumeIsolated { $0.handle(readiness, registration) }
    }

    private func handle(_ readiness: EpollSet.Readiness, _ registration: Registration) {
        guard let (peer, channel) = (transport as? ClientTransport)?.channel(for: registration) else { return }
        if readiness.contains(.error), let error = channel.takeError() { peerReported(error, peer) }
        if readiness.contains(.readable) { read(from: channel, peer: peer) }
        if readiness.contains(.writable) { channel.flushOutbox(handler: self) }
        rearm()
    }

    private func read(from channel: DatagramChannel, peer: SocketAddress) {
        var batch: [ReceivedDatagram] = []
        let end = channel.receive { batch.append($0) }
        let now = MonotonicClock.now
        // The socket is connected: whatever it delivers is the peer's, by the address that was tried.
        for datagram in batch { take(datagram, from: peer, now: now) }
        if case .failed(let error) = end { peerReported(error, peer) }
    }

    /// Takes a datagram; the listener calls it for its sessions.
    func receive(_ datagram: ReceivedDatagram, from source: SocketAddress, now: Instant) {
        take(datagram, from: source, now: now)
        rearm()
    }

    private func take(_ datagram: ReceivedDatagram, from source: SocketAddress, now: Instant) {
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
