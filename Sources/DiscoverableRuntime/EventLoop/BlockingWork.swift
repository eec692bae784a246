internal import DiscoverableCore

/// Threads for calls that block, a bounded number of them, each ending when nothing is left to do.
///
/// Not Dispatch: on Linux its concurrent queues share their threads, one a core, with Swift's cooperative pool. Two blocked
/// calls on two cores were seen to stop every task of the process for a second.
final class BlockingWork: Sendable {
    typealias Body = @Sendable () -> Void

    private struct State {
        var waiting: [Body] = []
        var threadCount = 0
    }

    private let name: String
    private let limit: Int
    private let state = Locked(State())

    /// - Parameters:
    ///   - name: of the threads.
    ///   - limit: how many calls may block at once. Further ones wait for their turn.
    init(name: String, limit: Int) {
        self.name = name
        self.limit = limit
    }

    /// Runs `body` on a thread of its own kind.
    func run(_ body: @escaping Body) {
        let needsThread = state.withLock { state in
            state.waiting.append(body)
            guard state.threadCount < limit else { return false }
            state.threadCount += 1
            return true
        }
        guard needsThread else { return }
        do throws(UnderlyingError) {
            try SystemThread.start(name: name) { self.work() }
        } catch {
            // No thread to be had: those that run take over; without any, the callers' deadlines pass.
            state.withLock { $0.threadCount -= 1 }
        }
    }

    private func work() {
        while let body = next() { body() }
    }

    private func next() -> Body? {
        state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.threadCount -= 1
            return nil
        }
    }
}
