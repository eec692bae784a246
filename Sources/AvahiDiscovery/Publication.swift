internal import DiscoverableCore
internal import DiscoverableRuntime

/// What this process has published: one service or several, with hosts, aliases and records. It stays on the network, across
/// restarts of the daemon, until it is withdrawn or the last reference to it is gone.
///
/// - Important: The name that is finally held may differ from the one that was asked for, and may change later, when the
///   network grows and another host holds it: read `name`, follow `states`.
public final class Publication: Sendable {
    private let record: PublicationRecord
    private let verbs: PublicationVerbs

    /// A publication by whoever carries out its verbs: the daemon's connection, or a script.
    package init(_ record: PublicationRecord, _ verbs: PublicationVerbs) {
        self.record = record
        self.verbs = verbs
    }

    deinit { verbs.end {} }

    /// The name under which the service is visible, or was last; of several services the first one's.
    public var name: ServiceName { record.names[0] }

    /// The names under which the services are visible, or were last, in the order of the advertisement. One without services
    /// has one name, which only says what it is.
    public var names: [ServiceName] { record.names }

    /// Where the publication stands now.
    public var state: PublicationState { record.states.current }

    /// Where the publication stands, from now on. Any number of consumers; each finds the newest state and none that was
    /// overtaken. Ends after `withdrawn` or `failed`; cancelling ends the iteration.
    ///
    /// - Important: The sequence and its iterators keep the publication: as long as somebody iterates, the service stays on
    ///   the network, also where nobody holds the publication itself. End the iteration, or call `withdraw()`.
    public var states: StateSequence<PublicationState> { states(keeping: self) }

    /// The states, which keep `owner` in place of the publication alone.
    package func states(keeping owner: (any AnyObject & Sendable)?) -> StateSequence<PublicationState> {
        StateSequence(record.states, keeping: owner)
    }

    /// What is being done where it fails.
    package var operation: String { record.operation }

    /// What stands in the way of being visible while it is tried again and again by itself: the daemon refuses it for now, or an
    /// interface that was named does not exist. nil where nothing is known to, and from the moment when it is visible. After
    /// the end it is what came last; what the publication failed with is in its state.
    public var obstacle: DiscoveryError? { record.obstacle }
}

/// What the holder of a publication can have done with it. Both may come after its end, and then do nothing.
package struct PublicationVerbs: Sendable {
    /// Exchanges the TXT record of the service at a position.
    package let change: @Sendable (_ txt: TXTRecord, _ position: Int) -> Void
    /// Takes everything off the network, then calls `done`.
    package let end: @Sendable (_ done: @escaping @Sendable () -> Void) -> Void

    package init(
        change: @escaping @Sendable (_ txt: TXTRecord, _ position: Int) -> Void,
        end: @escaping @Sendable (_ done: @escaping @Sendable () -> Void) -> Void
    ) {
        self.change = change
        self.end = end
    }
}

// MARK: - Changing and ending it

extension Publication {
    /// Exchanges what a service says of itself; returns at once. The service stays visible meanwhile, and those who resolve it
    /// live see the change within moments.
    ///
    /// Changes follow each other at intervals of at least a second, since hosts keep the older of two that came within one:
    /// of several that were asked for meanwhile only the last is told. It is also what is published after every restart of the
    /// daemon. After the end of the publication nothing happens.
    ///
    /// - Parameters:
    ///   - txt: the new record.
    ///   - position: which service, by its place in the advertisement; the first one is 0.
    /// - Throws: `DiscoveryError`: `invalidTXTRecord` for one that no packet carries; `invalidArgument` where there is no such
    ///   service.
    public func update(txt: TXTRecord, ofService position: Int = 0) throws(DiscoveryError) {
        try record.check(txt, ofService: position)
        verbs.change(txt, position)
    }

    /// Takes everything off the network; the daemon says goodbye for it at once. Returns when it has, and after two seconds
    /// at the latest where the daemon hangs; it is then withdrawn as soon as the daemon can. Cannot be cancelled.
    public func withdraw() async {
        let done = Waiter<Void, DiscoveryError>()
        verbs.end { done.resume(.success(())) }
        let late: @Sendable () -> DiscoveryError = {
            DiscoveryError(.daemonNotResponding, operation: "withdrawing a service", explanation: "no answer")
        }
        // Only the time-out ends the wait early; a cancelled task still waits, hence a task of its own.
        await Task { _ = try? await done.value(within: .seconds(2), timedOut: late, cancelled: late) }.value
    }
}
