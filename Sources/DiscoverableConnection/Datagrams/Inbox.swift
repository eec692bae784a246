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
        fileprivate let seat: Seat
        /// What the consumer goes on with.
        fileprivate let step: UnownedJob

        init(seat: Seat, step: UnownedJob) {
            self.seat = seat
            self.step = step
        }
    }

    fileprivate struct State {
        /// What is there; two batches where each of two sockets, one a family, has brought one.
        var batches: [DatagramBatch] = []
        var waiters: [Waiter] = []
        /// Whether the reading has stopped, or has not begun, so that whoever makes room starts it.
        var isPaused = true
        var isClosed = false
    }

    private let state = LockedInPlace(State())

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
        let (first, others) = state.withLock { state -> (Waiter?, [Waiter]) in
            guard !state.isClosed else { return (nil, []) }
            state.batches.append(batch)
            // Mostly one consumer waits, and no array is made for it.
            return (state.serveOne(), state.waiters.isEmpty ? [] : state.serveAll())
        }
        first?.goOn()
        for waiter in others { waiter.goOn() }
    }

    /// No datagram follows, and those that nobody has taken are dropped. Returns who waits, by the numbers of their calls: each is to
    /// be told by `goOn`.
    func close() -> [(call: UInt64, waiter: Waiter)] {
        state.withLock { state in
            state.isClosed = true
            state.batches = []
            defer { state.waiters = [] }
            return state.waiters.map { waiter in
                unsafe waiter.seat.order.delivery = .closed
                return (unsafe waiter.seat.order.call, waiter)
            }
        }
    }

    // MARK: A consumer's side

    /// Takes what is there at once, at most `limit` datagrams. `start` is called where the reading is to be started again.
    func take(limit: Int, start: () -> Void) -> DatagramBatch? {
        let (batch, mustStart) = state.withLock { state in (state.take(limit: limit), state.starts()) }
        if mustStart { start() }
        return batch
    }

    /// Begins a wait: from here on `leave` ends it.
    ///
    /// - Parameters:
    ///   - call: the number of the call; who waits is told the end in the order of these.
    ///   - limit: how many datagrams are taken at most.
    ///   - seat: where nobody waits.
    func begin(_ call: UInt64, limit: Int, at seat: Seat) {
        state.withLock { state in
            let isTaken = state.waiters.contains { $0.seat === seat }
            precondition(!isTaken, "an iterator over datagrams is used by two tasks at once")
            unsafe seat.order = Seat.Order(call: call, limit: limit)
        }
    }

    /// Waits for datagrams, after `begin`.
    func wait(_ call: UInt64, at place: Seat.Place, of seat: Seat) async -> Delivery {
        await withTaskCancellationHandler {
            await place.take()
        } onCancel: {
            leave(seat, call, .cancelled)
        }
        return state.withLock { _ in unsafe seat.order.delivery.take() } ?? .closed
    }

    /// The consumer waits no longer, unless it has got something, or has gone on to another call.
    func leave(_ seat: Seat, _ call: UInt64, _ reason: Delivery) {
        let waiter = state.withLock { state -> Waiter? in
            guard unsafe seat.order.call == call else { return nil }
            guard let place = state.waiters.firstIndex(where: { $0.seat === seat }) else {
                unsafe seat.order.reason = reason
                return nil
            }
            unsafe seat.order.delivery = reason
            return state.waiters.remove(at: place)
        }
        waiter?.goOn()
    }

    /// Adds a waiter, unless there is an answer at once. All in one step: what arrives in between is not missed. `start` is called
    /// where the reading is to be started.
    func seat(_ waiter: Waiter, start: () -> Void) {
        let (isServed, mustStart) = state.withLock { state -> (Bool, Bool) in
            if let end = unsafe waiter.seat.order.reason ?? (state.isClosed ? .closed : nil) {
                unsafe waiter.seat.order.delivery = end
                return (true, false)
            }
            let batch = unsafe state.take(limit: waiter.seat.order.limit)
            if let batch { unsafe waiter.seat.order.delivery = .batch(batch) } else { state.waiters.append(waiter) }
            return (batch != nil, state.starts())
        }
        if mustStart { start() }
        if isServed { waiter.goOn() }
    }
}

extension Inbox.Waiter {
    /// Lets the consumer see what it has got.
    func goOn() { seat.release(step) }
}

extension Inbox.State {
    mutating func take(limit: Int) -> DatagramBatch? {
        guard let batch = batches.first else { return nil }
        let rest = batch.dropFirst(limit)
        if rest.isEmpty { batches.removeFirst() } else { batches[0] = rest }
        return batch.prefix(limit)
    }

    /// Gives the next consumer its part.
    mutating func serveOne() -> Inbox.Waiter? {
        guard let waiter = waiters.first, let batch = unsafe take(limit: waiter.seat.order.limit) else { return nil }
        unsafe waiter.seat.order.delivery = .batch(batch)
        return waiters.removeFirst()
    }

    mutating func serveAll() -> [Inbox.Waiter] {
        var served: [Inbox.Waiter] = []
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
