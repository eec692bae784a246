extension SessionMachine {
    /// Takes a datagram.
    ///
    /// - Parameters:
    ///   - datagram: what it means; nil where it was malformed.
    ///   - source: where it came from. Only the peer's address counts: the classic protocol has no other proof.
    ///   - roomForMessage: whether the app could take a message.
    package mutating func receive(
        _ datagram: ClassicDatagram?,
        from source: SocketAddress,
        roomForMessage: Bool = true,
        now: Instant
    ) -> ReceiveAction {
        guard let datagram else { return ignore(.malformed) }
        switch phase {
        case .idle: return ignore(.unexpected)
        case .connecting(let handshake): return receiveConnecting(handshake, datagram, from: source, now: now)
        case .connected(let link):
            guard link.peer == source else { return ignore(.stranger) }
            return receiveConnected(link, datagram, roomForMessage: roomForMessage, now: now)
        case .closing(let farewell):
            guard farewell.peer == source else { return ignore(.stranger) }
            return receiveClosing(farewell, datagram)
        case .over: return ignore(.over)
        }
    }

    /// Handles one deadline that is due.
    package mutating func deadlineReached(now: Instant) -> DeadlineAction {
        switch phase {
        case .idle, .over: .wait
        case .connecting(let handshake): connectingDeadlineReached(handshake, now: now)
        case .connected(let link): connectedDeadlineReached(link, now: now)
        case .closing(let farewell): closingDeadlineReached(farewell, now: now)
        }
    }

    /// When the machine wants to be called next; nil where only events can change something.
    package var nextDeadline: Deadline? {
        switch phase {
        case .idle, .over: return nil
        case .connecting(let handshake):
            guard let next = handshake.nextDiscover, next < handshake.expiry else {
                return Deadline(at: handshake.expiry, reason: .connectTimeout)
            }
            return Deadline(at: next, reason: .discover)
        case .connected(let link): return deadline(of: link)
        case .closing(let farewell): return Deadline(at: farewell.next, reason: .disconnect)
        }
    }
}
