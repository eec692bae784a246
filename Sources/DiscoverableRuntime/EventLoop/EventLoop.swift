public import DiscoverableCore

/// One thread that waits for descriptors and deadlines and runs what lives on it: sockets, sessions, and the tasks and actors
/// that an app puts beside them.
///
/// All sockets and sessions of a process share ``shared`` unless they are told otherwise; whatever shares a loop talks to
/// each other without changing threads. A loop of one's own is for what would hold up the others: a step that computes for
/// long, or traffic that alone keeps a core busy. Each loop costs a thread and two descriptors.
///
/// An actor is put on a loop by returning the loop's executor; ``EventLoopActor`` is one that is there already, for code beside the
/// sockets of the shared loop. A task that belongs to no actor is put on a loop with
/// `Task(executorPreference: loop.taskExecutor)`; each of its awaits costs some 50 ns more.
///
/// ```swift
/// actor Player {
///     private let loop: EventLoop
///     nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
/// }
/// ```
///
/// What runs on a loop must not block: everybody else on it waits meanwhile.
///
/// - Important: The loop's thread ends when the last reference to the loop goes. Sockets, sessions and tasks on the loop
///   hold one, and so must an actor. Everything that is offered here can be used on any thread.
public final class EventLoop: SerialExecutor {
    // How an object of ours lives on the loop:
    // 1. It is an actor as above.
    // 2. It registers its descriptors. Readiness arrives on the loop's thread, where the actor enters itself with
    //    `assumeIsolated`: no hop and no lock, but a small allocation each time. What must do without keeps its state in a
    //    `LoopConfined`.
    // 3. It takes its deadlines from `schedule`, whose bodies run on the loop's thread as well.
    // 4. What it gathers during a step, it carries out at the step's end: `flushAtEndOfStep`.
    // 5. It handles a bounded number of datagrams a call.

    /// The loop that sockets and sessions live on when nothing else is said. Its thread starts with the first use and lives
    /// as long as the process.
    public static let shared: EventLoop = {
        do throws(UnderlyingError) {
            return try EventLoop()
        } catch {
            fatalError("the process can have no thread or descriptor: \(error)")  // safe because no peer reaches it
        }
    }()

    /// For tasks that are to run on the loop's thread: `Task(executorPreference: loop.taskExecutor)`. Always the same; it
    /// keeps the thread running, also where the loop itself has gone.
    public let taskExecutor: LoopTaskExecutor

    let core: LoopCore
    @_spi(Package) @usableFromInline var identity: LoopIdentity { core.identity }
    /// The memory that the loop's sockets share.
    package let datagrams: LoopConfined<DatagramPool>

    /// Starts a loop with a thread of its own.
    ///
    /// - Parameter name: The thread's, for debuggers and `top -H`; the system keeps the first 15 bytes.
    /// - Throws: The error of the system call that failed, where the process can have no further thread or descriptor.
    public init(name: String = "discoverable") throws(UnderlyingError) {
        core = try LoopCore(name: name)
        datagrams = LoopConfined(DatagramPool(), identity: core.identity)
        // The one reference to what keeps the thread running: both go together, except where a task still needs the latter.
        taskExecutor = LoopTaskExecutor(lifetime: LoopLifetime(core: core))
    }

    /// Whether the caller runs on the loop's thread.
    package var isOnLoop: Bool { core.identity.isCurrent }

    /// Runs a step of a task on the loop's thread, as one of the loop's own executor, whoever it was meant for: its owner answers for
    /// that.
    package func run(_ job: UnownedJob) { core.hand(over: .job(job)) }

    /// Runs `body` on the loop's thread, after what was handed over before it, never inside this call.
    package func execute(_ body: @escaping @Sendable () -> Void) { core.hand(over: .body(body)) }
}

// MARK: - Executor

extension EventLoop {
    /// Takes a step of an actor that lives on the loop; called by Swift's runtime, on any thread.
    public func enqueue(_ job: consuming ExecutorJob) { core.enqueue(job) }

    /// What an actor that lives on the loop returns as its `unownedExecutor`.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { unsafe core.asUnownedSerialExecutor() }

    /// Whether the caller runs on the loop's thread; called by Swift's runtime, for `assumeIsolated` among others.
    public func isIsolatingCurrentContext() -> Bool? { isOnLoop }

    /// Traps where the caller does not run on the loop's thread; called by Swift's runtime.
    public func checkIsolated() { core.checkIsolated() }
}
