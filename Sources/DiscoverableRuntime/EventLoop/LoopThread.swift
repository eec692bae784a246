internal import DiscoverableCore

/// What the loop's thread runs. It owns what it waits on, and refers to the loop weakly, so that dropping the loop ends it.
final class LoopThread: Sendable {
    static let wakeUpID: UInt64 = 0

    private weak let loop: EventLoop?
    private let epoll: EpollSet
    private let signal: WakeUpSignal

    init(loop: EventLoop, epoll: EpollSet, signal: WakeUpSignal) {
        self.loop = loop
        self.epoll = epoll
        self.signal = signal
    }

    func run() {
        loop?.adoptCurrentThread()
        var ready: [(id: UInt64, readiness: EpollSet.Readiness)] = []
        ready.reserveCapacity(EpollSet.batchSize)
        // The loop is held during a turn only, never while waiting.
        while let timeout = loop?.millisecondsToWait() {
            ready.removeAll(keepingCapacity: true)
            _ = epoll.wait(timeoutMilliseconds: timeout) { id, readiness in
                if id == Self.wakeUpID { signal.lower() } else { ready.append((id, readiness)) }
            }
            loop?.turn(ready)
        }
    }
}

extension EventLoop {
    /// How long the thread may sleep: -1 for ever, 0 not at all. From here on whoever adds work gives the signal.
    fileprivate func millisecondsToWait() -> Int32 {
        state.withLock { state in
            guard state.work.isEmpty else { return 0 }
            state.isWaiting = true
            guard let deadline = state.deadlines.earliest() else { return -1 }
            return MonotonicClock.now.duration(to: deadline).millisecondsRoundedUp
        }
    }

    /// One turn: descriptors, then deadlines, then jobs, each bounded, so that none of them starves another.
    fileprivate func turn(_ ready: [(id: UInt64, readiness: EpollSet.Readiness)]) {
        state.withLock { $0.isWaiting = false }
        for (id, readiness) in ready {
            // Looked up now: a handler that ran before may have removed this registration.
            let entry = state.withLock { $0.handlers[id] }
            entry?.handler?.becameReady(readiness, registration: Registration(id: id))
        }
        let now = MonotonicClock.now
        for body in state.withLock({ $0.deadlines.takeDue(at: now, limit: Self.turnLimit) }) { body() }
        for work in takeWork() { run(work) }
    }

    private func takeWork() -> ArraySlice<Work> {
        state.withLock { state in
            let taken = state.work.prefix(Self.turnLimit)
            // What these jobs add waits for the next turn, behind the descriptors.
            if taken.count == state.work.count { state.work = [] } else { state.work.removeFirst(taken.count) }
            return taken
        }
    }
}

extension Duration {
    /// For epoll: rounded up, or a deadline in less than a millisecond would be waited for by spinning.
    var millisecondsRoundedUp: Int32 {
        guard self > .zero else { return 0 }
        let (seconds, attoseconds) = components
        guard seconds < 1_000_000 else { return 1_000_000_000 }
        return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
