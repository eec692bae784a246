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
            guard let absence = discovery.state.absence else { continue }
            note("\(absence); waiting for it")
            for await state in discovery.states where state.isReachable { break }
        }
    }

    /// Returns what is missing where the daemon has not been reachable once within `limit`; nil where it was, or the task was
    /// cancelled.
    func absence(after limit: Duration) async -> String? {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { [discovery] in
                for await state in discovery.states where state.isReachable { return true }
                return true
            }
            group.addTask { (try? await Task.sleep(for: limit)) == nil }
            let isOver = await group.next() ?? true
            group.cancelAll()
            return isOver ? nil : discovery.state.absence
        }
    }
}
