public import DiscoverableCore

/// The messages that a session receives, until it is over and all are taken.
///
/// Any number of consumers may iterate, each gets every message from its first on; the first also gets those that came
/// before it. A consumer that stops leaves what it has not taken to the next. When `maximumUnreadMessages` wait for the
/// slowest, further messages are not acknowledged and are lost, so that their sender learns about it. Cancelling ends the
/// iteration and loses no message.
public typealias SessionMessages = SessionSequence<String>

/// What happens in a session, in order, until it is over.
///
/// Any number of consumers may iterate, each gets every event from its first on; the first also gets those that came
/// before it, from the session's beginning. For a slow one the newest 1,024 wait. Cancelling ends the iteration.
public typealias SessionEvents = SessionSequence<SessionEvent>

/// The sessions that a listener admits, until it is closed.
///
/// One consumer is usual; of several each gets every session. As many as `maximumSessions` wait for a slow one; then no
/// further clients are admitted. Cancelling ends the iteration and loses no session.
public typealias IncomingSessions = SessionSequence<Session>

/// What a session or a listener tells, for any number of consumers; see `SessionMessages`, `SessionEvents` and
/// `IncomingSessions` for what each keeps.
public struct SessionSequence<Element: Sendable>: AsyncSequence, Sendable {
    /// The session or the listener: whoever iterates keeps it alive.
    let source: any Actor
    let broadcast: Broadcast<Element>

    /// Starts a consumer.
    public func makeAsyncIterator() -> Iterator {
        Iterator(source: source, subscription: broadcast.subscribe())
    }

    /// Takes one element after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let source: any Actor
        fileprivate let subscription: Broadcast<Element>.Subscription

        /// The next element; nil once the source is over or closed, or the task cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            await subscription.next()
        }

        /// The next element; nil once the source is over or closed, or the task cancelled.
        public mutating func next() async -> Element? { await subscription.next() }
    }
}
