internal import DiscoverableCore
internal import Synchronization

/// What an event loop consists of, without what keeps it running: its thread holds it, and so may everything that must not
/// keep the thread alive. Nobody refers to it weakly, since that would make each use of it dearer.
///
/// It is the executor that the concurrency runtime knows.
final class LoopCore: SerialExecutor {
    /// What every thread gets to.
    struct State {
        /// What other threads have handed over.
        var arrived: [Work] = []
        var deadlines = DeadlineQueue()
        var registrations = RegistrationTable()
        /// Whether the thread may be asleep and needs the signal. Cleared by the one who gives it, so that a burst costs one.
        var isWaiting = false
        /// Nobody needs the loop any more.
        var hasEnded = false

        /// Whether it is the caller who has to give the signal.
        mutating func stopsWaiting() -> Bool {
            defer { isWaiting = false }
            return isWaiting
        }
    }

    /// What only the loop's thread gets to.
    struct Confined {
        var work: [Work] = []
        var flushables: [any LoopFlushable] = []
    }

    /// The id of the signal among the registrations' ones, of which none is zero.
    private static let signalID: UInt64 = 0

    let state = Locked(State())
    let confined: LoopConfined<Confined>
    let identity = LoopIdentity()
    /// Whether `state.arrived` has something. Changes inside the lock only.
    let hasArrivals = Atomic(false)
    /// How often a descriptor was given up.
    let unregistrations = Atomic<UInt64>(0)
    let epoll: EpollSet
    let signal: WakeUpSignal

    /// Starts the thread.
    init(name: String) throws(UnderlyingError) {
        confined = LoopConfined(Confined(), identity: identity)
        epoll = try EpollSet()
        signal = try WakeUpSignal()
        try epoll.add(signal.rawDescriptor, interest: .readable, id: Self.signalID)
        try SystemThread.start(name: name) { self.run() }
    }

    /// Lets the thread end after its present turn.
    func end() {
        state.withLock { state in
            state.hasEnded = true
            if state.stopsWaiting() { signal.raise() }
        }
    }

    /// Ends the wait after a change that came from another thread.
    func wakeUp() {
        state.withLock { state in
            if state.stopsWaiting() { signal.raise() }
        }
    }

    private func run() {
        identity.adoptCurrentThread()
        var turn = LoopTurn()
        while let timeout = take(&turn) {
            epoll.wait(timeoutMilliseconds: timeout) { id, readiness in
                if id == Self.signalID { return signal.lower() }
                turn.events.append(ReadyEvent(registration: Registration(id: id), readiness: readiness))
            }
        }
        dropLeftovers()
        identity.abandonThread()
    }

    /// Released outside the lock, as always: what the bodies hold may use the loop in its deinit.
    private func dropLeftovers() {
        let leftovers = state.withLock { state in
            let leftovers = (state.arrived, state.deadlines, state.registrations)
            (state.arrived, state.deadlines, state.registrations) = ([], DeadlineQueue(), RegistrationTable())
            return leftovers
        }
        withExtendedLifetime(leftovers) {}
    }
}

// MARK: - Executor

extension LoopCore {
    func enqueue(_ job: consuming ExecutorJob) { hand(over: .job(UnownedJob(job))) }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { unsafe UnownedSerialExecutor(ordinary: self) }

    func isIsolatingCurrentContext() -> Bool? { identity.isCurrent }

    func checkIsolated() {
        precondition(identity.isCurrent, "what lives on an event loop was entered on another thread")
    }
}
