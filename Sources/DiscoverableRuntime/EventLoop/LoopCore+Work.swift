internal import Synchronization

extension LoopCore {
    /// How much of one kind (jobs, deadlines) a turn takes before it looks at the descriptors again.
    static let turnLimit = 256

    enum Work: Sendable {
        /// A step of an actor that lives on the loop.
        case job(UnownedJob)
        /// A step of a task that prefers the loop's thread.
        case taskStep(UnownedJob, LoopTaskExecutor)
        case body(@Sendable () -> Void)
    }

    /// Takes work, on any thread; it runs in the order of its coming.
    func hand(over work: Work) {
        if identity.isCurrent { return handOverOnLoop(work) }
        state.withLock { state in
            state.arrived.append(work)
            hasArrivals.store(true, ordering: .relaxed)
            // Inside the lock, which the thread needs to take the work: what it runs may release the last reference to the loop.
            if state.stopsWaiting() { signal.raise() }
        }
    }

    /// Without lock and signal. What others have handed over before comes first: whoever knows that they have sees the
    /// flag too.
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
            if confined.work.isEmpty { swap(&confined.work, &arrived) } else { confined.work += arrived }
        }
        arrived.removeAll(keepingCapacity: true)
    }

    /// Runs what was handed over, what comes up meanwhile too: a task that goes from step to step costs no system calls.
    func runWork(_ running: inout RunningWork) {
        for _ in 0..<Self.turnLimit {
            if running.isDone {
                running.clear()
                confined.withValue { swap(&$0.work, &running.work) }
            }
            guard let work = running.next() else { return }
            run(work)
        }
    }

    private func run(_ work: Work) {
        switch work {
        case .body(let body): body()
        case .job(let job): unsafe job.runSynchronously(on: asUnownedSerialExecutor())
        case .taskStep(let job, let executor):
            // Not as isolated to the loop's serial executor: then each call of a nonisolated function, such as a sequence's
            // `next`, would suspend the task to leave that isolation.
            unsafe job.runSynchronously(on: executor.asUnownedTaskExecutor())
        }
    }
}

/// Work that was taken to be run, and how far that has come: a turn may end in the middle.
struct RunningWork {
    /// Filled while `isDone` only.
    var work: [LoopCore.Work] = []
    private var position = 0

    var isDone: Bool { position == work.count }

    mutating func next() -> LoopCore.Work? {
        guard !isDone else { return nil }
        defer { position += 1 }
        return work[position]
    }

    mutating func clear() {
        guard position > 0 else { return }
        // The room of a rare burst is given back.
        work.removeAll(keepingCapacity: work.capacity <= 4096)
        position = 0
    }
}
