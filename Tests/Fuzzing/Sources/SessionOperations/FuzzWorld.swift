internal import DiscoverableCore
internal import FuzzSupport

/// Clients, a server and strangers around a network of which the input decides everything: what is delivered, in which order and
/// how often, what the apps do, how time passes. Both ends are the ones of the simulation, which check what must hold.
final class FuzzWorld {
    struct Packet {
        let source: SocketAddress
        let destination: SocketAddress
        let bytes: [UInt8]
    }

    static let serverAddress = FuzzWorld.address(1, port: 1024)
    /// Hosts without a listener, which say whatever the input wants.
    static let strangers = (1...6).map { FuzzWorld.address(66, port: $0) }
    private static let mostClients = 4
    private static let mostPackets = 64

    var choices: Choices
    private let configuration: SessionConfiguration
    private(set) var now = Instant.origin
    private var packets: [Packet] = []
    private(set) var clients: [(address: SocketAddress, end: SimulatedEnd)] = []
    private(set) var server: SimulatedServer?

    init(_ choices: Choices) {
        self.choices = choices
        configuration = .chosen(by: &self.choices)
        server = SimulatedServer(configuration: configuration) { [unowned self] bytes, destination in
            transmit(bytes, from: Self.serverAddress, to: destination)
        } wake: { _ in
            // Every end is woken whenever time passes.
        }
    }

    /// Everything that was wrong.
    var violations: [String] { clients.flatMap(\.end.violations) + (server?.allViolations ?? []) }

    func run() {
        while !choices.isEmpty { act() }
    }

    /// Everybody closes, and nothing arrives any more: all sessions must end by themselves.
    func finish() {
        for client in clients { client.end.close(now: now) }
        server?.closeAll(now: now)
        for _ in 0..<20 where !isOver {
            pass(.seconds(1_000_000))
            reachDeadlines()
        }
        for client in clients { client.end.checkEnd() }
        for session in server?.sessions ?? [] { session.checkEnd() }
    }

    private var isOver: Bool { clients.allSatisfy(\.end.hasEnded) && (server?.openSessions ?? []).isEmpty }

    static func address(_ host: UInt8, port: UInt16) -> SocketAddress {
        SocketAddress(.v4(IPv4Address(192, 0, 2, host)), port: port)
    }

    // MARK: The network

    /// When too much is on its way, the oldest is lost.
    func transmit(_ bytes: [UInt8], from source: SocketAddress, to destination: SocketAddress) {
        if packets.count == Self.mostPackets { packets.removeFirst() }
        packets.append(Packet(source: source, destination: destination, bytes: bytes))
    }

    func takePacket(keeping: Bool = false) -> Packet? {
        guard !packets.isEmpty else { return nil }
        let index = choices.below(packets.count)
        return keeping ? packets[index] : packets.remove(at: index)
    }

    func deliver(_ packet: Packet, _ reading: SimulatedReading = .plain) {
        if packet.destination == Self.serverAddress {
            server?.receive(packet.bytes, from: packet.source, reading, now: now)
        } else if let client = clients.first(where: { $0.address == packet.destination }) {
            client.end.receive(packet.bytes, from: packet.source, reading, now: now)
        }
    }

    // MARK: Time

    func pass(_ duration: Duration) { now = now.advanced(by: duration) }

    func reachDeadlines() {
        for client in clients { client.end.reachDeadlines(now: now) }
        for session in server?.openSessions ?? [] {
            session.reachDeadlines(now: now)
            server?.settle(session, now: now)
        }
    }

    // MARK: Ends

    func addClient(connectingTo addresses: [SocketAddress]) {
        guard clients.count < Self.mostClients else { return }
        let address = Self.address(2, port: UInt16(5000 + clients.count))
        let machine = SessionMachine(configuration: configuration, format: configuration.format, deviceName: "client")
        let end = SimulatedEnd(machine: machine) { [unowned self] bytes, destination in
            transmit(bytes, from: address, to: destination)
        }
        clients.append((address, end))
        end.begin()
        end.connect(to: addresses, now: now)
    }

    func chooseClient() -> SimulatedEnd? { clients.isEmpty ? nil : choices.one(of: clients).end }

    /// Does something to one of the server's sessions.
    func withSession(_ body: (SimulatedEnd) -> Void) {
        guard let server, let session = chooseSession(of: server) else { return }
        body(session)
        server.settle(session, now: now)
    }

    private func chooseSession(of server: SimulatedServer) -> SimulatedEnd? {
        let open = server.openSessions
        return open.isEmpty ? nil : choices.one(of: open)
    }
}

extension SimulatedServer {
    /// What was wrong with the listener or a session, whether that is over or not.
    fileprivate var allViolations: [String] { violations + sessions.flatMap(\.violations) }
}

extension SessionConfiguration {
    /// Rules with tight limits now and then.
    fileprivate static func chosen(by choices: inout Choices) -> SessionConfiguration {
        var rules = SessionConfiguration()
        rules.maximumSessions = choices.one(of: [1024, 1, 2, 3])
        rules.maximumOutstandingMessages = choices.one(of: [64, 1, 2])
        rules.strengthWindow = choices.one(of: [5, 1, 2])
        rules.keepAliveInterval = choices.one(of: [.seconds(30), nil, .milliseconds(1)])
        rules.idleTimeout = choices.one(of: [.seconds(120), nil, .milliseconds(1)])
        rules.refusesProtocolWords = choices.below(2) == 0
        return rules
    }
}
