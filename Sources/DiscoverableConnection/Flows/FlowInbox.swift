internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime

/// What a flow has received and nobody has taken: the meeting point of the listener, on the loop's thread, and consumers in any
/// task. Also what of a flow outlasts neither the listener nor the app's interest in it, so that each can go by itself.
final class FlowInbox: Sendable {
    /// What a consumer gets.
    enum Delivery: Sendable {
        case datagram(Datagram)
        /// The flow is over, for this reason, and everything is taken.
        case ended(SocketError.Code)
        /// The consumer's task was cancelled.
        case cancelled
    }

    /// Somebody who waits.
    struct Waiter: Sendable {
        let id: UInt64
        fileprivate let continuation: CheckedContinuation<Delivery, Never>

        func end(_ delivery: Delivery) { continuation.resume(returning: delivery) }
    }

    /// Whether a flow has been idle for too long.
    enum IdleCheck: Sendable {
        /// Not yet: ask again then.
        case active(until: Instant)
        /// It is over. None of those who wait has been told.
        case ended([Waiter])
    }

    fileprivate struct State {
        var queue = FlowQueue()
        /// Empty unless the queue is.
        var waiters: [Waiter] = []
        var end: SocketError.Code?
        var dropped: UInt64 = 0
        /// What the peer is sent leaves from the address that it has sent to last.
        var replyOptions = SendOptions()
        var lastActivity: Instant
    }

    let peer: SocketAddress
    /// What is reported about the peer.
    let failures = Broadcast<DatagramFailure>(capacity: 64)
    private let limit: Int
    private let state: Locked<State>

    init(peer: SocketAddress, limit: Int, now: Instant) {
        self.peer = peer
        self.limit = max(1, limit)
        state = Locked(State(lastActivity: now))
    }

    /// How many datagrams found no room.
    var droppedDatagrams: UInt64 { state.withLock { $0.dropped } }

    // MARK: The loop's side

    /// Hands some datagrams of a batch over, all of them the peer's. Those that find no room are counted, and not copied.
    func push(_ batch: DatagramBatch, _ range: Range<Int>, now: Instant?) {
        let replyOptions = batch.header(at: range.upperBound - 1).replyOptions
        let (first, others) = state.withLock { state -> ((Waiter, Datagram)?, [(Waiter, Datagram)]) in
            guard state.end == nil else { return (nil, []) }
            if let now { state.lastActivity = now }
            if state.replyOptions != replyOptions { state.replyOptions = replyOptions }
            // Mostly one consumer waits for one datagram, and no array is made for it.
            let first = state.serve(batch, range.lowerBound, limit: limit)
            return (first, range.dropFirst().compactMap { state.serve(batch, $0, limit: limit) })
        }
        if let (waiter, datagram) = first { waiter.end(.datagram(datagram)) }
        for (waiter, datagram) in others { waiter.end(.datagram(datagram)) }
    }

    /// No datagram follows. Those that nobody has taken are still delivered, unless they are to be dropped.
    ///
    /// - Returns: who waits; none of them has been told.
    func end(_ code: SocketError.Code, dropsQueue: Bool = false) -> [Waiter] {
        failures.finish()
        return state.withLock { $0.end(code, dropsQueue: dropsQueue) }
    }

    /// Ends the flow where nothing has arrived or been sent for `timeout`.
    func endIfIdle(for timeout: Duration, now: Instant) -> IdleCheck {
        let check = state.withLock { state -> IdleCheck in
            let deadline = state.lastActivity.advanced(by: timeout)
            return deadline > now ? .active(until: deadline) : .ended(state.end(.timedOut, dropsQueue: false))
        }
        if case .ended = check { failures.finish() }
        return check
    }

    // MARK: The app's side

    /// How a datagram to the peer leaves; the reason of the end where the flow is over.
    ///
    /// - Parameter now: nil where it does not matter when something was sent.
    func departure(now: Instant?) -> Result<SendOptions, EndedFlow> {
        state.withLock { state in
            if let end = state.end { return .failure(EndedFlow(code: end)) }
            if let now { state.lastActivity = max(now, state.lastActivity) }
            return .success(state.replyOptions)
        }
    }

    /// What is there already.
    func takeNow() -> Datagram? { state.withLock { $0.queue.popFirst() } }

    /// The next datagram, or the end.
    func next(id: UInt64) async -> Delivery {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in wait(Waiter(id: id, continuation: continuation)) }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
            }
            waiter?.end(.cancelled)
        }
    }

    /// Adds a waiter, unless there is an answer at once. All in one step: what arrives in between is not missed.
    private func wait(_ waiter: Waiter) {
        let answer = state.withLock { state -> Delivery? in
            if Task.isCancelled { return .cancelled }
            if let delivery = state.take() { return delivery }
            state.waiters.append(waiter)
            return nil
        }
        if let answer { waiter.end(answer) }
    }
}

/// A flow that is over can send nothing.
struct EndedFlow: Error {
    let code: SocketError.Code
}

extension FlowInbox.State {
    mutating func take() -> FlowInbox.Delivery? {
        if let datagram = queue.popFirst() { return .datagram(datagram) }
        return end.map(FlowInbox.Delivery.ended)
    }

    /// Gives a datagram to whoever waits, or keeps it, or drops it.
    mutating func serve(_ batch: DatagramBatch, _ index: Int, limit: Int) -> (FlowInbox.Waiter, Datagram)? {
        if !waiters.isEmpty { return (waiters.removeFirst(), batch[index]) }
        if queue.count < limit { queue.append(batch[index]) } else { dropped += 1 }
        return nil
    }

    mutating func end(_ code: SocketError.Code, dropsQueue: Bool) -> [FlowInbox.Waiter] {
        if dropsQueue { queue = FlowQueue() }
        if end == nil { end = code }
        defer { waiters = [] }
        return waiters
    }
}

/// Datagrams in order. Taking the first one moves nothing: the array is compacted when it is full and half of it is taken.
private struct FlowQueue: Sendable {
    private var items: [Datagram?] = []
    private var head = 0

    var count: Int { items.count - head }

    mutating func append(_ datagram: Datagram) {
        if items.count == items.capacity, head > 0, 2 * head >= items.count {
            items.removeFirst(head)
            head = 0
        }
        items.append(datagram)
    }

    mutating func popFirst() -> Datagram? {
        guard head < items.count else { return nil }
        let datagram = items[head].take()
        head += 1
        if head == items.count {
            items.removeAll(keepingCapacity: true)
            head = 0
        }
        return datagram
    }
}
