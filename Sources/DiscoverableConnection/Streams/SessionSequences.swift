public import DiscoverableCore

/// The messages that a session receives, until it is over and all are taken.
///
/// Any number of consumers may iterate, each gets every message from its first on; the first also gets those that came
/// before it. A consumer that stops leaves what it has not taken to the next. When `maximumUnreadMessages` wait for the
/// slowest, further messages are not acknowledged and are lost, so that their sender learns about it. Cancelling ends the
/// iteration and loses no message.
public struct SessionMessages: AsyncSequence, Sendable {
    /// Whoever iterates keeps it alive.
    let session: Session

    /// Starts a consumer.
    public func makeAsyncIterator() -> Iterator {
        Iterator(session: session, subscription: session.messageBroadcast.subscribe())
    }

    /// Takes one message after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let session: Session
        fileprivate let subscription: Broadcast<String>.Subscription

        /// The next message; nil once the session is over or the task cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> String? { await subscription.next() }

        /// The next message; nil once the session is over or the task cancelled.
        public mutating func next() async -> String? { await subscription.next() }
    }
}

/// What happens in a session, in order, until it is over.
///
/// Any number of consumers may iterate, each gets every event from its first on; the first also gets those that came
/// before it, from the session's beginning. For a slow one the newest 1,024 wait. Cancelling ends the iteration.
public struct SessionEvents: AsyncSequence, Sendable {
    /// Whoever iterates keeps it alive.
    let session: Session

    /// Starts a consumer.
    public func makeAsyncIterator() -> Iterator {
        Iterator(session: session, subscription: session.eventBroadcast.subscribe())
    }

    /// Takes one event after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let session: Session
        fileprivate let subscription: Broadcast<SessionEvent>.Subscription

        /// The next event; nil after the last, or once the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> SessionEvent? {
            await subscription.next()
        }

        /// The next event; nil after the last, or once the task is cancelled.
        public mutating func next() async -> SessionEvent? { await subscription.next() }
    }
}

/// The sessions that a listener admits, until it is closed.
///
/// One consumer is usual; of several each gets every session. As many as `maximumSessions` wait for a slow one; then no
/// further clients are admitted. Cancelling ends the iteration and loses no session.
public struct IncomingSessions: AsyncSequence, Sendable {
    /// Whoever iterates keeps it alive.
    let listener: SessionListener

    /// Starts a consumer.
    public func makeAsyncIterator() -> Iterator {
        Iterator(listener: listener, subscription: listener.sessionBroadcast.subscribe())
    }

    /// Takes one session after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let listener: SessionListener
        fileprivate let subscription: Broadcast<Session>.Subscription

        /// The next session; nil once the listener is closed or the task cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Session? {
            await subscription.next()
        }

        /// The next session; nil once the listener is closed or the task cancelled.
        public mutating func next() async -> Session? { await subscription.next() }
    }
}
