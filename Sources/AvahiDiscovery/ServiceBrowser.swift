internal import DiscoverableRuntime

/// What is on the network, as a sequence of changes: all that is there is told as `added`, then comes `settled`, then the
/// changes, for as long as somebody iterates.
///
/// Each iterator is a browse of its own in the daemon (one object there), which ends when the iterator is dropped or its
/// task is cancelled. The sequence outlives the daemon: while the daemon is away nothing is told, and when it is back only
/// what truly changed; what is not confirmed within five seconds after that is told as removed.
///
/// A slow consumer costs bounded memory: at most one event waits for each thing, and tells what is true now.
///
/// - Throws: `DiscoveryError` from `next()`, once: `tooManyObjects`, `invalidName`, `invalidArgument` or `notPermitted`.
///   A daemon that is absent or hangs is no error here.
public struct Browser<Found: Browsed>: AsyncSequence, Sendable {
    /// What changed.
    public typealias Element = BrowseEvent<Found>
    /// Why the browse ended early.
    public typealias Failure = DiscoveryError

    let connection: DaemonConnection
    let operation: String
    let make: Browse<Found>.Make
    let report: @Sendable (AvahiEvent) -> Browse<Found>.Report?

    /// Begins to browse.
    public func makeAsyncIterator() -> Iterator {
        Iterator(subscription: Subscription(self))
    }

    /// One consumer's browse.
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

    /// Ends the browse in the daemon when the iterator is gone.
    fileprivate final class Subscription: Sendable {
        let output = Browse<Found>.Output(backlog: BrowseBacklog())
        private let connection: DaemonConnection
        private let id: UInt64

        init(_ browser: Browser) {
            connection = browser.connection
            id = browser.connection.makeID()
            connection.submit { [id, output] connection in
                let browse = Browse(
                    operation: browser.operation,
                    output: output,
                    make: browser.make,
                    report: browser.report
                )
                connection.begin(browse, id: id)
            }
        }

        func end() {
            output.finish()
            connection.submit { [id] in $0.endBrowse(id) }
        }

        deinit { end() }
    }
}

/// Services of one type; see `Browser`.
public typealias ServiceBrowser = Browser<BrowsedService>

/// The types of which there are services; see `Browser`.
public typealias ServiceTypeBrowser = Browser<BrowsedServiceType>
