@_spi(Package) internal import DiscoverableRuntime

/// One producer on the event loop and any number of consumers in any tasks, each with a bounded queue of its own.
///
/// What comes while nobody listens is kept, within the same bound, for the next one who does. Therefore not `Mailbox`: a
/// consumer that leaves hands back what it has not taken, so that a second loop goes on where a first one stopped.
final class Broadcast<Element: Sendable>: Sendable {
    private typealias Waiter = CheckedContinuation<Element?, Never>

    private struct Consumer {
        var queue: [Element] = []
        var waiter: Waiter?
    }

    private struct State {
        /// What came while there was no consumer.
        var unclaimed: [Element] = []
        var consumers: [UInt64: Consumer] = [:]
        var lastID: UInt64 = 0
        var isFinished = false
    }

    private let capacity: Int
    private let state = LockedInPlace(State())

    /// - Parameter capacity: how many elements wait for one consumer. Of more, the oldest are dropped.
    init(capacity: Int) { self.capacity = capacity }

    /// How many elements wait for the slowest consumer, or for the first one.
    var unread: Int {
        state.withLock { state in
            state.consumers.values.map(\.queue.count).max() ?? state.unclaimed.count
        }
    }

    /// Whether anybody listens now.
    var hasConsumers: Bool { state.withLock { !$0.consumers.isEmpty } }

    /// Hands an element to every consumer. What comes after the end is dropped.
    func push(_ element: Element) {
        let waiters = state.withLock { state -> [Waiter] in
            guard !state.isFinished else { return [] }
            guard !state.consumers.isEmpty else {
                state.unclaimed.append(element, keeping: capacity)
                return []
            }
            return state.consumers.keys.compactMap { id in
                if let waiter = state.consumers[id]?.waiter.take() { return waiter }
                state.consumers[id]?.queue.append(element, keeping: capacity)
                return nil
            }
        }
        for waiter in waiters { waiter.resume(returning: element) }
    }

    /// Takes back what waits and fits.
    func withdraw(where fits: (Element) -> Bool) {
        state.withLock { state in
            state.unclaimed.removeAll(where: fits)
            for id in state.consumers.keys { state.consumers[id]?.queue.removeAll(where: fits) }
        }
    }

    /// Ends all consumers, once they have taken what waits for them.
    func finish() {
        let waiters = state.withLock { state -> [Waiter] in
            state.isFinished = true
            return state.consumers.keys.compactMap { state.consumers[$0]?.waiter.take() }
        }
        for waiter in waiters { waiter.resume(returning: nil) }
    }

    /// Adds a consumer, which lasts as long as the returned object.
    func subscribe() -> Subscription {
        let id = state.withLock { state in
            state.lastID += 1
            state.consumers[state.lastID] = Consumer(queue: state.unclaimed)
            state.unclaimed = []
            return state.lastID
        }
        return Subscription(id: id, broadcast: self)
    }

    private func unsubscribe(_ id: UInt64) {
        state.withLock { state in
            let consumer = state.consumers.removeValue(forKey: id)
            if state.consumers.isEmpty { state.unclaimed = consumer?.queue ?? [] }
        }
    }

    private func next(for id: UInt64) async -> Element? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if let answer = take(for: id, orWaitWith: continuation) { continuation.resume(returning: answer) }
            }
        } onCancel: {
            state.withLock { $0.consumers[id]?.waiter.take() }?.resume(returning: nil)
        }
    }

    /// The answer, where there is one at once: an element or, as `.some(nil)`, the end.
    private func take(for id: UInt64, orWaitWith continuation: Waiter) -> Element?? {
        state.withLock { state in
            if Task.isCancelled { return .some(nil) }
            if let queue = state.consumers[id]?.queue, let first = queue.first {
                state.consumers[id]?.queue.removeFirst()
                return first
            }
            if state.isFinished { return .some(nil) }
            state.consumers[id]?.waiter = continuation
            return nil
        }
    }

    /// One consumer. Only one task uses it: it is held by an iterator, which is not `Sendable`.
    final class Subscription {
        private let id: UInt64
        private let broadcast: Broadcast

        fileprivate init(id: UInt64, broadcast: Broadcast) {
            self.id = id
            self.broadcast = broadcast
        }

        deinit { broadcast.unsubscribe(id) }

        /// The next element; nil after the end, and when the task is cancelled, which loses none.
        func next() async -> Element? { await broadcast.next(for: id) }
    }
}

extension Array {
    fileprivate mutating func append(_ element: Element, keeping capacity: Int) {
        append(element)
        if count > capacity { removeFirst(count - capacity) }
    }
}
