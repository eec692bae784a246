/// A continuation that several may want to resume (an answer, a deadline, a cancellation): the first one does.
final class SingleAnswer<Answer: Sendable>: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<Answer, Never>)
        case answered(Answer)
        case done
    }

    private let state = Locked(State.open)

    /// Waits for the first answer, which may have come already. To be called once.
    func wait() async -> Answer {
        await withCheckedContinuation { continuation in
            let early = state.withLock { state -> Answer? in
                if case .answered(let answer) = state {
                    state = .done
                    return answer
                }
                state = .waiting(continuation)
                return nil
            }
            if let early { continuation.resume(returning: early) }
        }
    }

    /// Gives the answer; only the first one counts.
    func give(_ answer: Answer) {
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
