/// Where the connection to the daemon stands.
public enum DaemonState: Hashable, Sendable {
    /// Nothing has asked for the daemon yet.
    case idle
    /// There is no D-Bus; asked for again at least once a second.
    case noBus
    /// D-Bus is there, avahi-daemon is not (or does not answer): it is noticed when it comes.
    case waitingForDaemon
    /// The daemon is claiming its host name: browsing works, publishing waits.
    case registering
    /// The daemon works.
    case running
    /// The daemon found its host name taken and is choosing another: browsing works, publishing waits.
    case collision
    /// The connection was lost or refused and is being made anew.
    case retrying

    /// Whether the daemon takes objects such as browsers.
    public var isReachable: Bool {
        switch self {
        case .registering, .running, .collision: true
        case .idle, .noBus, .waitingForDaemon, .retrying: false
        }
    }
}

/// The life of the connection to the daemon, as a machine: when to open a client, when to give one up, what may be asked
/// of it. An Avahi client is good for one life of the daemon; this machine spans them all.
///
/// Its driver opens and closes clients as told, reports what they say, and calls `deadlineReached` at `nextDeadline`.
public struct DaemonLink: Sendable {
    private enum State {
        /// Becomes `opening`.
        case idle
        /// A client is being made. Becomes whatever the client reports, or `pausing`.
        case opening
        /// The client waits for the daemon. Becomes what the client reports; `checkAt` opens another client, since a daemon
        /// that hung while the client was made never makes itself known to it.
        case waiting(checkAt: Instant)
        /// The client reports a living daemon. Becomes another `connected`, or `pausing`.
        case connected(ClientState)
        /// No client. Becomes `opening` at `until`.
        case pausing(until: Instant, busMissing: Bool)
    }

    /// What a client reports of the daemon that it is connected to.
    public enum ClientState: Hashable, Sendable {
        /// The daemon claims its host name.
        case registering
        /// The daemon works.
        case running
        /// The daemon's host name is taken.
        case collision
    }

    /// What the driver has to do.
    public enum Action: Hashable, Sendable {
        /// Nothing.
        case none
        /// Make a client, then report `clientOpenFailed` or what the client says.
        case openClient
        /// Drop all objects and the client; consumers are told nothing. `nextDeadline` says when to go on.
        case closeClient
        /// Make the browsers and resolvers that are wanted; take registrations back (their host name may change).
        case openObjects
        /// Make the browsers and resolvers that are wanted, and register what is to be published.
        case openObjectsAndRegister
    }

    /// How long a client may wait for a daemon before another one is tried.
    public static let checkInterval = Duration.seconds(5)
    /// The longest pause between two attempts.
    public static let longestPause = Duration.seconds(1)

    private var state = State.idle
    private var openedAt: Instant?
    private var hastyFailures = 0

    /// A link that has not been asked for anything.
    public init() {}

    /// Where the connection stands, for an app to show.
    public var daemonState: DaemonState {
        switch state {
        case .idle: .idle
        case .opening: .retrying
        case .waiting: .waitingForDaemon
        case .connected(.registering): .registering
        case .connected(.running): .running
        case .connected(.collision): .collision
        case .pausing(_, let busMissing): busMissing ? .noBus : .retrying
        }
    }

    /// When to call `deadlineReached`: the end of a pause, or the time to doubt a client that still waits.
    public var nextDeadline: Instant? {
        switch state {
        case .idle, .opening, .connected: nil
        case .waiting(let checkAt): checkAt
        case .pausing(let until, _): until
        }
    }

    /// Something wants the daemon.
    public mutating func start(now: Instant) -> Action {
        guard case .idle = state else { return .none }
        return open(now: now)
    }

    /// No client could be made; `busMissing` where there is no D-Bus to make it on.
    public mutating func clientOpenFailed(busMissing: Bool, now: Instant) -> Action {
        guard case .opening = state else { return .none }
        hastyFailures += 1
        state = .pausing(until: now.advanced(by: pause), busMissing: busMissing)
        return .none
    }

    /// The client says that it waits for a daemon.
    public mutating func clientIsWaiting(now: Instant) -> Action {
        switch state {
        case .opening, .waiting:
            state = .waiting(checkAt: now.advanced(by: Self.checkInterval))
            return .none
        case .connected: return connectionLost(now: now)
        case .idle, .pausing: return .none
        }
    }

    /// The client is connected to a daemon and says how that one is.
    public mutating func clientReported(_ report: ClientState) -> Action {
        switch state {
        case .idle, .pausing: return .none
        case .opening, .waiting, .connected:
            state = .connected(report)
            return report == .running ? .openObjectsAndRegister : .openObjects
        }
    }

    /// The client failed, or a call to the daemon got no answer, after which nobody knows what the daemon holds for us.
    public mutating func connectionLost(now: Instant) -> Action {
        switch state {
        case .idle, .pausing: return .none
        case .opening, .waiting, .connected:
            let wasHasty = openedAt.map { $0.duration(to: now) < Self.longestPause } ?? false
            hastyFailures = wasHasty ? hastyFailures + 1 : 0
            state = .pausing(until: now.advanced(by: pause), busMissing: false)
            return .closeClient
        }
    }

    /// `nextDeadline` has passed.
    public mutating func deadlineReached(now: Instant) -> Action {
        guard let deadline = nextDeadline, deadline <= now else { return .none }
        switch state {
        case .idle, .opening, .connected: return .none
        case .waiting:
            state = .pausing(until: now, busMissing: false)
            return .closeClient
        case .pausing: return open(now: now)
        }
    }

    /// None after the end of a connection that lived for a second, so that a restarted daemon is met at once; after a hasty
    /// end or a vain attempt 50 ms, doubling up to a second.
    private var pause: Duration {
        hastyFailures == 0 ? .zero : min(Self.longestPause, .milliseconds(25) * (1 << min(hastyFailures, 10)))
    }

    private mutating func open(now: Instant) -> Action {
        state = .opening
        openedAt = now
        return .openClient
    }
}
