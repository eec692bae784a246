internal import DiscoverableCore

/// What the loop's thread takes through its turns. The arrays keep their room, so that a turn allocates nothing.
struct LoopTurn {
    var events: [ReadyEvent] = []
    var arrived: [LoopCore.Work] = []
    var running = RunningWork()
    var flushing: [any LoopFlushable] = []
    /// As it was at the beginning of the turn.
    var earliestDeadline: Instant?

    init() { events.reserveCapacity(EpollSet.batchSize) }
}

extension LoopCore {
    /// One turn: descriptors, then deadlines, then jobs, each bounded, so that none of them starves another. Returns how
    /// long the thread may wait, -1 for ever, 0 not at all; nil where the loop has ended.
    func take(_ turn: inout LoopTurn) -> Int32? {
        guard begin(&turn) else { return nil }
        if !turn.events.isEmpty {
            tellHandlers(&turn.events)
            flush(&turn.flushing)
        }
        if let deadline = turn.earliestDeadline {
            runDeadlines(earliest: deadline)
            flush(&turn.flushing)
        }
        runWork(&turn.running)
        flush(&turn.flushing)
        return turn.running.isDone ? millisecondsToWait() : 0
    }

    /// Everything that needs the lock, at once.
    private func begin(_ turn: inout LoopTurn) -> Bool {
        let goesOn = state.withLock { state in
            state.isWaiting = false
            for index in turn.events.indices {
                turn.events[index].handler = state.registrations.handler(of: turn.events[index].registration.id)
            }
            takeArrivals(&state, into: &turn.arrived)
            turn.earliestDeadline = state.deadlines.earliest()
            return !state.hasEnded
        }
        admit(&turn.arrived)
        return goesOn
    }

    /// From here on whoever adds work on another thread gives the signal.
    private func millisecondsToWait() -> Int32 {
        guard confined.withValue({ $0.work.isEmpty && $0.flushables.isEmpty }) else { return 0 }
        return state.withLock { state in
            guard state.arrived.isEmpty, !state.hasEnded else { return 0 }
            state.isWaiting = true
            guard let deadline = state.deadlines.earliest() else { return -1 }
            return MonotonicClock.now.duration(to: deadline).millisecondsRoundedUp
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
