package import DiscoverableRuntime

/// Where one consumer of a browse finds its events.
package typealias BrowseOutput<Found: Browsed> = Mailbox<BrowseBacklog<Found>, DiscoveryError>

/// What is on the network, as a sequence of changes: all that is there is told as `added`, then comes `settled`, then the
/// changes, for as long as somebody iterates.
///
/// Any number of consumers, each with an iterator of its own and a story of its own: one that comes late is told all that is
/// there first. All consumers of the same browse share one object in the daemon, which goes when the last iterator is dropped
/// or its task is cancelled. The sequence outlives the daemon: while the daemon is away nothing is told, and when it is back
/// only what truly changed; what is not confirmed within five seconds after that is told as removed.
///
/// A slow consumer holds up nobody and costs bounded memory: at most one event waits for each thing, and tells what is true
/// now. What came and went meanwhile is not told at all, what went and came back is an update.
///
/// - Throws: `DiscoveryError` from `next()`, once: `tooManyObjects`, `outOfResources`, `invalidName`, `invalidArgument` or
///   `notPermitted`. A daemon that is absent or hangs is no error here, nor is a named interface that does not exist yet.
public struct Browser<Found: Browsed>: AsyncSequence, Sendable {
    /// What changed.
    public typealias Element = BrowseEvent<Found>
    /// Why the browse ended early.
    public typealias Failure = DiscoveryError

    /// Begins to fill a consumer's output, and returns what ends it, which may be called more than once.
    package typealias Begin = @Sendable (_ output: BrowseOutput<Found>) -> @Sendable () -> Void

    private let begin: Begin

    /// A sequence over whatever tells of things: the daemon, or a script.
    package init(_ begin: @escaping Begin) {
        self.begin = begin
    }

    /// Begins to browse.
    public func makeAsyncIterator() -> Iterator {
        Iterator(subscription: Subscription(begin))
    }

    /// One consumer's place in the sequence.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let subscription: Subscription

        /// The next change; nil when the task was cancelled, which ends the browse.
        public mutating func next() async throws(DiscoveryError) -> BrowseEvent<Found>? {
            try await next(isolation: nil)
        }

        /// The next change; nil when the task was cancelled, which ends the browse.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(DiscoveryError) -> BrowseEvent<Found>? {
            let event = try await subscription.output.next()
            if event == nil { subscription.end() }
            return event
        }
    }

    /// Ends the consumer's part in the browse when the iterator is gone.
    fileprivate final class Subscription: Sendable {
        let output = BrowseOutput<Found>(backlog: BrowseBacklog())
        private let onEnd: @Sendable () -> Void

        init(_ begin: Begin) { onEnd = begin(output) }

        func end() {
            output.finish()
            onEnd()
        }

        deinit { end() }
    }
}

/// Services of one type; see `Browser`.
public typealias ServiceBrowser = Browser<BrowsedService>

/// The types of which there are services; see `Browser`.
public typealias ServiceTypeBrowser = Browser<BrowsedServiceType>

/// Recommended domains; see `Browser`.
public typealias DomainBrowser = Browser<BrowsedDomain>
