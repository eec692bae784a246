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
    ///   bounded number of times, until the peer reacts.
    package mutating func close(tellingPeer: Bool, now: Instant) -> CloseAction {
        switch phase {
        case .idle, .connecting:
            phase = .over(.closed(.closedLocally))
            return .giveUp
        case .connected(let link):
            guard tellingPeer else { return .end(end(link, .closedLocally)) }
            leave(link)
            phase = .closing(
                Farewell(
                    peer: link.peer,
                    acknowledgementsAhead: link.ledger.count,
                    attemptsLeft: configuration.disconnectAttempts - 1,
                    next: now.advanced(by: configuration.disconnectInterval)
                )
            )
            return .disconnect(abandoned: link.ledger.messages)
        case .closing, .over:
            return .ignore
        }
    }

    mutating func receiveClosing(_ farewell: Farewell, _ datagram: ClassicDatagram) -> ReceiveAction {
        var farewell = farewell
        switch datagram {
        case .acknowledgement where farewell.acknowledgementsAhead > 0:
            farewell.acknowledgementsAhead -= 1
            phase = .closing(farewell)
            return ignore(.redundant)
        case .acknowledgement:
            return .end(end(farewell))
        case .disconnect:
            // Either the answer of a classic server or both closing at once: the other one is let go.
            return .end(end(farewell, sending: .acknowledgement))
        case .discover, .shake, .payload:
            return ignore(.unexpected)
        }
    }

    mutating func closingDeadlineReached(_ farewell: Farewell, now: Instant) -> DeadlineAction {
        guard farewell.next <= now else { return .wait }
        guard farewell.attemptsLeft > 0 else { return .end(end(farewell)) }
        var farewell = farewell
        farewell.attemptsLeft -= 1
        farewell.next = now.advanced(by: configuration.disconnectInterval)
        phase = .closing(farewell)
        return .disconnect
    }

    private mutating func end(_ farewell: Farewell, sending last: ClassicDatagram? = nil) -> SessionEnd {
        phase = .over(.closed(.closedLocally))
        return SessionEnd(reason: .closedLocally, peer: farewell.peer, abandoned: [], farewell: last)
    }
}
