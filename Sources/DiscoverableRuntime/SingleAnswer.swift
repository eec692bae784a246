/// A continuation that several may want to resume (an answer, a deadline, a cancellation): the first one does.
package final class SingleAnswer<Answer: Sendable>: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<Answer, Never>)
        case answered(Answer)
        case done
    }

    private let state = Locked(State.open)

    package init() {}

    /// Waits for the first answer, which may have come already. To be called once.
    package func wait() async -> Answer {
        await withCheckedContinuation { continuation in
            let early = state.withLock { state -> Answer? in
                switch state {
                case .answered(let answer):
                    state = .done
                    return answer
                case .open:
                    state = .waiting(continuation)
                    return nil
                case .waiting, .done: preconditionFailure("an answer is waited for twice")
                }
            }
            if let early { continuation.resume(returning: early) }
        }
    }

    /// Whether somebody has given an answer, so that another one is not needed.
    package var isGiven: Bool {
        state.withLock { state in
            switch state {
            case .open, .waiting: false
            case .answered, .done: true
            }
        }
    }

    /// Gives the answer; only the first one counts.
    package func give(_ answer: Answer) {
        let waiter = state.withLock { state -> CheckedContinuation<Answer, Never>? in
            switch state {
            case .open:
                state = .answered(answer)
                return nil
            case .waiting(let continuation):
                state = .done
                return continuation
            case .answered, .done:
                return nil
            }
        }
        waiter?.resume(returning: answer)
    }
}
