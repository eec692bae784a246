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
        loop?.identity.adoptCurrentThread()
        var turn = LoopTurn()
        while let timeout = take(&turn) {
            _ = epoll.wait(timeoutMilliseconds: timeout) { id, readiness in
                if id == Self.wakeUpID { return signal.lower() }
                turn.events.append(ReadyEvent(registration: Registration(id: id), readiness: readiness))
            }
        }
    }

    /// A function of its own: the loop is held during a turn only, never while waiting.
    @inline(never)
    private func take(_ turn: inout LoopTurn) -> Int32? { loop?.take(&turn) }
}

/// What the loop's thread takes through its turns. The arrays keep their room, so that a turn allocates nothing.
struct LoopTurn {
    /// Work that was taken to be run, and how far that has come: a turn may end in the middle.
    struct Running {
        var work: [EventLoop.Work] = []
        private var position = 0

        var isDone: Bool { position == work.count }

        mutating func next() -> EventLoop.Work? {
            guard position < work.count else { return nil }
            defer { position += 1 }
            return work[position]
        }

        mutating func clear() {
            // The room of a rare burst is given back.
            work.removeAll(keepingCapacity: work.capacity <= 4096)
            position = 0
        }
    }

    var events: [ReadyEvent] = []
    var arrived: [EventLoop.Work] = []
    var running = Running()
    var flushing: [any LoopFlushable] = []
    /// As it was at the beginning of the turn.
    var earliestDeadline: Instant?

    init() { events.reserveCapacity(EpollSet.batchSize) }
}

extension EventLoop {
    /// One turn: descriptors, then deadlines, then jobs, each bounded, so that none of them starves another. Returns how
    /// long the thread may wait: -1 for ever, 0 not at all.
    fileprivate func take(_ turn: inout LoopTurn) -> Int32 {
        begin(&turn)
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
    private func begin(_ turn: inout LoopTurn) {
        state.withLock { state in
            state.isWaiting = false
            for index in turn.events.indices {
                turn.events[index].handler = state.registrations.handler(of: turn.events[index].registration.id)
            }
            takeArrivals(&state, into: &turn.arrived)
            turn.earliestDeadline = state.deadlines.earliest()
        }
        admit(&turn.arrived)
    }

    /// From here on whoever adds work on another thread gives the signal.
    private func millisecondsToWait() -> Int32 {
        guard confined.withValue({ $0.work.isEmpty && $0.flushables.isEmpty }) else { return 0 }
        return state.withLock { state in
            guard state.arrived.isEmpty else { return 0 }
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
