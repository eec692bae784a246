/// An object that gathers what it is asked to do during a step and carries it out at the step's end: sends that leave
/// together by one system call.
package protocol LoopFlushable: AnyObject, Sendable {
    /// Called on the loop's thread, once for each time that the object has asked for it.
    nonisolated func flushOnLoop()
}

extension EventLoop {
    /// Has `object.flushOnLoop()` called at the end of the phase (descriptors, deadlines, jobs) that the loop's turn is in,
    /// and before the thread waits. To be called on the loop's thread.
    ///
    /// - Important: An object is called once a phase, however often it asks; the order is that of the first requests. One
    ///   that asks while it is flushed is called at the end of the next phase. It is held until then.
    package func flushAtEndOfStep(_ object: any LoopFlushable) {
        core.confined.withValue { confined in
            // From the end, since the one that asks has mostly been the last to ask as well.
            if confined.flushables.reversed().contains(where: { $0 === object }) { return }
            confined.flushables.append(object)
        }
    }
}

extension LoopCore {
    /// Ends a phase. `batch` is empty before and after; its room is kept.
    func flush(_ batch: inout [any LoopFlushable]) {
        confined.withValue { swap(&$0.flushables, &batch) }
        guard !batch.isEmpty else { return }
        for object in batch { object.flushOnLoop() }
        batch.removeAll(keepingCapacity: true)
    }
}
