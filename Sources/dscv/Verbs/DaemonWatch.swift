internal import Discoverable

/// Tells the user what a verb waits for when it waits for the daemon.
struct DaemonWatch {
    private let discovery: Discovery

    init(_ discovery: Discovery) {
        self.discovery = discovery
    }

    /// A connection takes some milliseconds; only a daemon that stays away is worth a word.
    private static let patience = Duration.seconds(1)

    /// Calls `note` once for each absence of the daemon that lasts; ends when the task is cancelled.
    func note(_ note: (String) -> Void) async {
        for await state in discovery.states where !state.isReachable {
            do { try await Task.sleep(for: Self.patience) } catch { return }
            guard let text = explanation(of: discovery.state) else { continue }
            note("\(text); waiting for it")
            for await state in discovery.states where state.isReachable { break }
        }
    }

    /// Returns when the daemon has not been reachable for `limit` from the start, with what is missing; nil when it came or
    /// the task was cancelled.
    func absence(after limit: Duration) async -> String? {
        do { try await Task.sleep(for: limit) } catch { return nil }
        return explanation(of: discovery.state)
    }

    private func explanation(of state: DaemonState) -> String? {
        switch state {
        case .registering, .running, .collision: nil
        case .noBus: "there is no D-Bus system bus (start it with: systemctl start dbus)"
        case .idle, .waitingForDaemon, .retrying:
            "avahi-daemon is not running (start it with: systemctl start avahi-daemon)"
        }
    }
}
