internal import Synchronization

extension EventLoop {
    /// How much of one kind (jobs, deadlines) a turn takes before it looks at the descriptors again.
    static let turnLimit = 256

    enum Work: Sendable {
        /// A step of an actor that lives on the loop.
        case job(UnownedJob)
        /// A step of a task that prefers the loop's thread.
        case taskStep(UnownedJob, LoopTaskExecutor)
        case body(@Sendable () -> Void)
    }

    /// Runs `body` on the loop's thread, after what was handed over before it, never inside this call.
    package func execute(_ body: @escaping @Sendable () -> Void) { hand(over: .body(body)) }

    func hand(over work: Work) {
        if isOnLoop { return handOverOnLoop(work) }
        let mustWake = state.withLock { state in
            state.arrived.append(work)
            hasArrivals.store(true, ordering: .relaxed)
            return state.stopsWaiting()
        }
        if mustWake { signal.raise() }
    }

    /// Without the lock and the signal. What others have handed over before comes first: whoever knows that they have
    /// sees the flag too.
    private func handOverOnLoop(_ work: Work) {
        if hasArrivals.load(ordering: .relaxed) {
            var arrived: [Work] = []
            state.withLock { takeArrivals(&$0, into: &arrived) }
            admit(&arrived)
        }
        confined.withValue { $0.work.append(work) }
    }

    /// Takes what other threads have handed over; `arrived` is empty before.
    func takeArrivals(_ state: inout State, into arrived: inout [Work]) {
        guard !state.arrived.isEmpty else { return }
        swap(&state.arrived, &arrived)
        hasArrivals.store(false, ordering: .relaxed)
    }

    /// Puts what has arrived behind what the loop's own thread has handed over.
    func admit(_ arrived: inout [Work]) {
        guard !arrived.isEmpty else { return }
        confined.withValue { confined in
            if confined.work.isEmpty { swap(&confined.work, &arrived) } else { confined.work.append(contentsOf: arrived) }
        }
        arrived.removeAll(keepingCapacity: true)
    }

    /// Runs what was handed over, what comes up meanwhile too: a task that goes from step to step costs no system calls.
    func runWork(_ running: inout LoopTurn.Running) {
        var budget = Self.turnLimit
        while budget > 0 {
            if running.isDone {
                running.clear()
                confined.withValue { swap(&$0.work, &running.work) }
                if running.isDone { return }
            }
            while budget > 0, let work = running.next() {
                run(work)
                budget -= 1
            }
        }
    }

    private func run(_ work: Work) {
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
