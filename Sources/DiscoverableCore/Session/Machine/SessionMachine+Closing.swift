extension SessionMachine {
    /// What is left to do while closing.
    struct Farewell: Sendable {
        let peer: SocketAddress
        /// Acknowledgements of messages that may still come before that of the disconnect.
        var acknowledgementsAhead: Int
        var attemptsLeft: Int
        var next: Instant
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
        guard case .connected(let link) = phase else { return }
        finish(link, .displaced)
    }

    private mutating func giveUp(asked: [SocketAddress]) {
        for address in asked { say(.disconnect, to: address) }
        phase = .over(.closed(.closedLocally))
        emit(.closed(.closedLocally))
    }

    private mutating func beginClosing(_ link: Link, now: Instant) {
        phase = .closing(
            Farewell(
                peer: link.peer,
                acknowledgementsAhead: format.numbersMessages ? 0 : link.outstanding.count,
                attemptsLeft: configuration.disconnectAttempts - 1,
                next: now.advanced(by: configuration.disconnectInterval)
            )
        )
        say(.disconnect, to: link.peer)
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

    mutating func closingDeadlineReached(_ farewell: Farewell, now: Instant) {
        guard farewell.attemptsLeft > 0 else { return finish(farewell) }
        var farewell = farewell
        farewell.attemptsLeft -= 1
        farewell.next = now.advanced(by: configuration.disconnectInterval)
        phase = .closing(farewell)
        say(.disconnect, to: farewell.peer)
    }

    mutating func finish(_ farewell: Farewell) {
        phase = .over(.closed(.closedLocally))
        emit(.closed(.closedLocally))
    }
}
