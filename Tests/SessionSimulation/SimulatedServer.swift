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
    private var bytesFromStrangers: [SocketAddress: Int] = [:]
    private var bytesToStrangers: [SocketAddress: Int] = [:]
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
        let action = machine.receive(
            bytes.span,
            from: source,
            isComplete: reading != .cut,
            roomForSession: reading != .withoutRoom,
            now: now
        )
        if action != .route { bytesFromStrangers[source, default: 0] += bytes.count }
        switch action {
        case .route:
            guard let session = table[source] else { return violations.append("no session with \(source)") }
            session.receive(bytes, from: source, reading, now: now)
            settle(session, with: source, now: now)
        case .ignore: break
        case .answer(let answer): answerStranger(answer, source)
        case .admit(_, let displaced):
            if let displaced, let session = table.removeValue(forKey: displaced) { session.displace() }
            admit(source, now: now)
        }
        if machine.sessionCount > configuration.maximumSessions || machine.sessionCount != table.count {
            violations.append("the listener counts \(machine.sessionCount) sessions of \(table.count)")
        }
    }

    private func admit(_ peer: SocketAddress, now: Instant) {
        var isAdmission = true
        let session = SimulatedEnd(
            machine: SessionMachine(
                admitting: peer,
                admission: machine.admission,
                configuration: configuration,
                format: configuration.format,
                now: now
            )
        ) { [unowned self] bytes, destination in
            if isAdmission { answerStranger(bytes, destination) } else { transmit(bytes, destination) }
        }
        table[peer] = session
        sessions.append(session)
        session.begin()
        isAdmission = false
        wake(session)
    }

    private func answerStranger(_ bytes: [UInt8], _ stranger: SocketAddress) {
        bytesToStrangers[stranger, default: 0] += bytes.count
        if bytesToStrangers[stranger, default: 0] > 3 * bytesFromStrangers[stranger, default: 0] {
            violations.append("\(stranger) got more than three times what it sent")
        }
        transmit(bytes, stranger)
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
