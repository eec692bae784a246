@_spi(Package) import DiscoverableRuntime

/// A value that comes once, and that any number of callers may wait for, before and after. (A `Waiter` has one caller.)
final class Latch<Value: Sendable>: Sendable {
    enum Failure: Error {
        case timedOut
        case cancelled
    }

    private enum State {
        case open([Waiter<Value, Failure>])
        case closed(Value)
    }

    private let state = Locked(State.open([]))

    /// Brings the value. The first one counts.
    func close(_ value: Value) {
        let waiters = state.withLock { state -> [Waiter<Value, Failure>] in
            guard case .open(let waiters) = state else { return [] }
            state = .closed(value)
            return waiters
        }
        for waiter in waiters { waiter.resume(.success(value)) }
    }

    /// Waits for the value, `limit` at the most.
    func value(within limit: Duration? = nil) async throws(Failure) -> Value {
        let waiter = Waiter<Value, Failure>()
        state.withLock { state in
            switch state {
            case .open(let waiters): state = .open(waiters + [waiter])
            case .closed(let value): waiter.resume(.success(value))
            }
        }
        return try await waiter.value(within: limit, timedOut: { .timedOut }, cancelled: { .cancelled })
    }
}
