/// One session as a pure value: what a client does from its first discover on, or a server from the admission of a client,
/// until the end.
///
/// The contract of its driver:
/// 1. Begin with `connect` (client) or `init(admitting:)` (server).
/// 2. Hand in what happens with the present time: `receive` for each datagram, `peerRejected` for an error of the peer's
///    host, `send` and `close` for what the app wants. Each returns one action. Carry it out at once, and in full.
/// 3. Keep one timer at `nextDeadline`. When it is due, call `deadlineReached` until the next deadline lies in the future.
/// 4. Once `state` is final there is no deadline, no action but `ignore`, and nothing left to do.
package struct SessionMachine: Sendable {
    enum Phase: Sendable {
        /// A client that has not begun. Becomes connecting.
        case idle
        /// Discovers are out. Becomes connected, closed or failed.
        case connecting(Handshake)
        /// Becomes closing or closed.
        case connected(Link)
        /// Our disconnect is out. Becomes closed.
        case closing(Farewell)
        /// The end: `closed` or `failed`.
        case over(SessionState)
    }

    package let configuration: SessionConfiguration
    var phase: Phase
    /// What is left once the link is gone: the app may still ask.
    var lastStrength: Int?
    var lastRoundTripTime: Duration?
    private var lastMessage: UInt64 = 0
    /// How many datagrams were ignored: of strangers, not UTF-8, out of place, or without room.
    package private(set) var ignoredDatagrams = 0

    /// A client's session that has not begun.
    package init(configuration: SessionConfiguration) {
        self.configuration = configuration
        phase = .idle
    }

    /// A server's session with a client that has just been admitted.
    ///
    /// - Parameter admission: what answers a discover; sent again when the client repeats its own.
    package init(
        admitting peer: SocketAddress,
        admission: [ClassicDatagram],
        configuration: SessionConfiguration,
        now: Instant
    ) {
        self.configuration = configuration
        phase = .connected(
            Link(peer: peer, role: .server(admission: admission), configuration: configuration, now: now)
        )
    }

    /// The state that an app sees.
    package var state: SessionState {
        switch phase {
        case .idle, .connecting: .connecting
        case .connected: .connected
        case .closing: .closing
        case .over(let state): state
        }
    }

    /// The strength in percent; nil before the first outcome.
    package var strength: Int? {
        if case .connected(let link) = phase { return link.strength.percent }
        return lastStrength
    }

    /// The smoothed round-trip time; nil before the first sample.
    package var roundTripTime: Duration? {
        if case .connected(let link) = phase { return link.roundTripTime.smoothed }
        return lastRoundTripTime
    }

    mutating func nextMessage() -> MessageID {
        lastMessage += 1
        return MessageID(rawValue: lastMessage)
    }

    mutating func ignore(_ reason: IgnoreReason) -> ReceiveAction {
        ignoredDatagrams += 1
        return .ignore(reason)
    }

    /// Ends the session out of a link, and keeps what the app may still ask for.
    mutating func end(_ link: Link, _ reason: SessionCloseReason, farewell: ClassicDatagram? = nil) -> SessionEnd {
        leave(link)
        phase = .over(.closed(reason))
        return SessionEnd(
            reason: reason,
            peer: link.peer,
            abandoned: link.ledger.messages,
            farewell: farewell
        )
    }

    mutating func leave(_ link: Link) {
        lastStrength = link.strength.percent
        lastRoundTripTime = link.roundTripTime.smoothed
    }
}

// MARK: - What verbs return

/// The end of a session that had been connected.
package struct SessionEnd: Hashable, Sendable {
    package let reason: SessionCloseReason
    package let peer: SocketAddress
    /// The messages whose outcome will never be known.
    package let abandoned: [MessageID]
    /// One last datagram for the peer.
    package let farewell: ClassicDatagram?
}

/// The outcome of one message.
package struct Settlement: Hashable, Sendable {
    package let message: MessageID
    /// How long the acknowledgement took; nil where none came.
    package let roundTripTime: Duration?
    /// The new strength; nil where it is the same as before.
    package let newStrength: Int?
}

/// Why a datagram does nothing.
package enum IgnoreReason: Hashable, Sendable {
    /// It came from an address that is not the peer's.
    case stranger
    /// It is not UTF-8, or was cut.
    case malformed
    /// It repeats what has been said or acknowledges nothing of ours: both happen on healthy links.
    case redundant
    /// It has no meaning in this state or for this role.
    case unexpected
    /// Too much waits unread, so it is not acknowledged.
    case noRoom
    /// The session is over.
    case over
}

extension SessionMachine {
    /// What a received datagram causes.
    package enum ReceiveAction: Hashable, Sendable {
        case ignore(IgnoreReason)
        /// The session stands, with the first address that answered. The others are forgotten.
        case connected(peer: SocketAddress)
        /// The last address that was left has said no.
        case fail(SessionConnectFailure)
        case answer([ClassicDatagram])
        /// A message for the app, to be acknowledged.
        case deliver(String)
        case settle(Settlement)
        case end(SessionEnd)
    }

    /// What a deadline causes.
    package enum DeadlineAction: Hashable, Sendable {
        /// None was due.
        case wait
        /// Send a discover to these addresses.
        case discover([SocketAddress])
        case fail(SessionConnectFailure)
        /// A message was not acknowledged in time.
        case settle(Settlement)
        /// The same, and it was one too many.
        case settleAndEnd(Settlement, SessionEnd)
        /// Ask the server whether it is there, by a discover.
        case probe
        case disconnect
        case end(SessionEnd)
    }

    /// What sending a message causes.
    package enum SendAction: Hashable, Sendable {
        case transmit(MessageID, ClassicDatagram)
        case refuse(SendRefusal)
    }

    /// Why a message is not sent.
    package enum SendRefusal: Hashable, Sendable {
        case payload(ClassicCodec.PayloadRefusal)
        case notConnected(SessionState)
        /// As many as the configuration allows wait for acknowledgements.
        case tooManyOutstanding
    }

    /// What closing causes.
    package enum CloseAction: Hashable, Sendable {
        /// It was over already, or is about to be.
        case ignore
        /// Nobody needs to be told.
        case end(SessionEnd)
        /// The connecting was given up.
        case giveUp
        /// Tell the peer; the end follows.
        case disconnect(abandoned: [MessageID])
    }

    /// What an error of the peer's host causes.
    package enum RejectAction: Hashable, Sendable {
        /// It is noted as a hint.
        case note
        case end(SessionEnd)
    }

    /// When the machine wants to be called, and why.
    package struct Deadline: Hashable, Sendable {
        package enum Reason: Hashable, Sendable {
            case discover, connectTimeout, acknowledgement, keepAlive, idle, disconnect
        }

        package let at: Instant
        package let reason: Reason
    }
}
