/// Runs tasks on an event loop's thread, where they use what lives on the loop without a hop.
///
/// An object of its own and not the loop itself: the concurrency runtime compares the task executor that a step was run
/// with to the one that its task prefers, at every call of an actor's asynchronous function, and suspends where they
/// differ. So only the steps of tasks that prefer the loop may be run with one.
package final class LoopTaskExecutor: TaskExecutor {
    private let loop: EventLoop

    fileprivate init(loop: EventLoop) { self.loop = loop }

    package func enqueue(_ job: consuming ExecutorJob) { loop.hand(over: .taskStep(UnownedJob(job), self)) }

    package func asUnownedTaskExecutor() -> UnownedTaskExecutor { unsafe UnownedTaskExecutor(ordinary: self) }
}

extension EventLoop {
    /// For tasks that want to live beside the loop's actors: `Task(executorPreference:)`. It keeps the loop alive.
    package var taskExecutor: LoopTaskExecutor {
        state.withLock { state in
            if let executor = state.taskExecutor { return executor }
            let executor = LoopTaskExecutor(loop: self)
            state.taskExecutor = executor
            return executor
        }
    }
}
