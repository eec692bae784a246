internal import DiscoverableCore

/// What can be told of the daemon without asking the connection, which may be blocked in a call to it.
struct DaemonSituation {
    private(set) var state = DaemonState.idle
    /// Why no client could be made, where it was neither the bus nor the daemon that was missing.
    var lastFailure: AvahiFailure?
    /// Since when a call waits for the daemon's answer, or since when none was answered; nil where the last one was.
    private var unansweredSince: Instant?

    /// A call that takes as long got no answer: D-Bus gives it 25 s.
    private static let answerLimit = Duration.seconds(20)

    /// A living daemon answers within milliseconds.
    private static let patience = Duration.milliseconds(200)

    mutating func become(_ state: DaemonState) {
        self.state = state
        if state.isReachable { lastFailure = nil }
    }

    mutating func callBegins(now: Instant) {
        unansweredSince = unansweredSince ?? now
    }

    mutating func callEnds(answered: Bool) {
        if answered { unansweredSince = nil }
    }

    /// The same where nobody says whether there was an answer.
    mutating func dispatchEnds(since start: Instant, now: Instant) {
        callEnds(answered: start.duration(to: now) < Self.answerLimit)
    }

    /// Why somebody waited in vain for the daemon itself; nil where the daemon is not to blame.
    func failure(while operation: String, now: Instant) -> DiscoveryError? {
        if let unansweredSince, unansweredSince.duration(to: now) > Self.patience {
            return DiscoveryError(
                .daemonNotResponding,
                operation: operation,
                explanation: "avahi-daemon does not answer; see whether it hangs: systemctl status avahi-daemon"
            )
        }
        guard let absence = state.absence else { return nil }
        if let lastFailure, state != .noBus { return lastFailure.error(while: operation) }
        return DiscoveryError(.daemonUnavailable, operation: operation, explanation: absence)
    }
}

extension DaemonState {
    /// What is missing and how to start it, for an app to show; nil where the daemon is reachable.
    public var absence: String? {
        switch self {
        case .registering, .running, .collision: nil
        case .noBus:
            "there is no D-Bus system bus; start it with: systemctl start dbus (in a container: dbus-daemon --system "
                + "--fork), then avahi-daemon"
        case .idle, .waitingForDaemon, .retrying:
            "avahi-daemon is not running, or hangs; start it with: systemctl restart avahi-daemon (in a container: "
                + "avahi-daemon --daemonize)"
        }
    }
}
