internal import DiscoverableCore
internal import DiscoverableRuntime

extension Session {
    /// Carries out what the machine has decided, and sets the timer for what it wants next. To be called after each verb.
    func carryOut() {
        while let output = machine.nextOutput() {
            switch output {
            case .transmit(let bytes, let address): transmit(bytes, to: address)
            case .event(let event): happened(event)
            }
        }
        condition.send(SessionCondition(machine))
        if machine.state.isFinal { ended() }
        rearm()
    }

    private func transmit(_ bytes: [UInt8], to address: SocketAddress) {
        if let error = transport.send(bytes, to: address, for: self) {
            // No socket, or no way: the next repetition tries again.
            peerReported(error, address, otherwise: .unreachable)
        }
    }

    private func happened(_ event: SessionEvent) {
        // Whoever is told may ask at once: the answer must know it.
        if case .connected(let address) = event { connected(to: address) }
        switch event {
        case .received(let text): received(text, event)
        case .connecting, .connected, .sent, .acknowledged, .lost, .abandoned, .strengthChanged, .closed, .failed:
            eventBroadcast.push(event)
        }
        switch event {
        case .acknowledged(let id, _, _): settle(id, .success(()))
        case .lost(let id, _): settle(id, .failure(SessionError(.notAcknowledged, "sending a message")))
        case .abandoned(let id, _): settle(id, .failure(SessionError(.closed(closeReason), "sending a message")))
        case .connecting, .connected, .sent, .received, .strengthChanged, .closed, .failed: break
        }
    }

    /// An app that takes the messages, and nobody follows the events, need not be kept the same texts twice.
    private func received(_ text: String, _ event: SessionEvent) {
        if eventBroadcast.hasConsumers || !messageBroadcast.hasConsumers { eventBroadcast.push(event) }
        messageBroadcast.push(text)
    }

    private func connected(to address: SocketAddress) {
        peer = address
        transport.settle(on: address)
        connecting.give(())
    }

    private func settle(_ id: MessageID, _ outcome: MessageOutcome) {
        waiting.removeValue(forKey: id)?.give(outcome)
    }

    /// Messages are abandoned when the session is over, or when we have begun to close it.
    private var closeReason: SessionCloseReason {
        if case .closed(let reason) = machine.state { reason } else { .closedLocally }
    }

    private func ended() {
        guard !hasEnded else { return }
        hasEnded = true
        transport.close(self, peer: peer, now: MonotonicClock.now)
        eventBroadcast.finish()
        messageBroadcast.finish()
        condition.finish()
        connecting.give(())
        for waiter in endWaiters { waiter.resume() }
        endWaiters = []
    }

    /// One timer, for the machine's next deadline.
    private func rearm() {
        let next = machine.nextDeadline?.at
        guard next != timer?.deadline else { return }
        timer?.scheduled.cancel()
        timer = next.map { deadline in
            (
                deadline,
                loop.schedule(at: deadline) { [weak self] in self?.assumeIsolated { $0.deadlineReached() } }
            )
        }
    }

    private func deadlineReached() {
        timer = nil
        machine.deadlineReached(now: MonotonicClock.now)
        carryOut()
    }
}
