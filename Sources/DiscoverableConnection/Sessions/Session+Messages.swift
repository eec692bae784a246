internal import DiscoverableCore
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
        let answer = SingleAnswer<Result<Void, SessionError>>()
        switch machine.send(text, now: MonotonicClock.now) {
        case .refuse(let refusal): throw SessionError(refusal)
        case .transmit(let id, let datagram):
            outstanding[id] = Outstanding(text: text, answer: answer)
            eventBroadcast.push(.sent(text))
            transmit(datagram)
            rearm()
        }
        let result = await withTaskCancellationHandler {
            await answer.wait()
        } onCancel: {
            answer.give(.failure(SessionError(.cancelled, "sending a message")))
        }
        try result.get()
    }

    /// Ends the session. Returns when it is over: at once if it is already, else when the peer has acknowledged, and after
    /// three quarters of a second (by default) in any case. Messages without an outcome end with the error `closed`.
    ///
    /// - Parameter endingPeer: whether the peer is told. A classic server shuts down when it is; ours ends the session only.
    ///   One that is not told finds out by itself.
    public func close(endingPeer: Bool = true) async {
        perform(machine.close(tellingPeer: endingPeer, now: MonotonicClock.now))
        rearm()
        await waitForEnd()
    }

    func waitForEnd() async {
        await withCheckedContinuation { continuation in
            if machine.state.isFinal { continuation.resume() } else { endWaiters.append(continuation) }
        }
    }
}
