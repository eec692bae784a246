/// What a driver carries out, in order.
package enum SessionOutput: Hashable, Sendable {
    /// Send this datagram.
    case transmit([UInt8], to: SocketAddress)
    /// Tell the app.
    case event(SessionEvent)
}

/// What became of a received datagram, for whoever counts or tests; a driver need not look.
package enum Reception: Hashable, Sendable {
    /// It meant something.
    case taken
    /// It did nothing, and no harm.
    case ignored(IgnoreReason)
}

/// Why a datagram does nothing.
package enum IgnoreReason: Hashable, Sendable {
    /// It came from an address that is not the peer's.
    case stranger
    /// It is no datagram of the format, or was cut.
    case malformed
    /// It repeats what has been said or acknowledges nothing of ours: both happen on healthy links.
    case redundant
    /// It has no meaning in this state or for this role.
    case unexpected
    /// Too much waits unread, so it is not acknowledged; or there is no room for another session.
    case noRoom
    /// The session is over.
    case over
}

/// When a machine wants to be called, and why.
package struct SessionDeadline: Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        /// The next discover is due.
        case discover
        /// Connecting has taken too long.
        case connectTimeout
        /// The oldest message counts as lost.
        case acknowledgement
        /// The server is to be asked whether it is there.
        case keepAlive
        /// The client was silent for too long.
        case idle
        /// The next disconnect is due, or the end of closing.
        case disconnect
    }

    package let at: Instant
    package let reason: Reason

    package init(at: Instant, reason: Reason) {
        self.at = at
        self.reason = reason
    }
}

/// Why a message is not sent.
package enum SendRefusal: Error, Hashable, Sendable {
    case message(MessageRefusal)
    case notConnected(SessionState)
    /// As many as the configuration allows wait for acknowledgements.
    case tooManyOutstanding
}

/// What a peer's host says about itself.
package enum PeerRejection: Hashable, Sendable {
    /// Nobody listens on the port.
    case refused
    /// There is no way to the address.
    case unreachable
}
