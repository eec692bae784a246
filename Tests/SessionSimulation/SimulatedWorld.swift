package import DiscoverableCore
import TestSupport

/// Several clients and a server, their apps, strangers, and the network between them, in virtual time.
///
/// For a minute apps send and close, computers vanish, come back, restart and wake from sleep; then everybody closes, and within
/// bounded time everything must be over.
package final class SimulatedWorld {
    private enum Act: CaseIterable {
        case clientSends, serverSends, clientCloses, serverCloses, clientVanishes, serverVanishes, everybodyReturns
        case clientRestarts, clockJumps, strangerSpeaks, strangersFlood, portRefused
    }

    private static let serverAddress = SocketAddress(.v4(IPv4Address(192, 0, 2, 1)), port: 1024)
    /// When all apps are done and close what is open.
    private static let end = Instant(sinceOrigin: .seconds(60))
    /// Until when everything must be over: the idle time-out is the slowest way to notice.
    private static let limit = Instant(sinceOrigin: .seconds(60 + 120 + 30))

    private var dice: Dice
    private var network: SimulatedNetwork
    private var now = Instant.origin
    private let configuration: SessionConfiguration
    package private(set) var clients: [SocketAddress: SimulatedEnd] = [:]
    /// Clients whose process has ended and was started again.
    private var formerClients: [SimulatedEnd] = []
    package private(set) var server: SimulatedServer?
    private var vanished: Set<SocketAddress> = []
    private let mayLeave: Bool

    /// - Parameters:
    ///   - seed: determines everything that happens.
    ///   - quality: of the network; nil for a random one.
    ///   - mayLeave: whether ends close, vanish, restart and jump before the end, and strangers speak.
    package init(seed: UInt64, quality: SimulatedNetwork.Quality? = nil, mayLeave: Bool = true) {
        dice = Dice(seed: seed)
        self.mayLeave = mayLeave
        network = SimulatedNetwork(quality: quality ?? .random(&dice))
        var configuration = SessionConfiguration()
        if mayLeave { configuration.maximumSessions = .random(in: 1...8, using: &dice) }
        self.configuration = configuration
        server = SimulatedServer(configuration: configuration) { [unowned self] bytes, peer in
            transmit(bytes, from: Self.serverAddress, to: peer)
        } wake: { [unowned self] session in
            wakeLater(session)
        }
        for index in 0..<Int.random(in: 1...4, using: &dice) { addClient(port: UInt16(5000 + index)) }
    }

    private func addClient(port: UInt16) {
        let address = SocketAddress(.v4(IPv4Address(192, 0, 2, 2)), port: port)
        let machine = SessionMachine(configuration: configuration, format: configuration.format, deviceName: "client")
        clients[address] = SimulatedEnd(machine: machine) { [unowned self] bytes, peer in
            transmit(bytes, from: address, to: peer)
        }
    }

    private func transmit(_ bytes: [UInt8], from source: SocketAddress, to destination: SocketAddress) {
        guard !vanished.contains(source) else { return }
        let packet = SimulatedNetwork.Packet(source: source, destination: destination, bytes: bytes)
        network.send(packet, now: now, dice: &dice)
    }

    private func wakeLater(_ end: SimulatedEnd) {
        if let due = end.takeNewWakeUp(now: now) { network.add(.wake(end), at: due) }
    }
}

// MARK: - Running

extension SimulatedWorld {
    /// Runs everything; returns what was wrong.
    package func run(acts: Int) -> [String] {
        for _ in 0..<acts { network.add(.act, at: .origin.advanced(by: dice.milliseconds(0...60_000))) }
        network.add(.closing, at: Self.end)
        for client in sortedClients { connect(client) }
        while let (instant, happening) = network.next(), instant <= Self.limit, violations.isEmpty {
            now = max(now, instant)
            happen(happening)
        }
        for end in allEnds { end.checkEnd() }
        return violations
    }

    private func connect(_ client: SimulatedEnd) {
        client.connect(to: [Self.serverAddress], now: now)
        wakeLater(client)
    }

    private func happen(_ happening: SimulatedNetwork.Happening) {
        switch happening {
        case .arrival(let packet): arrive(packet)
        case .act: act()
        case .closing: closeEverything()
        case .wake(let end):
            // A deadline that has moved since is looked at, and found not to be due.
            guard !end.isDead else { return }
            end.reachDeadlines(now: now)
            settle(end)
        }
    }

    private func settle(_ end: SimulatedEnd) {
        wakeLater(end)
        if end.hasEnded { server?.settle(end, now: now) }
    }

    private func arrive(_ packet: SimulatedNetwork.Packet) {
        guard !vanished.contains(packet.destination) else { return }
        if packet.destination == Self.serverAddress {
            server?.receive(packet.bytes, from: packet.source, now: now)
        } else if let client = clients[packet.destination] {
            client.receive(packet.bytes, from: packet.source, now: now)
            wakeLater(client)
        }
    }

    private func closeEverything() {
        for client in sortedClients {
            client.close(now: now)
            wakeLater(client)
        }
        server?.closeAll(now: now)
    }

    private var sortedClients: [SimulatedEnd] { clients.sorted { $0.key < $1.key }.map(\.value) }
    package var allEnds: [SimulatedEnd] { sortedClients + formerClients + (server?.sessions ?? []) }
    private var violations: [String] { allEnds.flatMap(\.violations) + (server?.violations ?? []) }
}

// MARK: - What apps and fate do

extension SimulatedWorld {
    /// Mostly messages; now and then something else.
    private func act() {
        let isRare = mayLeave && dice.happens(percent: 8)
        let acts: [Act] = isRare ? Act.allCases : [.clientSends, .clientSends, .clientSends, .serverSends]
        guard let act = acts.randomElement(using: &dice),
            let (address, client) = clients.sorted(by: { $0.key < $1.key }).randomElement(using: &dice)
        else { return }
        let session = server?.openSessions.randomElement(using: &dice)
        switch act {
        case .clientSends: client.send("from a client", now: now)
        case .serverSends: session?.send("from the server", now: now)
        case .clientCloses: client.close(tellingPeer: dice.happens(percent: 70), now: now)
        case .serverCloses: session?.close(tellingPeer: dice.happens(percent: 70), now: now)
        case .clientVanishes: vanished.insert(address)
        case .serverVanishes: vanished.insert(Self.serverAddress)
        case .everybodyReturns: vanished.removeAll()
        case .clientRestarts: restart(client, at: address)
        case .clockJumps: jumpClock(of: client, session)
        case .strangerSpeaks: strangerSpeaks()
        case .strangersFlood: strangersFlood()
        case .portRefused: client.reject(.refused, from: Self.serverAddress, now: now)
        }
        settle(client)
        if let session { settle(session) }
    }

    /// The app is started again and has the same port: what was on its way to the old one comes to the new one.
    private func restart(_ client: SimulatedEnd, at address: SocketAddress) {
        client.die()
        formerClients.append(client)
        addClient(port: address.port)
        if let client = clients[address], now < Self.end { connect(client) }
    }

    /// A computer has slept for up to two hours. Clocks that go back are not meant to exist, but a little is survived.
    private func jumpClock(of client: SimulatedEnd, _ session: SimulatedEnd?) {
        let end = dice.happens(percent: 50) ? client : session ?? client
        end.jumpClock(by: dice.happens(percent: 20) ? .milliseconds(-500) : dice.milliseconds(0...7_200_000))
        end.reachDeadlines(now: now)
    }

    private func strangerSpeaks() {
        let stranger = SocketAddress(.v4(IPv4Address(192, 0, 2, 66)), port: .random(in: 1...9, using: &dice))
        let words = ["dscv_disconnect", "dscv_ack", "x", "dscv_discover", "", "dscv_shake:here", "\u{0}"]
        for word in words.shuffled(using: &dice) {
            transmit(Array(word.utf8), from: stranger, to: Self.serverAddress)
            for client in clients.keys.sorted() { transmit(Array(word.utf8), from: stranger, to: client) }
        }
    }

    /// Discovers in the names of others.
    private func strangersFlood() {
        for _ in 0..<20 {
            let forged = SocketAddress(.v4(IPv4Address(rawValue: .random(in: 1...999, using: &dice))), port: 9)
            transmit(Array("dscv_discover".utf8), from: forged, to: Self.serverAddress)
        }
    }
}

extension SimulatedNetwork.Quality {
    static func random(_ dice: inout Dice) -> Self {
        let longest = [1, 20, 500, 3000, 10_000].randomElement(using: &dice) ?? 1
        return Self(
            lossPercent: .random(in: 0...60, using: &dice),
            duplicatePercent: .random(in: 0...30, using: &dice),
            delayMilliseconds: 0...longest
        )
    }
}
