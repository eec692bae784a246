import DiscoverableCore

/// A listener machine with its sessions, which counts what strangers get.
package final class SimulatedServer {
    private var machine: ListenerMachine
    private let configuration: SessionConfiguration
    private let transmit: ([UInt8], SocketAddress) -> Void
    private let wake: (SimulatedEnd) -> Void
    private var table: [SocketAddress: SimulatedEnd] = [:]
    /// All sessions that there ever were, in the order of their admission: a dictionary's own order would not repeat itself.
    package private(set) var sessions: [SimulatedEnd] = []
    private var bytesFrom: [SocketAddress: Int] = [:]
    private var bytesTo: [SocketAddress: Int] = [:]
    /// Who has said more than discovers, which anybody can say in another's name.
    private var speakers: Set<SocketAddress> = []
    private(set) var violations: [String] = []

    init(
        configuration: SessionConfiguration,
        transmit: @escaping ([UInt8], SocketAddress) -> Void,
        wake: @escaping (SimulatedEnd) -> Void
    ) {
        self.configuration = configuration
        self.transmit = transmit
        self.wake = wake
        machine = ListenerMachine(name: "server", configuration: configuration, format: configuration.format)
    }

    var openSessions: [SimulatedEnd] { sessions.filter { !$0.hasEnded } }

    func receive(_ bytes: [UInt8], from source: SocketAddress, _ reading: SimulatedReading = .plain, now: Instant) {
        note(bytes, from: source, isComplete: reading != .cut)
        let action = machine.receive(
            bytes.span,
            from: source,
            isComplete: reading != .cut,
            roomForSession: reading != .withoutRoom,
            now: now
        )
        switch action {
        case .route:
            guard let session = table[source] else { return violations.append("no session with \(source)") }
            session.receive(bytes, from: source, reading, now: now)
            settle(session, with: source, now: now)
        case .ignore: break
        case .answer(let answer): say(answer, to: source)
        case .admit(_, let displaced):
            if let displaced, let session = table.removeValue(forKey: displaced) { session.displace() }
            admit(source, afterDiscoverOf: bytes.count, now: now)
        }
        if machine.sessionCount > configuration.maximumSessions || machine.sessionCount != table.count {
            violations.append("the listener counts \(machine.sessionCount) sessions of \(table.count)")
        }
    }

    private func admit(_ peer: SocketAddress, afterDiscoverOf length: Int, now: Instant) {
        let session = SimulatedEnd(
            machine: SessionMachine(
                admitting: peer,
                admission: machine.admission,
                afterDiscoverOf: length,
                configuration: configuration,
                format: configuration.format,
                now: now
            )
        ) { [unowned self] bytes, destination in
            say(bytes, to: destination)
        }
        table[peer] = session
        sessions.append(session)
        session.begin()
        wake(session)
    }

    /// What an app sends is its own business; of all else nobody who has said discovers only gets more than three times as much.
    private func say(_ bytes: [UInt8], to peer: SocketAddress) {
        if case .message? = configuration.format.parse(bytes) {} else { bytesTo[peer, default: 0] += bytes.count }
        if !speakers.contains(peer), bytesTo[peer, default: 0] > 3 * bytesFrom[peer, default: 0] {
            violations.append("\(peer) got more than three times what it sent")
        }
        transmit(bytes, peer)
    }

    private func note(_ bytes: [UInt8], from source: SocketAddress, isComplete: Bool) {
        bytesFrom[source, default: 0] += bytes.count
        switch isComplete ? configuration.format.parse(bytes) : nil {
        case nil, .discover?: break
        case .shake?, .acknowledgement?, .disconnect?, .message?: speakers.insert(source)
        }
    }

    /// After anything that may have changed a session.
    func settle(_ session: SimulatedEnd, now: Instant) {
        guard let (peer, _) = table.first(where: { $0.value === session }) else { return }
        settle(session, with: peer, now: now)
    }

    private func settle(_ session: SimulatedEnd, with peer: SocketAddress, now: Instant) {
        if session.hasEnded {
            table[peer] = nil
            machine.sessionEnded(with: peer, now: now)
        } else {
            wake(session)
        }
    }

    func closeAll(now: Instant) {
        for session in openSessions {
            session.close(now: now)
            settle(session, now: now)
        }
    }
}
