import DiscoverableCore

/// A session machine with a driver that carries out its actions and checks what must hold after each of them.
final class SimulatedEnd {
    private(set) var machine: SessionMachine
    private let transmit: (ClassicDatagram, SocketAddress) -> Void
    private var peer: SocketAddress?
    /// How many outcomes each message has had.
    private var outcomes: [MessageID: Int] = [:]
    private(set) var acknowledged = 0
    private(set) var lost = 0
    private(set) var received = 0
    private(set) var violations: [String] = []

    init(
        machine: SessionMachine,
        peer: SocketAddress?,
        transmit: @escaping (ClassicDatagram, SocketAddress) -> Void
    ) {
        self.machine = machine
        self.peer = peer
        self.transmit = transmit
    }

    var isOver: Bool { machine.state.isFinal }

    // MARK: What happens

    func connect(to addresses: [SocketAddress], now: Instant) {
        checked { perform(machine.connect(to: addresses, now: now)) }
    }

    func receive(_ datagram: ClassicDatagram?, from source: SocketAddress, now: Instant) {
        checked {
            let wasOver = isOver
            let action = machine.receive(datagram, from: source, now: now)
            if wasOver, action != .ignore(.over) { violations.append("an event after the end: \(action)") }
            perform(action)
        }
    }

    func reachDeadlines(now: Instant) {
        while let deadline = machine.nextDeadline, deadline.at <= now, violations.isEmpty {
            checked {
                let action = machine.deadlineReached(now: now)
                if action == .wait, machine.nextDeadline == deadline { violations.append("\(deadline) stays due") }
                perform(action)
            }
        }
    }

    func send(_ text: String, now: Instant) {
        checked {
            guard case .transmit(let id, let datagram) = machine.send(text, now: now), let peer else { return }
            outcomes[id] = 0
            transmit(datagram, peer)
        }
    }

    func close(tellingPeer: Bool = true, now: Instant) {
        checked {
            switch machine.close(tellingPeer: tellingPeer, now: now) {
            case .ignore, .giveUp: break
            case .end(let end): finish(end)
            case .disconnect(let abandoned):
                abandoned.forEach(count)
                if let peer { transmit(.disconnect, peer) }
            }
        }
    }

    /// What must hold once everything is over.
    func checkEnd() {
        if !isOver { violations.append("still \(machine.state) at the end") }
        for (id, count) in outcomes where count != 1 { violations.append("\(id) has \(count) outcomes") }
    }

    /// Runs one verb, and compares the machine before and after it.
    private func checked(_ verb: () -> Void) {
        let before = machine.state
        verb()
        let after = machine.state
        if before != after, !before.canBecome(after) { violations.append("\(before) became \(after)") }
        if let strength = machine.strength, !(0...100).contains(strength) { violations.append("strength \(strength)") }
        if after.isFinal, let deadline = machine.nextDeadline {
            violations.append("a timer after the end: \(deadline)")
        }
    }
}

// MARK: - Carrying out actions

extension SimulatedEnd {
    private func perform(_ action: SessionMachine.ReceiveAction) {
        switch action {
        case .ignore, .fail: break
        case .connected(let address): peer = address
        case .answer(let datagrams): if let peer { datagrams.forEach { transmit($0, peer) } }
        case .deliver:
            received += 1
            if let peer { transmit(.acknowledgement, peer) }
        case .settle(let settlement): settle(settlement)
        case .end(let end): finish(end)
        }
    }

    private func perform(_ action: SessionMachine.DeadlineAction) {
        switch action {
        case .wait, .fail: break
        case .discover(let addresses): addresses.forEach { transmit(.discover(name: "client"), $0) }
        case .settle(let settlement): settle(settlement)
        case .settleAndEnd(let settlement, let end):
            settle(settlement)
            finish(end)
        case .probe: if let peer { transmit(.discover(name: "client"), peer) }
        case .disconnect: if let peer { transmit(.disconnect, peer) }
        case .end(let end): finish(end)
        }
    }

    private func settle(_ settlement: Settlement) {
        count(settlement.message)
        if settlement.roundTripTime == nil { lost += 1 } else { acknowledged += 1 }
    }

    private func finish(_ end: SessionEnd) {
        end.abandoned.forEach(count)
        if let farewell = end.farewell { transmit(farewell, end.peer) }
    }

    private func count(_ id: MessageID) { outcomes[id, default: 0] += 1 }
}
