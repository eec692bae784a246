import DiscoverableCore

/// A listener machine with its sessions, which counts what strangers get.
final class SimulatedServer {
    private var machine: ListenerMachine
    private let configuration: SessionConfiguration
    private let codec: ClassicCodec
    private let transmit: (ClassicDatagram, SocketAddress) -> Void
    private var table: [SocketAddress: SimulatedEnd] = [:]
    /// All sessions that there ever were, in the order of their admission: a dictionary's own order would not repeat itself.
    private(set) var sessions: [SimulatedEnd] = []
    private var bytesFromStrangers: [SocketAddress: Int] = [:]
    private var bytesToStrangers: [SocketAddress: Int] = [:]
    private(set) var violations: [String] = []

    init(configuration: SessionConfiguration, transmit: @escaping (ClassicDatagram, SocketAddress) -> Void) {
        self.configuration = configuration
        self.transmit = transmit
        codec = ClassicCodec(prefix: configuration.prefix)
        machine = ListenerMachine(name: "server", configuration: configuration)
    }

    var openSessions: [SimulatedEnd] { sessions.filter { !$0.isOver } }
    var nextDeadline: Instant? { table.values.compactMap { $0.machine.nextDeadline?.at }.min() }

    func receive(_ bytes: [UInt8], from source: SocketAddress, now: Instant) {
        let datagram = codec.parse(bytes)
        let action = machine.receive(datagram, from: source, now: now)
        if action != .route { bytesFromStrangers[source, default: 0] += bytes.count }
        switch action {
        case .route: table[source]?.receive(datagram, from: source, now: now)
        case .ignore: break
        case .answer(let answer): answerStranger([answer], source)
        case .admit(_, let answer):
            answerStranger(answer, source)
            admit(source, answer, now: now)
        }
        dropEnded(now: now)
    }

    private func admit(_ peer: SocketAddress, _ admission: [ClassicDatagram], now: Instant) {
        let machine = SessionMachine(admitting: peer, admission: admission, configuration: configuration, now: now)
        let session = SimulatedEnd(machine: machine, peer: peer, transmit: transmit)
        table[peer] = session
        sessions.append(session)
    }

    private func answerStranger(_ datagrams: [ClassicDatagram], _ stranger: SocketAddress) {
        let length = datagrams.reduce(0) { $0 + codec.encodedLength(of: $1) }
        bytesToStrangers[stranger, default: 0] += length
        if bytesToStrangers[stranger, default: 0] > 3 * bytesFromStrangers[stranger, default: 0] {
            violations.append("\(stranger) got more than three times what it sent")
        }
        datagrams.forEach { transmit($0, stranger) }
    }

    func reachDeadlines(now: Instant) {
        for (_, session) in table.sorted(by: { $0.key < $1.key }) { session.reachDeadlines(now: now) }
        dropEnded(now: now)
    }

    func closeAll(now: Instant) {
        for (_, session) in table.sorted(by: { $0.key < $1.key }) { session.close(now: now) }
        dropEnded(now: now)
    }

    private func dropEnded(now: Instant) {
        for (peer, session) in table where session.isOver {
            table[peer] = nil
            machine.sessionEnded(with: peer, now: now)
        }
        if machine.sessionCount != table.count {
            violations.append("the listener counts \(machine.sessionCount) sessions")
        }
    }
}
