extension SessionMachine {
    /// A client's addresses, each with what it has said so far.
    struct Handshake: Sendable {
        struct Candidate: Sendable {
            let address: SocketAddress
            /// When it gets its next discover; nil once it has said no.
            var nextDiscover: Instant?
            var lastDiscover: Instant?
            var discovers = 0
            var hasAcknowledged = false
            var rejection: PeerRejection?
            var hasEnded = false
        }

        var candidates: [Candidate]
        let expiry: Instant
    }

    /// What a peer's host says about itself.
    package enum PeerRejection: Hashable, Sendable {
        /// Nobody listens on the port.
        case refused
        /// There is no way to the address.
        case unreachable
    }

    /// Begins: an address after the other gets discovers, each until one answers. All of it is bounded by one time-out.
    package mutating func connect(to addresses: [SocketAddress], now: Instant) -> DeadlineAction {
        guard case .idle = phase else { return .wait }
        guard !addresses.isEmpty else {
            phase = .over(.failed(.noAnswer))
            return .fail(.noAnswer)
        }
        let candidates = addresses.enumerated().map { index, address in
            Handshake.Candidate(address: address, nextDiscover: now.advanced(by: configuration.addressStagger * index))
        }
        let expiry = now.advanced(by: configuration.connectTimeout)
        phase = .connecting(Handshake(candidates: candidates, expiry: expiry))
        return deadlineReached(now: now)
    }

    mutating func connectingDeadlineReached(_ handshake: Handshake, now: Instant) -> DeadlineAction {
        var handshake = handshake
        if handshake.expiry <= now {
            phase = .over(.failed(handshake.failure))
            return .fail(handshake.failure)
        }
        let due = handshake.takeDue(now: now, interval: configuration.discoverInterval)
        phase = .connecting(handshake)
        return due.isEmpty ? .wait : .discover(due)
    }

    mutating func receiveConnecting(
        _ handshake: Handshake,
        _ datagram: ClassicDatagram,
        from source: SocketAddress,
        now: Instant
    ) -> ReceiveAction {
        var handshake = handshake
        guard let index = handshake.candidates.firstIndex(where: { $0.address == source && $0.discovers > 0 }) else {
            return ignore(.stranger)
        }
        switch datagram {
        case .shake:
            phase = .connected(link(to: handshake.candidates[index], now: now))
            return .connected(peer: source)
        case .acknowledgement:
            handshake.candidates[index].hasAcknowledged = true
            phase = .connecting(handshake)
            return ignore(.redundant)
        case .disconnect:
            return receiveEnd(&handshake, from: index)
        case .discover, .payload:
            return ignore(.unexpected)
        }
    }

    /// One address less; the connecting fails with the last.
    private mutating func receiveEnd(_ handshake: inout Handshake, from index: Int) -> ReceiveAction {
        handshake.candidates[index].hasEnded = true
        handshake.candidates[index].nextDiscover = nil
        guard handshake.candidates.allSatisfy(\.hasEnded) else {
            phase = .connecting(handshake)
            return ignore(.redundant)
        }
        phase = .over(.failed(.endedByPeer))
        return .fail(.endedByPeer)
    }

    private func link(to candidate: Handshake.Candidate, now: Instant) -> Link {
        var link = Link(peer: candidate.address, role: .client, configuration: configuration, now: now)
        let elapsed = candidate.lastDiscover.map { $0.duration(to: now) } ?? .zero
        // Karn: which of several discovers was answered is unknown.
        if candidate.discovers == 1 { link.roundTripTime.record(elapsed) }
        if !candidate.hasAcknowledged {
            // Half of what the handshake took: no message's acknowledgement can be here by then.
            link.ledger.expectStraggler(until: now.advanced(by: min(elapsed / 2, .milliseconds(50))))
        }
        return link
    }

    /// Notes what the peer's host said. A hint, not a verdict: such reports can be forged, and servers restart.
    ///
    /// While connecting it brings the next address forward, and gives the failure its name. It never ends a session that
    /// stands; while closing it means that the peer is gone already.
    package mutating func peerRejected(
        _ rejection: PeerRejection,
        from address: SocketAddress,
        now: Instant
    ) -> RejectAction {
        switch phase {
        case .connecting(var handshake):
            handshake.reject(address, rejection, now: now)
            phase = .connecting(handshake)
            return .note
        case .closing(let farewell) where farewell.peer == address:
            phase = .over(.closed(.closedLocally))
            return .end(SessionEnd(reason: .closedLocally, peer: address, abandoned: [], farewell: nil))
        case .idle, .connected, .closing, .over:
            return .note
        }
    }
}

extension SessionMachine.Handshake {
    var nextDiscover: Instant? { candidates.compactMap(\.nextDiscover).min() }

    /// The name of the failure that happens if nothing more comes. Addresses that were never tried have no say.
    fileprivate var failure: SessionConnectFailure {
        let tried = candidates.filter { $0.discovers > 0 }
        if tried.contains(where: \.hasAcknowledged) { return .noHandshake }
        if tried.contains(where: \.hasEnded) { return .endedByPeer }
        guard tried.allSatisfy({ $0.rejection != nil }) else { return .noAnswer }
        return tried.contains { $0.rejection == .refused } ? .refused : .unreachable
    }

    fileprivate mutating func takeDue(now: Instant, interval: Duration) -> [SocketAddress] {
        var due: [SocketAddress] = []
        for index in candidates.indices {
            guard let next = candidates[index].nextDiscover, next <= now else { continue }
            candidates[index].lastDiscover = now
            candidates[index].discovers += 1
            candidates[index].nextDiscover = now.advanced(by: interval)
            due.append(candidates[index].address)
        }
        return due
    }

    fileprivate mutating func reject(
        _ address: SocketAddress,
        _ rejection: SessionMachine.PeerRejection,
        now: Instant
    ) {
        guard let index = candidates.firstIndex(where: { $0.address == address }) else { return }
        candidates[index].rejection = rejection
        if let next = candidates.firstIndex(where: { $0.discovers == 0 && $0.nextDiscover != nil }) {
            candidates[next].nextDiscover = now
        }
    }
}
