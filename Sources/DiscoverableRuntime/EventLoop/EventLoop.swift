package import DiscoverableCore
internal import Synchronization

/// One thread that waits for descriptors and deadlines and runs what lives on it: the executor of all sockets and sessions
/// of a process, unless an app asks for more.
///
/// How an object lives on the loop:
/// 1. An actor returns the loop's `asUnownedSerialExecutor()` as its `unownedExecutor`.
/// 2. It registers its descriptors. Readiness arrives on the loop's thread, where the actor enters itself with
///    `assumeIsolated`: no hop and no lock.
/// 3. It takes its deadlines from `schedule`, whose bodies run on the loop's thread as well.
/// 4. It never blocks, and handles a bounded number of datagrams a call: everybody else on the loop waits meanwhile.
///
/// The loop's thread ends when the last reference to the loop goes. `schedule`, `execute` and the registrations can be
/// used on any thread.
package final class EventLoop: SerialExecutor {
    /// The loop that sockets and sessions live on when nothing else is said.
    package static let shared: EventLoop = {
        do throws(UnderlyingError) {
            return try EventLoop()
        } catch {
            fatalError("the process can have no thread or descriptor: \(error)")  // safe because no peer reaches it
        }
    }()

    /// How much of one kind (jobs, deadlines) a turn takes before it looks at the descriptors again.
    static let turnLimit = 256

    enum Work: Sendable {
        /// A step of an actor that lives on the loop.
        case job(UnownedJob)
        /// A step of a task that prefers the loop's thread.
        case taskStep(UnownedJob, LoopTaskExecutor)
        case body(@Sendable () -> Void)
    }

    struct WeakHandler: Sendable {
        weak let handler: (any ReadinessHandler)?
    }

    struct State {
        var work: [Work] = []
        var deadlines = DeadlineQueue()
        var handlers: [UInt64: WeakHandler] = [:]
        var lastRegistration: UInt64 = 0
        weak var taskExecutor: LoopTaskExecutor?
        /// Whether the thread may be asleep and needs the signal. Cleared by the one who gives it, so that a burst costs one.
        var isWaiting = false
    }

    let state = Locked(State())
    let epoll: EpollSet
    private let signal: WakeUpSignal
    private let thread = Atomic<UInt>(0)

    /// Starts a loop with a thread of its own.
    package init(name: String = "discoverable") throws(UnderlyingError) {
        epoll = try EpollSet()
        signal = try WakeUpSignal()
        try epoll.add(signal.rawDescriptor, interest: .readable, id: LoopThread.wakeUpID)
        let thread = LoopThread(loop: self, epoll: epoll, signal: signal)
        try SystemThread.start(name: name, body: thread.run)
    }

    deinit { signal.raise() }

    /// Whether the caller runs on the loop's thread.
    package var isOnLoop: Bool { thread.load(ordering: .relaxed) == SystemThread.current }

    func adoptCurrentThread() { thread.store(SystemThread.current, ordering: .relaxed) }

    /// Runs `body` on the loop's thread, after what was handed over before it, never inside this call.
    package func execute(_ body: @escaping @Sendable () -> Void) { hand(over: .body(body)) }

    func hand(over work: Work) {
        let mustWake = state.withLock { state in
            state.work.append(work)
            return state.stopsWaiting()
        }
        if mustWake { signal.raise() }
    }

    /// Ends the wait after a change that came from another thread.
    func wakeUp() {
        if state.withLock({ $0.stopsWaiting() }) { signal.raise() }
    }
}

extension EventLoop.State {
    /// Whether it is the caller who has to give the signal.
    mutating func stopsWaiting() -> Bool {
        defer { isWaiting = false }
        return isWaiting
    }
}

// MARK: - Executor

extension EventLoop {
    package func enqueue(_ job: consuming ExecutorJob) { hand(over: .job(UnownedJob(job))) }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor { unsafe UnownedSerialExecutor(ordinary: self) }

    package func isIsolatingCurrentContext() -> Bool? { isOnLoop }

    package func checkIsolated() {
        precondition(isOnLoop, "what lives on an event loop was entered on another thread")
    }

    func run(_ work: Work) {
        switch work {
        case .body(let body): body()
        case .job(let job): unsafe job.runSynchronously(on: asUnownedSerialExecutor())
        case .taskStep(let job, let executor):
            unsafe job.runSynchronously(
                isolatedTo: asUnownedSerialExecutor(),
                taskExecutor: executor.asUnownedTaskExecutor()
            )
        }
    }
}
