extension Discoverable {
    /// How far a connection is.
    public enum State: Hashable, Sendable {
        /// The peer has answered; messages are sent and received.
        case connected
        /// A service is looked for, or a peer greeted. Messages wait.
        case connecting
        /// There is no connection: none yet, closed, or ended by the peer or by its silence.
        case disconnected
        /// No connection came about.
        case failed(DiscoverableError)
    }
}

/// The name that the iOS package's README uses for ``Discoverable``.
public typealias ConnectionService = Discoverable

/// The name that the iOS package's README uses for ``DiscoverableDelegate``.
public typealias ConnectionServiceDelegate = DiscoverableDelegate
