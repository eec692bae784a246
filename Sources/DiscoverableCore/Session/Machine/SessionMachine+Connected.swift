extension SessionMachine {
    /// How a session ends while it stands: why, and with what last word.
    private struct End {
        let reason: SessionCloseReason
        var lastWord: SessionStatement?
    }

    /// Sends a message. Its outcome follows, as an event.
    package mutating func send(_ text: String, now: Instant) throws(SendRefusal) -> MessageID {
        guard case .connected(var link) = phase else { throw .notConnected(state) }
        do throws(MessageRefusal) {
            try format.checkMessage(text)
        } catch {
            throw .message(error)
        }
        guard link.outstanding.count < configuration.maximumOutstandingMessages else { throw .tooManyOutstanding }
        let now = notice(now)
        lastMessage += 1
        let id = MessageID(rawValue: lastMessage)
        phase = .idle  // So that the link is changed in place, and not a copy of it.
        link.outstanding.append(.message(id, text), now: now, timeout: configuration.acknowledgementTimeout)
        phase = .connected(link)
        emit(.sent(id, text))
        say(.message(format.numbersMessages ? id : nil, text), to: link.peer)
        return id
    }

    mutating func receive(
        _ statement: SessionStatement,
        on link: Link,
        roomForMessage: Bool,
        now: Instant
    ) -> Reception {
        var link = link
        phase = .idle  // So that the link is changed in place, and not a copy of it.
        link.lastHeard = now
        link.unansweredProbes = 0
        if case .discover = statement {} else { link.credit = nil }
        var end: End?
        let reception: Reception
        switch statement {
        case .discover: reception = answerDiscover(on: &link)
        case .shake:
            link.outstanding.settleProbes()
            reception = ignore(.redundant)
        case .acknowledgement(let id): reception = settle(id, on: &link, now: now)
        case .disconnect:
            // The end is acknowledged, which lets the peer stop repeating it, and never answered by a disconnect.
            end = End(reason: .closedByPeer, lastWord: .acknowledgement(nil))
            reception = .taken
        case .message(let id, let text):
            reception = deliver(text, id, from: link.peer, roomForMessage: roomForMessage)
        }
        resume(link, end)
        return reception
    }

    /// The client repeats itself: our answer was lost, or it asks whether we are there.
    private mutating func answerDiscover(on link: inout Link) -> Reception {
        switch link.role {
        case .client: return ignore(.unexpected)
        case .server(let admission):
            link.credit = link.credit.map { $0 + 3 * length }
            for statement in admission { sayOnCredit(statement, to: link.peer, &link.credit) }
            return .taken
        }
    }

    private mutating func settle(_ id: MessageID?, on link: inout Link, now: Instant) -> Reception {
        guard let settled = link.outstanding.acknowledge(id, now: now) else { return ignore(.redundant) }
        guard case .message(let id, let text) = settled.entry else { return .taken }
        link.roundTripTime.record(settled.elapsed)
        emit(.acknowledged(id, text, roundTripTime: settled.elapsed))
        record(acknowledged: true, on: &link)
        return .taken
    }

    private mutating func record(acknowledged: Bool, on link: inout Link) {
        guard link.strength.record(acknowledged: acknowledged), let percent = link.strength.percent else { return }
        emit(.strengthChanged(percent))
    }

    private mutating func deliver(
        _ text: String,
        _ id: MessageID?,
        from peer: SocketAddress,
        roomForMessage: Bool
    ) -> Reception {
        guard text.isEmpty || roomForMessage else { return ignore(.noRoom) }
        say(.acknowledgement(id), to: peer)
        if !text.isEmpty { emit(.received(text)) }
        return .taken
    }

    // MARK: Deadlines

    mutating func connectedDeadlineReached(_ link: Link, reason: SessionDeadline.Reason, now: Instant) {
        var link = link
        phase = .idle  // So that the link is changed in place, and not a copy of it.
        var end: End?
        switch reason {
        case .acknowledgement: end = expireOldest(on: &link, now: now)
        case .keepAlive: probe(on: &link, now: now)
        case .idle: end = End(reason: .idle, lastWord: .disconnect)
        case .discover, .connectTimeout, .disconnect: break
        }
        resume(link, end)
    }

    private mutating func expireOldest(on link: inout Link, now: Instant) -> End? {
        switch link.outstanding.expireOldest(now: now) {
        case nil: return nil
        case .probe?:
            link.unansweredProbes += 1
            guard link.unansweredProbes < configuration.maximumUnansweredProbes else { return End(reason: .silent) }
            probe(on: &link, now: now)
            return nil
        case .message(let id, let text)?:
            emit(.lost(id, text))
            record(acknowledged: false, on: &link)
            return isLost(link, now: now) ? End(reason: .lost) : nil
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
    private mutating func probe(on link: inout Link, now: Instant) {
        link.outstanding.append(.probe, now: now, timeout: configuration.acknowledgementTimeout)
        say(format.discover(name: deviceName), to: link.peer)
    }

    func deadline(of link: Link) -> SessionDeadline? {
        if let expiry = link.outstanding.nextExpiry { return SessionDeadline(at: expiry, reason: .acknowledgement) }
        switch link.role {
        case .client:
            return configuration.keepAliveInterval.map {
                SessionDeadline(at: link.lastHeard.advanced(by: $0), reason: .keepAlive)
            }
        case .server:
            return configuration.idleTimeout.map {
                SessionDeadline(at: link.lastHeard.advanced(by: $0), reason: .idle)
            }
        }
    }

    // MARK: The end

    /// Goes on with the link, or ends the session.
    private mutating func resume(_ link: Link, _ end: End?) {
        guard let end else { return phase = .connected(link) }
        var credit = link.credit
        if let lastWord = end.lastWord { sayOnCredit(lastWord, to: link.peer, &credit) }
        finish(link, end.reason)
    }

    mutating func finish(_ link: Link, _ reason: SessionCloseReason) {
        leave(link)
        phase = .over(.closed(reason))
        emit(.closed(reason))
    }

    /// Gives up the messages without an outcome, and keeps what the app may still ask for.
    mutating func leave(_ link: Link) {
        for (id, text) in link.outstanding.messages { emit(.abandoned(id, text)) }
        lastStrength = link.strength.percent
        lastRoundTripTime = link.roundTripTime.smoothed
    }
}
