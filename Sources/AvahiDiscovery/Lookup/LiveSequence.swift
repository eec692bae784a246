public import DiscoverableCore
internal import DiscoverableRuntime

/// What is true on the network, as a sequence that goes on for as long as somebody iterates.
///
/// Each iterator asks for itself; equal questions of several share what they cost in the daemon. It ends when the iterator is
/// dropped or its task is cancelled, which frees what it has in the daemon. The sequence outlives the daemon: while the daemon
/// is away nothing is told, and when it is back only what truly changed; what is not confirmed within about five seconds after
/// that is told as gone.
///
/// A slow consumer costs bounded memory and holds up nobody: what waits for it is what is true now, not what happened.
///
/// - Throws: `DiscoveryError` from `next()`, once: `tooManyObjects`, `invalidName`, `invalidArgument` or `notPermitted`.
///   A daemon that is absent or hangs is no error here.
public struct LiveSequence<Store: Backlog>: AsyncSequence, Sendable {
    /// What is told.
    public typealias Element = Store.Element
    /// Why the sequence ended early.
    public typealias Failure = DiscoveryError

    package typealias Output = Mailbox<Store, DiscoveryError>

    private let backlog: @Sendable () -> Store
    private let begin: @Sendable (Output) -> @Sendable () -> Void

    /// - Parameters:
    ///   - backlog: an empty one.
    ///   - begin: begins to fill an iterator's mailbox; what it returns ends that.
    package init(
        backlog: @escaping @Sendable () -> Store,
        begin: @escaping @Sendable (Output) -> @Sendable () -> Void
    ) {
        self.backlog = backlog
        self.begin = begin
    }

    /// Begins to ask.
    public func makeAsyncIterator() -> Iterator {
        let output = Output(backlog: backlog())
        return Iterator(subscription: Subscription(output: output, end: begin(output)))
    }

    /// One consumer's place in the sequence.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let subscription: Subscription

        /// The next element; nil when the task was cancelled, which ends the sequence.
        public mutating func next() async throws(DiscoveryError) -> Store.Element? {
            try await next(isolation: nil)
        }

        /// The next element; nil when the task was cancelled, which ends the sequence.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(DiscoveryError) -> Store.Element? {
            let element = try await subscription.output.next()
            if element == nil { subscription.finish() }
            return element
        }
    }

    /// Ends what was begun when the iterator is gone.
    fileprivate final class Subscription: Sendable {
        let output: Output
        private let end: @Sendable () -> Void

        init(output: Output, end: @escaping @Sendable () -> Void) {
            self.output = output
            self.end = end
        }

        func finish() {
            output.finish()
            end()
        }

        deinit { finish() }
    }
}
