package import DiscoverableCore

/// The meeting point of one producer on its executor and one consumer in any task: the producer never waits, the consumer
/// suspends while the backlog is empty.
///
/// A lock and not an executor, since the producer's executor may be blocked in the daemon's library while the consumer
/// cancels. Nothing is resumed inside the lock.
package final class Mailbox<Store: Backlog, Failure: Error>: Sendable {
    package typealias Outcome = Result<Store.Element?, Failure>

    private struct State {
        var backlog: Store
        var waiter: CheckedContinuation<Outcome, Never>?
        var end: Failure??
    }

    private let state: Locked<State>

    package init(backlog: Store) {
        state = Locked(State(backlog: backlog))
    }

    /// Hands an element over. What comes after the end is dropped.
    package func push(_ element: Store.Element) {
        let delivery = state.withLock { state -> (CheckedContinuation<Outcome, Never>, Outcome)? in
            guard state.end == nil else { return nil }
            state.backlog.push(element)
            guard let waiter = state.waiter, let next = state.backlog.pop() else { return nil }
            state.waiter = nil
            return (waiter, .success(next))
        }
        if let (waiter, outcome) = delivery { waiter.resume(returning: outcome) }
    }

    /// Ends the stream, with an error or without. What still waits in the backlog is delivered first.
    package func finish(throwing failure: Failure? = nil) {
        let waiter = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
            guard state.end == nil else { return nil }
            let waiter = state.waiter.take()
            // A consumer that waits is told here; its next call is past the end.
            state.end = .some(waiter == nil ? failure : nil)
            return waiter
        }
        waiter?.resume(returning: failure.map(Outcome.failure) ?? .success(nil))
    }

    /// The next element; nil after the end and when the consumer's task is cancelled, which loses no element.
    package func next() async throws(Failure) -> Store.Element? {
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if let outcome = take(orWaitWith: continuation) { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            state.withLock { $0.waiter.take() }?.resume(returning: .success(nil))
        }
        return try outcome.get()
    }

    private func take(orWaitWith continuation: CheckedContinuation<Outcome, Never>) -> Outcome? {
        state.withLock { state in
            if Task.isCancelled { return .success(nil) }
            if let element = state.backlog.pop() { return .success(element) }
            if let end = state.end {
                // The error is told once; whoever asks again is past the end.
                state.end = .some(nil)
                return end.map(Outcome.failure) ?? .success(nil)
            }
            precondition(state.waiter == nil, "a stream's iterator is used by two tasks at once")
            state.waiter = continuation
            return nil
        }
    }
}
