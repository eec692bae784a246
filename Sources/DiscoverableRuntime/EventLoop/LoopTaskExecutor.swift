/// Runs tasks on an event loop's thread, beside the sockets and sessions that live there: a task that is started with
/// `Task(executorPreference: loop.taskExecutor)` is woken without a change of threads.
///
/// A task on it must not block, and leaves the thread to others at its next suspension only. The executor keeps the loop
/// alive. It is obtained from ``EventLoop/taskExecutor``.
public final class LoopTaskExecutor: TaskExecutor {
    // An object of its own and not the loop itself: the concurrency runtime compares the task executor that a step was run
    // with to the one that its task prefers, at every call of an actor's asynchronous function, and suspends where they
    // differ. So only the steps of tasks that prefer the loop may be run with one.
    //
    // It compares the serial executors too, of which such a step has none: code of no actor, for which this is, goes on without
    // a suspension until it calls an actor. Code of an actor on the loop comes by that actor's executor, and not by this one.
    private let lifetime: LoopLifetime

    init(lifetime: LoopLifetime) { self.lifetime = lifetime }

    /// Takes a step of a task that prefers the loop; called by Swift's runtime, on any thread.
    public func enqueue(_ job: consuming ExecutorJob) { lifetime.core.hand(over: .taskStep(UnownedJob(job), self)) }

    /// What Swift's runtime refers to the executor by.
    public func asUnownedTaskExecutor() -> UnownedTaskExecutor { unsafe UnownedTaskExecutor(ordinary: self) }
}

/// Keeps a loop running: the thread ends with the last reference.
final class LoopLifetime: Sendable {
    let core: LoopCore

    init(core: LoopCore) { self.core = core }

    deinit { core.end() }
}
