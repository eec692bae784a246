internal import DiscoverableCore
internal import DiscoverableRuntime

/// What is current in a session.
struct SessionCondition: Hashable, Sendable {
    let state: SessionState
    let strength: Int?
    let roundTripTime: Duration?

    init(_ machine: SessionMachine) {
        state = machine.state
        strength = machine.strength
        roundTripTime = machine.roundTripTime
    }
}

/// A value of a session that changes: its state, its strength or its round-trip time.
///
/// Any number of tasks may iterate, each with an iterator of its own. Each gets the present value at once, where one is known
/// already, then the newest whenever it has changed; a slow one is not told what was overtaken meanwhile. The sequence ends with
/// the session, and for a task that is cancelled. Whoever iterates keeps the session.
public struct SessionValues<Value: Sendable & Equatable>: AsyncSequence, Sendable {
    /// A value.
    public typealias Element = Value
    /// It does not fail: how a session ended is its last state.
    public typealias Failure = Never

    let source: Session
    let broadcast: StateBroadcast<SessionCondition>
    let value: @Sendable (SessionCondition) -> Value?

    /// Begins to follow the value.
    public func makeAsyncIterator() -> Iterator {
        Iterator(source: source, conditions: StateSequence(broadcast).makeAsyncIterator(), value: value)
    }

    /// One consumer's place in the sequence.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let source: Session
        fileprivate var conditions: StateSequence<SessionCondition>.Iterator
        fileprivate let value: @Sendable (SessionCondition) -> Value?
        private var last: Value?

        fileprivate init(
            source: Session,
            conditions: StateSequence<SessionCondition>.Iterator,
            value: @escaping @Sendable (SessionCondition) -> Value?
        ) {
            self.source = source
            self.conditions = conditions
            self.value = value
        }

        /// The next value; nil once the session is over or the task cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
            while let condition = await conditions.next(isolation: actor) {
                guard let new = value(condition), new != last else { continue }
                last = new
                return new
            }
            return nil
        }

        /// The next value; nil once the session is over or the task cancelled.
        public mutating func next() async -> Value? { await next(isolation: nil) }
    }
}
