/// How far a session is.
public enum SessionState: Hashable, Sendable {
    /// Discovers are sent. Becomes connected, failed or closed.
    case connecting
    /// The peer has answered. Becomes closing or closed.
    case connected
    /// Our disconnect is on its way. Becomes closed.
    case closing
    /// Over, after it had been connected or when connecting was given up by us. Becomes nothing else.
    case closed(SessionCloseReason)
    /// Over, since no connection came about. Becomes nothing else.
    case failed(SessionConnectFailure)

    /// Whether nothing can follow.
    public var isFinal: Bool {
        switch self {
        case .connecting, .connected, .closing: false
        case .closed, .failed: true
        }
    }

    /// Whether a session that is in this state can be in `next` thereafter: the table of all transitions.
    package func canBecome(_ next: SessionState) -> Bool {
        switch (self, next) {
        case (.connecting, .connected), (.connecting, .failed), (.connecting, .closed): true
        case (.connected, .closing), (.connected, .closed), (.closing, .closed): true
        case (.connecting, .connecting), (.connecting, .closing): false
        case (.connected, .connecting), (.connected, .connected), (.connected, .failed): false
        case (.closing, .connecting), (.closing, .connected), (.closing, .closing), (.closing, .failed): false
        case (.closed, _), (.failed, _): false
        }
    }
}

/// Why a session ended.
public enum SessionCloseReason: Hashable, Sendable {
    /// We closed it.
    case closedLocally
    /// The peer said `dscv_disconnect`.
    case closedByPeer
    /// Hardly any of the last messages was acknowledged.
    case lost
    /// The server answered none of the last questions whether it is there.
    case silent
    /// The client was silent for the listener's idle time-out.
    case idle
    /// The client had said nothing since it was admitted, and the listener needed its place for another one.
    case displaced
}

/// Why no session came about.
public enum SessionConnectFailure: Hashable, Sendable {
    /// No address answered anything.
    case noAnswer
    /// Discovers were acknowledged, but never answered by a handshake.
    case noHandshake
    /// The peer's host says that nobody listens on the port.
    case refused
    /// There is no way to the peer's address.
    case unreachable
    /// The peer answered by ending the session.
    case endedByPeer
}
