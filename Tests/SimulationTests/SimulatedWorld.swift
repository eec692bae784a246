import DiscoverableCore
import TestSupport

/// Several clients and a server, their apps, and the network between them, in virtual time.
final class SimulatedWorld {
    private enum Act: CaseIterable {
        case clientSends, serverSends, clientCloses, serverCloses, clientVanishes, serverVanishes, strangerSpeaks
    }

    private static let serverAddress = SocketAddress(.v4(IPv4Address(192, 0, 2, 1)), port: 1024)
    /// When all apps are done and close what is open.
    private static let end = Instant(sinceOrigin: .seconds(60))
    /// Until when everything must be over: the idle time-out is the slowest way to notice.
    private static let limit = Instant(sinceOrigin: .seconds(60 + 120 + 30))

    private var dice: Dice
    private var network: SimulatedNetwork
    private var now = Instant.origin
    private let codec = ClassicCodec(prefix: "dscv")
    private(set) var clients: [SocketAddress: SimulatedEnd] = [:]
    private(set) var server: SimulatedServer?
    private var vanished: Set<SocketAddress> = []
    private let mayLeave: Bool

    /// - Parameters:
    ///   - quality: of the network; nil for a random one.
    ///   - mayLeave: whether ends close and vanish before the end.
    init(seed: UInt64, quality: SimulatedNetwork.Quality? = nil, mayLeave: Bool = true) {
        dice = Dice(seed: seed)
        self.mayLeave = mayLeave
        network = SimulatedNetwork(quality: quality ?? .random(&dice))
        server = SimulatedServer(configuration: SessionConfiguration()) { [unowned self] datagram, peer in
            transmit(datagram, from: Self.serverAddress, to: peer)
        }
        for index in 0..<Int.random(in: 1...4, using: &dice) { addClient(port: UInt16(5000 + index)) }
    }

    private func addClient(port: UInt16) {
        let address = SocketAddress(.v4(IPv4Address(192, 0, 2, 2)), port: port)
        let machine = SessionMachine(configuration: SessionConfiguration())
        clients[address] = SimulatedEnd(machine: machine, peer: nil) { [unowned self] datagram, peer in
            transmit(datagram, from: address, to: peer)
        }
    }

    private func transmit(_ datagram: ClassicDatagram, from source: SocketAddress, to destination: SocketAddress) {
        guard !vanished.contains(source) else { return }
        let packet = SimulatedNetwork.Packet(
            source: source,
            destination: destination,
            bytes: codec.encode(datagram)
        )
        network.send(packet, now: now, dice: &dice)
    }

    /// Runs everything; returns what was wrong.
    func run(acts: Int) -> [String] {
        for index in 0..<acts { network.add(.action(index), at: .origin.advanced(by: dice.milliseconds(0...60_000))) }
        for client in sortedClients { client.connect(to: [Self.serverAddress], now: now) }
        while let next = nextInstant, next <= Self.limit, violations.isEmpty {
            if now < Self.end, next >= Self.end { closeEverything() }
            now = max(now, next)
            step()
        }
        for end in allEnds { end.checkEnd() }
        return violations
    }

    private func step() {
        for happening in network.takeDue(now: now) {
            switch happening {
            case .arrival(let packet): arrive(packet)
            case .action: act()
            }
        }
        for client in sortedClients { client.reachDeadlines(now: now) }
        server?.reachDeadlines(now: now)
    }

    private func arrive(_ packet: SimulatedNetwork.Packet) {
        guard !vanished.contains(packet.destination) else { return }
        if packet.destination == Self.serverAddress {
            server?.receive(packet.bytes, from: packet.source, now: now)
        } else {
            clients[packet.destination]?.receive(codec.parse(packet.bytes), from: packet.source, now: now)
        }
    }

    /// Mostly messages; now and then somebody leaves.
    private func act() {
        let isRare = mayLeave && dice.happens(percent: 4)
        let acts: [Act] = isRare ? Act.allCases : [.clientSends, .clientSends, .clientSends, .serverSends]
        guard let act = acts.randomElement(using: &dice), let client = clients.keys.sorted().randomElement(using: &dice)
        else { return }
        let session = server?.openSessions.randomElement(using: &dice)
        switch act {
        case .clientSends: clients[client]?.send("from a client", now: now)
        case .serverSends: session?.send("from the server", now: now)
        case .clientCloses: clients[client]?.close(now: now)
        case .serverCloses: session?.close(now: now)
        case .clientVanishes: vanished.insert(client)
        case .serverVanishes: vanished.insert(Self.serverAddress)
        case .strangerSpeaks: strangerSpeaks()
        }
    }

    private func strangerSpeaks() {
        let stranger = SocketAddress(.v4(IPv4Address(192, 0, 2, 66)), port: .random(in: 1...9, using: &dice))
        let words: [ClassicDatagram] = [
            .disconnect, .acknowledgement, .payload("x"), .discover(name: nil), .payload(""),
        ]
        for word in words.shuffled(using: &dice) {
            transmit(word, from: stranger, to: Self.serverAddress)
            for client in clients.keys.sorted() { transmit(word, from: stranger, to: client) }
        }
    }

    private func closeEverything() {
        now = Self.end
        for client in sortedClients { client.close(now: now) }
        server?.closeAll(now: now)
    }

    private var nextInstant: Instant? {
        let deadlines =
            clients.values.compactMap { $0.machine.nextDeadline?.at } + [server?.nextDeadline].compactMap(\.self)
        return (deadlines + [network.nextInstant].compactMap(\.self)).min()
    }

    private var sortedClients: [SimulatedEnd] { clients.sorted { $0.key < $1.key }.map(\.value) }
    private var allEnds: [SimulatedEnd] { sortedClients + (server?.sessions ?? []) }
    private var violations: [String] { allEnds.flatMap(\.violations) + (server?.violations ?? []) }
}

extension SimulatedNetwork.Quality {
    static func random(_ dice: inout Dice) -> Self {
        let longest = [1, 20, 500, 3000, 10_000].randomElement(using: &dice) ?? 1
        return Self(
            lossPercent: .random(in: 0...50, using: &dice),
            duplicatePercent: .random(in: 0...30, using: &dice),
            delayMilliseconds: 0...longest
        )
    }
}
