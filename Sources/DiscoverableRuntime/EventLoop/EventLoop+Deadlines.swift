package import DiscoverableCore

/// Something that an event loop will run later, unless it is cancelled. Dropping this value does not cancel it.
package struct ScheduledTimer: Sendable {
    private let id: UInt64
    private let core: LoopCore

    fileprivate init(id: UInt64, core: LoopCore) {
        self.id = id
        self.core = core
    }

    /// Takes the body back, on any thread. On the loop's own thread it is certain not to run afterwards; elsewhere it may
    /// just have begun. Cancelling twice, or what has run, does nothing.
    package func cancel() {
        // Returned from the lock before it is released: the body may own an object whose deinit needs the loop.
        let body = core.state.withLock { $0.deadlines.cancel(id) }
        _ = consume body
    }
}

extension EventLoop {
    /// Runs `body` on the loop's thread once `delay` has passed; at the next turn where it is zero or negative.
    @discardableResult
    package func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> ScheduledTimer {
        schedule(at: MonotonicClock.now.advanced(by: delay), body)
    }

    /// Runs `body` on the loop's thread at `deadline`, at most about a millisecond late on an idle machine, never early.
    @discardableResult
    package func schedule(at deadline: Instant, _ body: @escaping @Sendable () -> Void) -> ScheduledTimer {
        let (id, isEarliest) = core.state.withLock { state in
            let earliest = state.deadlines.earliest()
            let id = state.deadlines.insert(body, at: deadline)
            return (id, earliest.map { deadline < $0 } ?? true)
        }
        // The loop's own thread looks at the deadlines before it sleeps.
        if isEarliest, !isOnLoop { core.wakeUp() }
        return ScheduledTimer(id: id, core: core)
    }
}

extension LoopCore {
    /// Runs what is due, one by one: each may cancel the next.
    func runDeadlines(earliest: Instant) {
        let now = MonotonicClock.now
        guard earliest <= now else { return }
        for _ in 0..<Self.turnLimit {
            guard let body = state.withLock({ $0.deadlines.popDue(at: now) }) else { return }
            body()
        }
    }
}
