/// The sessions that a server admits, until it is closed. Whoever iterates keeps the server alive.
///
/// One consumer is usual; of several each gets every session, also one that is over by then. Twice as many as `maximumSessions`
/// wait for a slow one; then no further clients are admitted. Only a session that was displaced unseen is never given. Cancelling
/// ends the iteration and loses no session.
public struct PeerServerSessions: AsyncSequence, Sendable {
    /// A session with a client that was admitted.
    public typealias Element = Session
    /// The sequence does not fail.
    public typealias Failure = Never

    let server: PeerServer

    /// Starts a consumer.
    public func makeAsyncIterator() -> Iterator {
        Iterator(server: server, sessions: server.listener.sessions.makeAsyncIterator())
    }

    /// Takes one session after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let server: PeerServer
        fileprivate var sessions: IncomingSessions.Iterator

        /// The next session; nil once the server is closed, or the task cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Session? {
            await sessions.next(isolation: actor)
        }

        /// The next session; nil once the server is closed, or the task cancelled.
        public mutating func next() async -> Session? { await sessions.next() }
    }
}
