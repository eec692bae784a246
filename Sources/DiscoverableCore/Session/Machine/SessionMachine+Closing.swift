extension SessionMachine {
    /// What is left to do while closing.
    struct Farewell: Sendable {
        let peer: SocketAddress
        /// Acknowledgements of messages that may still come before that of the disconnect.
        var acknowledgementsAhead: Int
        var attemptsLeft: Int
        var next: Instant
        /// As the link's.
        var credit: Int?
    }

    /// Ends the session.
    ///
    /// - Parameter tellingPeer: whether the peer gets a disconnect, which ends a classic server altogether. It is repeated a
    ///   bounded number of times, until the peer reacts. While connecting, each address that was asked gets one, and nobody
    ///   waits for an answer.
    package mutating func close(tellingPeer: Bool, now: Instant) {
        let now = notice(now)
        switch phase {
        case .idle: giveUp(asked: [])
        case .connecting(let handshake): giveUp(asked: tellingPeer ? handshake.asked : [])
        case .connected(let link):
            guard tellingPeer else { return finish(link, .closedLocally) }
            leave(link)
            beginClosing(link, now: now)
        case .closing, .over: break
        }
    }

    /// The listener needs this session's place. Nobody is told: the client has said nothing that would prove its address.
    package mutating func displace() {
        switch phase {
        case .connected(let link): finish(link, .displaced)
        case .closing(let farewell): finish(farewell)
        case .idle, .connecting, .over: break
        }
    }

    private mutating func giveUp(asked: [SocketAddress]) {
        for address in asked { say(.disconnect, to: address) }
        phase = .over(.closed(.closedLocally))
        emit(.closed(.closedLocally))
    }

    private mutating func beginClosing(_ link: Link, now: Instant) {
        let farewell = Farewell(
            peer: link.peer,
            acknowledgementsAhead: format.numbersMessages ? 0 : link.outstanding.acknowledgementsAhead(at: now),
            attemptsLeft: configuration.disconnectAttempts,
            next: now,
            credit: link.credit
        )
        sayGoodbye(farewell, now: now)
    }

    /// Once more, if that is due and allowed; else it is over.
    private mutating func sayGoodbye(_ farewell: Farewell, now: Instant) {
        var farewell = farewell
        guard farewell.attemptsLeft > 0, sayOnCredit(.disconnect, to: farewell.peer, &farewell.credit) else {
            return finish(farewell)
        }
        farewell.attemptsLeft -= 1
        farewell.next = now.advanced(by: configuration.disconnectInterval)
        phase = .closing(farewell)
    }

    mutating func receive(_ statement: SessionStatement, during farewell: Farewell) -> Reception {
        switch statement {
        case .acknowledgement(nil) where farewell.acknowledgementsAhead > 0:
            var farewell = farewell
            farewell.acknowledgementsAhead -= 1
            phase = .closing(farewell)
            return ignore(.redundant)
        case .acknowledgement(nil):
            finish(farewell)
            return .taken
        case .disconnect:
            // Either the answer of a classic server or both closing at once: the other one is let go.
            say(.acknowledgement(nil), to: farewell.peer)
            finish(farewell)
            return .taken
        // Of a message, whose outcome nobody waits for any more.
        case .acknowledgement: return ignore(.redundant)
        case .discover, .shake, .message: return ignore(.unexpected)
        }
    }

    mutating func closingDeadlineReached(_ farewell: Farewell, now: Instant) { sayGoodbye(farewell, now: now) }

    mutating func finish(_ farewell: Farewell) {
        phase = .over(.closed(.closedLocally))
        emit(.closed(.closedLocally))
    }
}
