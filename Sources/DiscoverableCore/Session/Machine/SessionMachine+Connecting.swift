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

    /// Begins: an address after the other gets discovers, each until one answers. All of it is bounded by one time-out. A
    /// machine connects once; later calls do nothing.
    package mutating func connect(to addresses: [SocketAddress], now: Instant) {
        guard case .idle = phase else { return }
        guard !addresses.isEmpty else { return fail(.noAnswer) }
        let now = notice(now)
        var known: Set<SocketAddress> = []
        let candidates = addresses.filter { known.insert($0).inserted }.enumerated().map { index, address in
            Handshake.Candidate(address: address, nextDiscover: now.advanced(by: configuration.addressStagger * index))
        }
        let expiry = now.advanced(by: configuration.connectTimeout)
        phase = .connecting(Handshake(candidates: candidates, expiry: expiry))
        deadlineReached(now: now)
    }

    mutating func connectingDeadlineReached(_ handshake: Handshake, now: Instant) {
        guard now < handshake.expiry else { return fail(handshake.failure) }
        var handshake = handshake
        for index in handshake.candidates.indices {
            guard let next = handshake.candidates[index].nextDiscover, next <= now else { continue }
            discover(&handshake.candidates[index], now: now)
        }
        phase = .connecting(handshake)
    }

    private mutating func discover(_ candidate: inout Handshake.Candidate, now: Instant) {
        if candidate.discovers == 0 { emit(.connecting(to: candidate.address)) }
        candidate.discovers += 1
        candidate.lastDiscover = now
        // By the schedule, so that what a busy machine is late does not add up to a discover less; but never two at once.
        let next = (candidate.nextDiscover ?? now).advanced(by: configuration.discoverInterval)
        candidate.nextDiscover = next > now ? next : now.advanced(by: configuration.discoverInterval)
        say(format.discover(name: deviceName), to: candidate.address)
    }

    mutating func receive(
        _ statement: SessionStatement,
        from source: SocketAddress,
        during handshake: Handshake,
        now: Instant
    ) -> Reception {
        var handshake = handshake
        guard let index = handshake.candidates.firstIndex(where: { $0.address == source && $0.discovers > 0 }) else {
            return ignore(.stranger)
        }
        switch statement {
        case .shake:
            phase = .connected(link(to: handshake.candidates[index], now: now))
            emit(.connected(to: source))
            return .taken
        case .acknowledgement:
            handshake.candidates[index].hasAcknowledged = true
            phase = .connecting(handshake)
            return .taken
        case .disconnect:
            handshake.candidates[index].hasEnded = true
            handshake.candidates[index].nextDiscover = nil
            phase = .connecting(handshake)
            // One address less; the connecting fails with the last.
            if handshake.candidates.allSatisfy(\.hasEnded) { fail(.endedByPeer) }
            return .taken
        case .discover, .message:
            return ignore(.unexpected)
        }
    }

    private func link(to candidate: Handshake.Candidate, now: Instant) -> Link {
        var link = Link(peer: candidate.address, role: .client, configuration: configuration, now: now)
        let elapsed = candidate.lastDiscover.map { $0.duration(to: now) } ?? .zero
        // Karn: which of several discovers was answered is unknown.
        if candidate.discovers == 1 { link.roundTripTime.record(elapsed) }
        if !candidate.hasAcknowledged {
            // Half of what the handshake took: no message's acknowledgement can be here by then.
            link.outstanding.expectStraggler(until: now.advanced(by: min(elapsed / 2, .milliseconds(50))))
        }
        return link
    }

    private mutating func fail(_ failure: SessionConnectFailure) {
        phase = .over(.failed(failure))
        emit(.failed(failure))
    }

    /// Notes what the peer's host said. A hint, not a verdict: such reports can be forged, and servers restart.
    ///
    /// While connecting it brings the next address forward, and gives the failure its name. It never ends a session that
    /// stands; while closing it means that the peer is gone already.
    package mutating func peerRejected(_ rejection: PeerRejection, from address: SocketAddress, now: Instant) {
        let now = notice(now)
        switch phase {
        case .connecting(var handshake):
            handshake.reject(address, rejection, now: now)
            phase = .connecting(handshake)
        case .closing(let farewell) where farewell.peer == address: finish(farewell)
        case .idle, .connected, .closing, .over: break
        }
    }
}

extension SessionMachine.Handshake {
    var nextDiscover: Instant? { candidates.compactMap(\.nextDiscover).min() }

    /// The addresses that were sent a discover, and have not said that it is over.
    var asked: [SocketAddress] { candidates.filter { $0.discovers > 0 && !$0.hasEnded }.map(\.address) }

    /// The name of the failure that happens if nothing more comes. Addresses that were never tried have no say.
    fileprivate var failure: SessionConnectFailure {
        let tried = candidates.filter { $0.discovers > 0 }
        if tried.contains(where: \.hasAcknowledged) { return .noHandshake }
        if tried.contains(where: \.hasEnded) { return .endedByPeer }
        guard tried.allSatisfy({ $0.rejection != nil }) else { return .noAnswer }
        return tried.contains { $0.rejection == .refused } ? .refused : .unreachable
    }

    fileprivate mutating func reject(_ address: SocketAddress, _ rejection: PeerRejection, now: Instant) {
        guard let index = candidates.firstIndex(where: { $0.address == address }) else { return }
        candidates[index].rejection = rejection
        if let next = candidates.firstIndex(where: { $0.discovers == 0 && $0.nextDiscover != nil }) {
            candidates[next].nextDiscover = now
        }
    }
}
