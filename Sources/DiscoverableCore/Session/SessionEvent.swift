/// What happens in a session, in order. Each message that was sent has exactly one outcome: acknowledged, lost or abandoned.
public enum SessionEvent: Hashable, Sendable {
    /// An address is tried.
    case connecting(to: SocketAddress)
    /// The session stands.
    case connected(to: SocketAddress)
    /// A message of ours has left.
    case sent(MessageID, String)
    /// A message of ours has arrived.
    case acknowledged(MessageID, String, roundTripTime: Duration)
    /// A message of ours was not acknowledged in time. It may have arrived all the same.
    case lost(MessageID, String)
    /// The session ended before it was known whether a message of ours has arrived.
    case abandoned(MessageID, String)
    /// A message has come. It also comes out of `Session.messages`.
    case received(String)
    /// The strength, 0…100, is another one than before.
    case strengthChanged(Int)
    /// The session is over. Nothing follows.
    case closed(SessionCloseReason)
    /// No session came about. Nothing follows.
    case failed(SessionConnectFailure)
}
