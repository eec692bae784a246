package import DiscoverableCore

/// How a datagram is read from the socket.
enum SimulatedReading {
    case plain
    /// It was longer than what it was read into.
    case cut
    /// The app can take no message, or no session.
    case withoutRoom
}

/// A session machine with a driver that carries out what it says, and checks what must hold after each call.
package final class SimulatedEnd {
    package private(set) var machine: SessionMachine
    private let transmit: ([UInt8], SocketAddress) -> Void
    /// The messages without an outcome.
    private var open: Set<MessageID> = []
    private var isOver = false
    private var toldStrength: Int?
    package private(set) var sent = 0
    package private(set) var acknowledged = 0
    package private(set) var lost = 0
    package private(set) var received = 0
    private(set) var violations: [String] = []

    /// How far its clock is ahead of the world's.
    private var clockOffset = Duration.zero
    /// When it is to be woken next, by the world's clock.
    private(set) var wakeUp: Instant?
    /// Its process is gone: nothing that it owes will come.
    private(set) var isDead = false

    init(machine: SessionMachine, transmit: @escaping ([UInt8], SocketAddress) -> Void) {
        self.machine = machine
        self.transmit = transmit
    }

    package var hasEnded: Bool { machine.state.isFinal }

    // MARK: What happens

    /// Carries out what the machine says from its birth on.
    func begin() { checked { _ in } }

    func connect(to addresses: [SocketAddress], now: Instant) {
        checked { $0.connect(to: addresses, now: now.advanced(by: clockOffset)) }
    }

    func receive(_ bytes: [UInt8], from source: SocketAddress, _ reading: SimulatedReading = .plain, now: Instant) {
        checked {
            $0.receive(
                bytes.span,
                from: source,
                isComplete: reading != .cut,
                roomForMessage: reading != .withoutRoom,
                now: now.advanced(by: clockOffset)
            )
        }
    }

    func reachDeadlines(now: Instant) {
        checked { $0.deadlineReached(now: now.advanced(by: clockOffset)) }
        if let deadline = machine.nextDeadline, deadline.at <= now.advanced(by: clockOffset) {
            violations.append("\(deadline) stays due")
        }
    }

    func send(_ text: String, now: Instant) {
        checked { _ = try? $0.send(text, now: now.advanced(by: clockOffset)) }
    }

    func close(tellingPeer: Bool = true, now: Instant) {
        checked { $0.close(tellingPeer: tellingPeer, now: now.advanced(by: clockOffset)) }
    }

    func reject(_ rejection: PeerRejection, from peer: SocketAddress, now: Instant) {
        checked { $0.peerRejected(rejection, from: peer, now: now.advanced(by: clockOffset)) }
    }

    func displace() { checked { $0.displace() } }

    /// The machine's clock jumps, as when a computer has slept.
    func jumpClock(by duration: Duration) { clockOffset += duration }

    func die() { isDead = true }

    /// When it has to be woken, if that is another time than before.
    func takeNewWakeUp(now: Instant) -> Instant? {
        guard let deadline = machine.nextDeadline, !isDead else { return nil }
        let due = max(now, deadline.at.advanced(by: .zero - clockOffset))
        guard due != wakeUp else { return nil }
        wakeUp = due
        return due
    }

    /// What must hold once everything is over.
    func checkEnd() {
        guard !isDead else { return }
        if !hasEnded { violations.append("still \(machine.state) at the end") }
        if !open.isEmpty { violations.append("\(open.count) messages without an outcome") }
    }

    /// Runs one verb, carries out what follows, and compares the machine before and after it.
    private func checked(_ verb: (inout SessionMachine) -> Void) {
        let before = machine.state
        verb(&machine)
        while let output = machine.nextOutput() {
            if isOver { violations.append("after the end: \(output)") }
            switch output {
            case .transmit(let bytes, let address): transmit(bytes, address)
            case .event(let event): happened(event)
            }
        }
        let after = machine.state
        if before != after, !before.canBecome(after) { violations.append("\(before) became \(after)") }
        if let strength = machine.strength, !(0...100).contains(strength) { violations.append("strength \(strength)") }
        if machine.strength != toldStrength { violations.append("the strength that was told last is another one") }
        guard after.isFinal else { return }
        if !isOver { violations.append("the end was not told") }
        if let deadline = machine.nextDeadline { violations.append("a timer after the end: \(deadline)") }
    }

    private func happened(_ event: SessionEvent) {
        switch event {
        case .sent(let id, _):
            sent += 1
            if !open.insert(id).inserted { violations.append("\(id) was sent twice") }
        case .acknowledged(let id, _, let time):
            acknowledged += 1
            if time < .zero { violations.append("\(id) took \(time)") }
            settle(id)
        case .lost(let id, _):
            lost += 1
            settle(id)
        case .abandoned(let id, _): settle(id)
        case .received: received += 1
        case .strengthChanged(let strength): toldStrength = strength
        case .closed, .failed: isOver = true
        case .connecting, .connected: break
        }
    }

    private func settle(_ id: MessageID) {
        if open.remove(id) == nil { violations.append("\(id) has more than one outcome, or was never sent") }
    }
}
