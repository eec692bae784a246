internal import DiscoverableCore
internal import DiscoverableRuntime

extension Session {
    func perform(_ action: SessionMachine.ReceiveAction) {
        switch action {
        case .ignore: break
        case .connected(let peer): connected(to: peer)
        case .fail(let failure): fail(failure)
        case .answer(let datagrams): for datagram in datagrams { transmit(datagram) }
        case .deliver(let text):
            transmit(.acknowledgement)
            eventBroadcast.push(.received(text))
            messageBroadcast.push(text)
        case .settle(let settlement): settle(settlement)
        case .end(let end): finish(end)
        }
    }

    func perform(_ action: SessionMachine.DeadlineAction) {
        switch action {
        case .wait: break
        case .discover(let addresses): for address in addresses { discover(address) }
        case .fail(let failure): fail(failure)
        case .settle(let settlement): settle(settlement)
        case .settleAndEnd(let settlement, let end):
            settle(settlement)
            finish(end)
        case .probe: transmit(codec.discover(name: deviceName))
        case .disconnect: transmit(.disconnect)
        case .end(let end): finish(end)
        }
    }

    func perform(_ action: SessionMachine.CloseAction) {
        switch action {
        case .ignore: break
        case .giveUp: ended(.closed(.closedLocally))
        case .end(let end): finish(end)
        case .disconnect(let abandoned):
            abandon(abandoned, .closedLocally)
            transmit(.disconnect)
        }
    }

    private var deviceName: String { configuration.deviceName ?? HostName.current }

    private func discover(_ address: SocketAddress) {
        if triedAddresses.insert(address).inserted { eventBroadcast.push(.connecting(to: address)) }
        transmit(codec.discover(name: deviceName), to: address)
    }

    private func connected(to address: SocketAddress) {
        peer = address
        transport.settle(on: address)
        eventBroadcast.push(.connected(to: address))
        connecting.give(())
    }

    private func settle(_ settlement: Settlement) {
        guard let message = outstanding.removeValue(forKey: settlement.message) else { return }
        if let time = settlement.roundTripTime {
            eventBroadcast.push(.acknowledged(message.text, roundTripTime: time))
            message.answer.give(.success(()))
        } else {
            eventBroadcast.push(.lost(message.text))
            message.answer.give(.failure(SessionError(.notAcknowledged, "sending a message")))
        }
        if let strength = settlement.newStrength { eventBroadcast.push(.strengthChanged(strength)) }
    }

    private func abandon(_ messages: [MessageID], _ reason: SessionCloseReason) {
        for id in messages {
            let answer = outstanding.removeValue(forKey: id)?.answer
            answer?.give(.failure(SessionError(.closed(reason), "sending a message")))
        }
    }

    func finish(_ end: SessionEnd) {
        if let farewell = end.farewell { _ = transport.send(codec.encode(farewell), to: end.peer, for: self) }
        abandon(end.abandoned, end.reason)
        ended(.closed(end.reason))
    }

    private func fail(_ failure: SessionConnectFailure) { ended(.failed(failure)) }

    private func ended(_ last: SessionEvent) {
        transport.close(peer: peer, now: MonotonicClock.now)
        eventBroadcast.push(last)
        eventBroadcast.finish()
        messageBroadcast.finish()
        connecting.give(())
        for waiter in endWaiters { waiter.resume() }
        endWaiters = []
    }
}
