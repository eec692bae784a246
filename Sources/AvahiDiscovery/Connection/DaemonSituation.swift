internal import DiscoverableCore
internal import DiscoverableRuntime

/// What can be told of the daemon without asking the connection, which may be blocked in a call to it.
struct DaemonSituation {
    var state = DaemonState.idle
    /// Since when a call waits for the daemon's answer; nil where none does.
    var callSince: Instant?

    /// A living daemon answers within milliseconds.
    private static let patience = Duration.seconds(1)

    /// Why somebody waited in vain for the daemon itself; nil where the daemon is not to blame.
    func failure(while operation: String, now: Instant) -> DiscoveryError? {
        if let callSince, callSince.duration(to: now) > Self.patience {
            return DiscoveryError(
                .daemonNotResponding,
                operation: operation,
                explanation: "avahi-daemon does not answer; see whether it hangs: systemctl status avahi-daemon"
            )
        }
        switch state {
        case .registering, .running, .collision: return nil
        case .noBus:
            return DiscoveryError(
                .daemonUnavailable,
                operation: operation,
                explanation: "there is no D-Bus system bus; start it with: systemctl start dbus (in a container: "
                    + "dbus-daemon --system --fork), then avahi-daemon"
            )
        case .idle, .waitingForDaemon, .retrying:
            return DiscoveryError(
                .daemonUnavailable,
                operation: operation,
                explanation: "avahi-daemon is not running; start it with: systemctl start avahi-daemon (in a "
                    + "container: avahi-daemon --daemonize)"
            )
        }
    }
}
