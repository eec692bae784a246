/// What a socket, a session or a listener tells, for any number of consumers; see `UDPSocket.errors`, `SessionMessages`,
/// `SessionEvents` and `IncomingSessions` for what each keeps.
public struct EventSequence<Element: Sendable>: AsyncSequence, Sendable {
    /// Whose events they are: whoever iterates keeps it alive.
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
