package import DiscoverableCore

/// A state that any number of consumers follow: each gets the present one first, then the newest whenever it has changed.
/// It has one sender: `send` and `finish` are called on one executor.
package final class StateBroadcast<Value: Sendable & Equatable>: Sendable {
    package typealias Subscriber = Mailbox<LatestValue<Value>, Never>

    private struct State {
        var current: Value
        var isFinished = false
        var subscribers: [UInt64: Subscriber] = [:]
        var nextID: UInt64 = 0
    }

    private let state: Locked<State>

    package init(_ value: Value) {
        state = Locked(State(current: value))
    }

    package var current: Value { state.withLock { $0.current } }

    /// Tells a new state; one equal to the present state is not told.
    package func send(_ value: Value) {
        let subscribers = state.withLock { state -> [Subscriber] in
            if state.isFinished || state.current == value { return [] }
            state.current = value
            return Array(state.subscribers.values)
        }
        for subscriber in subscribers { subscriber.push(value) }
    }

    /// No state follows: consumers still get the last one, then their end.
    package func finish() {
        let subscribers = state.withLock { state -> [Subscriber] in
            state.isFinished = true
            return Array(state.subscribers.values)
        }
        for subscriber in subscribers { subscriber.finish() }
    }

    fileprivate func subscribe() -> (id: UInt64, subscriber: Subscriber) {
        let subscriber = Subscriber(backlog: LatestValue())
        return state.withLock { state in
            subscriber.push(state.current)
            if state.isFinished { subscriber.finish() }
            state.nextID += 1
            state.subscribers[state.nextID] = subscriber
            return (state.nextID, subscriber)
        }
    }

    fileprivate func unsubscribe(_ id: UInt64) {
        state.withLock { $0.subscribers[id] = nil }
    }
}

/// A state as a sequence: the present one first, then each newest one.
///
/// Any number of tasks can iterate at once, each with an iterator of its own. A slow one finds the newest state and none
/// that was overtaken. Cancelling the task ends its iteration.
public struct StateSequence<Value: Sendable & Equatable>: AsyncSequence, Sendable {
    /// A state.
    public typealias Element = Value
    /// A state's sequence does not fail.
    public typealias Failure = Never

    private let broadcast: StateBroadcast<Value>
    private let owner: (any AnyObject & Sendable)?

    /// The states of a broadcast. The sequence and its iterators keep `owner` alive: for states that end with it.
    package init(_ broadcast: StateBroadcast<Value>, keeping owner: (any AnyObject & Sendable)? = nil) {
        self.broadcast = broadcast
        self.owner = owner
    }

    /// Begins to follow the state.
    public func makeAsyncIterator() -> Iterator {
        Iterator(subscription: Subscription(broadcast, keeping: owner))
    }

    /// One consumer's place in the sequence.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let subscription: Subscription

        /// The next state; nil when none can follow or the task is cancelled.
        public mutating func next() async -> Value? {
            await next(isolation: nil)
        }

        /// The next state; nil when none can follow or the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
            await subscription.subscriber.next()
        }
    }

    /// Ends the subscription when the iterator is gone.
    fileprivate final class Subscription: Sendable {
        private let broadcast: StateBroadcast<Value>
        private let owner: (any AnyObject & Sendable)?
        private let id: UInt64
        let subscriber: StateBroadcast<Value>.Subscriber

        init(_ broadcast: StateBroadcast<Value>, keeping owner: (any AnyObject & Sendable)?) {
            self.broadcast = broadcast
            self.owner = owner
            (id, subscriber) = broadcast.subscribe()
        }

        deinit { broadcast.unsubscribe(id) }
    }
}
