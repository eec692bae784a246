/// One caller that waits for one result which another thread brings: with a time-out and cancellable, also while that
/// other thread is blocked.
package final class Waiter<Value: Sendable, Failure: Error>: Sendable {
    package typealias Outcome = Result<Value, Failure>

    private let answer = SingleAnswer<Outcome>()

    package init() {}

    /// Whether the result is there, or nobody wants it any more.
    package var isResumed: Bool { answer.isGiven }

    /// Brings the result. The first one counts; later ones are dropped.
    package func resume(_ outcome: Outcome) { answer.give(outcome) }

    /// Waits for the result, `timeout` at the most; `timedOut` and `cancelled` make the errors of those two ends. To be
    /// called once.
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
            await answer.wait()
        } onCancel: {
            resume(.failure(cancelled()))
        }
        return try outcome.get()
    }
}
