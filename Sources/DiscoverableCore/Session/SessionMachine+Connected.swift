extension SessionMachine {
    /// What a session that stands knows of its peer.
    struct Link: Sendable {
        enum Role: Sendable {
            case client
            /// With what answers a discover that the client repeats.
            case server(admission: [ClassicDatagram])
        }

        let peer: SocketAddress
        let role: Role
        var ledger = AcknowledgementLedger()
        var strength: Strength
        var roundTripTime = RoundTripTime()
        var lastHeard: Instant
        var unansweredProbes = 0

        init(peer: SocketAddress, role: Role, configuration: SessionConfiguration, now: Instant) {
            self.peer = peer
            self.role = role
            strength = Strength(window: configuration.strengthWindow, lostBelow: configuration.lostBelowStrength)
            lastHeard = now
        }
    }

    /// Sends a message. Its outcome follows: a `Settlement`, or the end of the session.
    package mutating func send(_ text: String, now: Instant) -> SendAction {
        guard case .connected(var link) = phase else { return .refuse(.notConnected(state)) }
        do throws(ClassicCodec.PayloadRefusal) {
            try ClassicCodec(prefix: configuration.prefix).checkPayload(text)
        } catch {
            return .refuse(.payload(error))
        }
        guard link.ledger.count < configuration.maximumOutstandingMessages else { return .refuse(.tooManyOutstanding) }
        let id = nextMessage()
        link.ledger.append(.message(id), now: now, timeout: configuration.acknowledgementTimeout)
        phase = .connected(link)
        return .transmit(id, .payload(text))
    }

    mutating func receiveConnected(
        _ link: Link,
        _ datagram: ClassicDatagram,
        roomForMessage: Bool,
        now: Instant
    ) -> ReceiveAction {
        var link = link
        link.lastHeard = now
        link.unansweredProbes = 0
        phase = .connected(link)
        switch datagram {
        case .discover: return receiveDiscover(link)
        case .shake: return receiveShake(link)
        case .acknowledgement: return receiveAcknowledgement(link, now: now)
        // The end is acknowledged, which lets the peer stop repeating it, and never answered by a disconnect.
        case .disconnect: return .end(end(link, .closedByPeer, farewell: .acknowledgement))
        case .payload(""): return .answer([.acknowledgement])
        case .payload(let text): return roomForMessage ? .deliver(text) : ignore(.noRoom)
        }
    }

    /// The client repeats itself: our answer was lost, or it asks whether we are there.
    private mutating func receiveDiscover(_ link: Link) -> ReceiveAction {
        switch link.role {
        case .client: ignore(.unexpected)
        case .server(let admission): .answer(admission)
        }
    }

    private mutating func receiveShake(_ link: Link) -> ReceiveAction {
        var link = link
        link.ledger.settleProbes()
        phase = .connected(link)
        return ignore(.redundant)
    }

    private mutating func receiveAcknowledgement(_ link: Link, now: Instant) -> ReceiveAction {
        var link = link
        let settled = link.ledger.acknowledge(now: now)
        phase = .connected(link)
        guard case .message(let id)? = settled?.entry, let elapsed = settled?.elapsed else { return ignore(.redundant) }
        link.roundTripTime.record(elapsed)
        let changed = link.strength.record(acknowledged: true)
        phase = .connected(link)
        return .settle(
            Settlement(message: id, roundTripTime: elapsed, newStrength: changed ? link.strength.percent : nil)
        )
    }

    mutating func connectedDeadlineReached(_ link: Link, now: Instant) -> DeadlineAction {
        guard let deadline = deadline(of: link), deadline.at <= now else { return .wait }
        switch deadline.reason {
        case .acknowledgement: return expireOldest(link, now: now)
        case .keepAlive: return probe(link, now: now)
        case .idle: return .end(end(link, .idle, farewell: .disconnect))
        case .discover, .connectTimeout, .disconnect: return .wait
        }
    }

    private mutating func expireOldest(_ link: Link, now: Instant) -> DeadlineAction {
        var link = link
        switch link.ledger.expireOldest(now: now) {
        case nil: return .wait
        case .probe?:
            link.unansweredProbes += 1
            guard link.unansweredProbes < configuration.maximumUnansweredProbes else {
                return .end(end(link, .silent))
            }
            return probe(link, now: now)
        case .message(let id)?:
            let changed = link.strength.record(acknowledged: false)
            let newStrength = changed ? link.strength.percent : nil
            let settlement = Settlement(message: id, roundTripTime: nil, newStrength: newStrength)
            guard isLost(link, now: now) else {
                phase = .connected(link)
                return .settle(settlement)
            }
            return .settleAndEnd(settlement, end(link, .lost))
        }
    }

    /// A server does not give up a client that speaks: classic clients acknowledge nothing.
    private func isLost(_ link: Link, now: Instant) -> Bool {
        guard link.strength.isLost else { return false }
        switch link.role {
        case .client: return true
        case .server: return link.lastHeard.duration(to: now) >= configuration.acknowledgementTimeout
        }
    }

    /// A repeated discover is what every known server acknowledges, in every state.
    private mutating func probe(_ link: Link, now: Instant) -> DeadlineAction {
        var link = link
        link.ledger.append(.probe, now: now, timeout: configuration.acknowledgementTimeout)
        phase = .connected(link)
        return .probe
    }

    func deadline(of link: Link) -> Deadline? {
        if let expiry = link.ledger.nextExpiry { return Deadline(at: expiry, reason: .acknowledgement) }
        switch link.role {
        case .client:
            return configuration.keepAliveInterval.map {
                Deadline(at: link.lastHeard.advanced(by: $0), reason: .keepAlive)
            }
        case .server:
            return configuration.idleTimeout.map { Deadline(at: link.lastHeard.advanced(by: $0), reason: .idle) }
        }
    }
}
