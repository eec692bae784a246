/// One caller that waits for one result which another thread brings: with a time-out and cancellable, also while that
/// other thread is blocked.
package final class Waiter<Value: Sendable, Failure: Error>: Sendable {
    package typealias Outcome = Result<Value, Failure>

    private enum State {
        /// Becomes `waiting` or `resumed`.
        case idle
        /// Becomes `resumed`.
        case waiting(CheckedContinuation<Outcome, Never>)
        /// The result came before the caller asked, or the caller has it.
        case resumed(Outcome)
    }

    private let state = Locked(State.idle)

    package init() {}

    /// Brings the result. The first one counts; later ones are dropped.
    package func resume(_ outcome: Outcome) {
        let continuation = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
            switch state {
            case .idle:
                state = .resumed(outcome)
                return nil
            case .waiting(let continuation):
                state = .resumed(outcome)
                return continuation
            case .resumed: return nil
            }
        }
        continuation?.resume(returning: outcome)
    }

    /// Waits for the result, `timeout` at the most; `timedOut` and `cancelled` make the errors of those two ends.
    package func value(
        within timeout: Duration?,
        timedOut: @escaping @Sendable () -> Failure,
        cancelled: @escaping @Sendable () -> Failure
    ) async throws(Failure) -> Value {
        let timer = timeout.map { timeout in
            EventLoop.shared.schedule(after: timeout) { self.resume(.failure(timedOut())) }
        }
        defer { timer?.cancel() }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { wait(with: $0) }
        } onCancel: {
            resume(.failure(cancelled()))
        }
        return try outcome.get()
    }

    private func wait(with continuation: CheckedContinuation<Outcome, Never>) {
        let outcome = state.withLock { state -> Outcome? in
            switch state {
            case .idle:
                state = .waiting(continuation)
                return nil
            case .resumed(let outcome): return outcome
            case .waiting: preconditionFailure("a waiter has one caller")
            }
        }
        if let outcome { continuation.resume(returning: outcome) }
    }
}
