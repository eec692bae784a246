internal import DiscoverableCore
internal import DiscoverableRuntime

/// A service that this process has published. It stays on the network, across restarts of the daemon, until it is withdrawn
/// or the last reference to it is gone.
///
/// - Important: The name that is finally held may differ from the one that was asked for, and may change later, when the
///   network grows and another host holds it: read `name`, follow `states`.
public final class Publication: Sendable {
    private let connection: DaemonConnection
    private let id: UInt64
    private let record: PublicationRecord

    init(connection: DaemonConnection, id: UInt64, record: PublicationRecord) {
        self.connection = connection
        self.id = id
        self.record = record
    }

    deinit {
        connection.submit { [id] in $0.endPublication(id) }
    }

    /// The name under which the service is visible, or was last.
    public var name: ServiceName { record.name }

    /// Where the publication stands now.
    public var state: PublicationState { record.states.current }

    /// Where the publication stands, from now on. Any number of consumers; each finds the newest state. Ends after
    /// `withdrawn` or `failed`.
    public var states: StateSequence<PublicationState> { StateSequence(record.states) }

    /// Takes the service off the network; the daemon says goodbye for it at once. Returns when it has, and after two
    /// seconds at the latest where the daemon hangs; it is then withdrawn as soon as the daemon can. Cannot be cancelled.
    public func withdraw() async {
        let done = Waiter<Void, DiscoveryError>()
        connection.submit { [id] connection in
            connection.endPublication(id)
            done.resume(.success(()))
        }
        let late: @Sendable () -> DiscoveryError = {
            DiscoveryError(.daemonNotResponding, operation: "withdrawing a service", explanation: "no answer")
        }
        // Only the time-out ends the wait early; a cancelled task still waits, hence a task of its own.
        await Task { _ = try? await done.value(within: .seconds(2), timedOut: late, cancelled: late) }.value
    }
}
