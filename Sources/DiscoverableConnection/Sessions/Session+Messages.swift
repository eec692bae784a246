public import DiscoverableCore
internal import DiscoverableRuntime

extension Session {
    /// Sends a message, and returns when the peer has acknowledged it. Several may be under way at once; a classic
    /// acknowledgement does not say for which it is, so it counts for the oldest.
    ///
    /// Cancelling stops the waiting only: the message has left, and its outcome still counts for the strength.
    ///
    /// - Parameter text: at least one byte and at most 1,024 in UTF-8, without a word of the protocol (`dscv_…`).
    /// - Throws: `notAcknowledged` after 2 s by default; `closed`, `notConnected`, `tooManyOutstanding`, `cancelled`, or why
    ///   the text cannot be a message.
    public func send(_ text: String) async throws(SessionError) {
        if Task.isCancelled { throw SessionError(.cancelled, "sending a message") }
        let answer = SingleAnswer<MessageOutcome>()
        let id = try hand(text)
        waiting[id] = answer
        carryOut()
        let outcome = await withTaskCancellationHandler {
            await answer.wait()
        } onCancel: {
            answer.give(.failure(SessionError(.cancelled, "sending a message")))
        }
        try outcome.get()
    }

    /// Sends a message without waiting for its outcome, which is told by `events` under the returned number: acknowledged,
    /// lost or abandoned. Its order among other messages is that of the calls.
    ///
    /// - Parameter text: at least one byte and at most 1,024 in UTF-8, without a word of the protocol (`dscv_…`).
    /// - Throws: `closed`, `notConnected`, `tooManyOutstanding` (64 without an outcome, by default), or why the text cannot be
    ///   a message.
    @discardableResult
    public func enqueue(_ text: String) throws(SessionError) -> MessageID {
        let id = try hand(text)
        carryOut()
        return id
    }

    private func hand(_ text: String) throws(SessionError) -> MessageID {
        do throws(SendRefusal) {
            return try machine.send(text, now: MonotonicClock.now)
        } catch {
            throw SessionError(error)
        }
    }

    /// Ends the session. Returns when it is over: at once if it is already, or while connecting; else when the peer has
    /// acknowledged, and after three quarters of a second (by default) in any case. Messages without an outcome end with the
    /// error `closed`. Cancelling does not shorten it.
    ///
    /// - Parameter endingPeer: whether the peer is told. A classic server shuts down when it is; ours ends the session only.
    ///   One that is not told finds out by itself.
    public func close(endingPeer: Bool = true) async {
        machine.close(tellingPeer: endingPeer, now: MonotonicClock.now)
        carryOut()
        await waitForEnd()
    }

    func waitForEnd() async {
        await withCheckedContinuation { continuation in
            if hasEnded { continuation.resume() } else { endWaiters.append(continuation) }
        }
    }
}
