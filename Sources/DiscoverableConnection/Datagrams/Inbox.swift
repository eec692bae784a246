internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime

/// The datagrams that have arrived and that nobody has taken: one batch, so that more wait in the kernel, which counts what it
/// drops. The meeting point of the loop's thread and consumers in any task.
///
/// Several consumers may wait; each datagram goes to one of them, in the order of their calls.
final class Inbox: Sendable {
    /// What a consumer gets.
    enum Delivery: Sendable {
        /// As many datagrams as it asked for, or fewer.
        case batch(DatagramBatch)
        /// The socket is closed.
        case closed
        /// The consumer's task was cancelled.
        case cancelled
        /// The consumer's time was over.
        case timedOut
    }

    /// Somebody who waits.
    struct Waiter: Sendable {
        let id: UInt64
        /// How many datagrams it takes: one, or whatever is there.
        let limit: Int
        fileprivate let continuation: CheckedContinuation<Delivery, Never>

        func end(_ delivery: Delivery) { continuation.resume(returning: delivery) }
    }

    fileprivate struct State {
        /// What is there; two batches where each of two sockets, one a family, has brought one.
        var batches: [DatagramBatch] = []
        var waiters: [Waiter] = []
        /// Whether the reading has stopped, or has not begun, so that whoever makes room starts it.
        var isPaused = true
        var isClosed = false
    }

    private let state = Locked(State())

    // MARK: The loop's side

    /// Whether more is wanted now. If not, the next consumer who empties the inbox is told to start the reading again.
    var hasRoom: Bool {
        state.withLock { state in
            state.isPaused = !state.batches.isEmpty
            return !state.isPaused
        }
    }

    /// Hands a batch to whoever waits, and keeps the rest.
    func push(_ batch: DatagramBatch) {
        let (first, others) = state.withLock { state -> ((Waiter, DatagramBatch)?, [(Waiter, DatagramBatch)]) in
            guard !state.isClosed else { return (nil, []) }
            state.batches.append(batch)
            // Mostly one consumer waits, and no array is made for it.
            return (state.serveOne(), state.waiters.isEmpty ? [] : state.serveAll())
        }
        if let (waiter, delivery) = first { waiter.end(.batch(delivery)) }
        for (waiter, delivery) in others { waiter.end(.batch(delivery)) }
    }

    /// No datagram follows, and those that nobody has taken are dropped. Returns who waits; none of them has been told.
    func close() -> [Waiter] {
        state.withLock { state in
            state.isClosed = true
            state.batches = []
            defer { state.waiters = [] }
            return state.waiters
        }
    }

    // MARK: A consumer's side

    /// Takes what is there at once, at most `limit` datagrams. `start` is called where the reading is to be started again.
    func take(limit: Int, start: () -> Void) -> DatagramBatch? {
        let (batch, mustStart) = state.withLock { state in (state.take(limit: limit), state.starts()) }
        if mustStart { start() }
        return batch
    }

    /// Waits for datagrams. `start` is called where the reading is to be started.
    func next(id: UInt64, limit: Int, start: () -> Void) async -> Delivery {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                wait(Waiter(id: id, limit: limit, continuation: continuation), start)
            }
        } onCancel: {
            give(up: id, .cancelled)
        }
    }

    /// Ends a waiter, unless it has got something.
    func give(up id: UInt64, _ reason: Delivery) {
        let waiter = state.withLock { state in
            state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
        }
        waiter?.end(reason)
    }

    /// Adds a waiter, unless there is an answer at once. All in one step: what arrives in between is not missed.
    private func wait(_ waiter: Waiter, _ start: () -> Void) {
        let (answer, mustStart) = state.withLock { state -> (Delivery?, Bool) in
            if Task.isCancelled { return (.cancelled, false) }
            if state.isClosed { return (.closed, false) }
            let batch = state.take(limit: waiter.limit)
            if batch == nil { state.waiters.append(waiter) }
            return (batch.map(Delivery.batch), state.starts())
        }
        if mustStart { start() }
        if let answer { waiter.end(answer) }
    }
}

extension Inbox.State {
    mutating func take(limit: Int) -> DatagramBatch? {
        guard let batch = batches.first else { return nil }
        let rest = batch.dropFirst(limit)
        if rest.isEmpty { batches.removeFirst() } else { batches[0] = rest }
        return batch.prefix(limit)
    }

    /// Gives the next consumer its part.
    mutating func serveOne() -> (Inbox.Waiter, DatagramBatch)? {
        guard let waiter = waiters.first, let batch = take(limit: waiter.limit) else { return nil }
        waiters.removeFirst()
        return (waiter, batch)
    }

    mutating func serveAll() -> [(Inbox.Waiter, DatagramBatch)] {
        var served: [(Inbox.Waiter, DatagramBatch)] = []
        while let next = serveOne() { served.append(next) }
        return served
    }

    /// Whether the reading is to be started: there is room, and it has stopped.
    mutating func starts() -> Bool {
        guard isPaused, batches.isEmpty else { return false }
        isPaused = false
        return true
    }
}
