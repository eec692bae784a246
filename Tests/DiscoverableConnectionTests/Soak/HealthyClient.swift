import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import TestSupport

/// A client that numbers its datagrams, and gets each of them back, unchanged, once and in order, unless the kernel counts it as
/// dropped.
struct HealthyClient {
    /// How many are on their way at once: with the others' they fit into the server's receive buffer.
    private static let window = 16

    private let run: SoakRun
    private let server: EchoServer
    private let socket: UDPSocket
    private let ledger: Ledger
    private let isConnected: Bool
    private var generator: SeededGenerator
    private var outstanding: [NumberedDatagram] = []
    private var next: UInt64 = 0
    /// How often in a row nothing came: so many more may be on their way, which shows whether those before were dropped.
    private var silences = 0

    init(of server: EchoServer, in run: SoakRun) async throws {
        self.run = run
        self.server = server
        generator = run.fork()
        let offloads = Bool.random(using: &generator)
        let family = server.address.family
        let (socket, address) = try await run.boundSocket(family, offloads: offloads, receiveBuffer: 1 << 20)
        self.socket = socket
        isConnected = Bool.random(using: &generator)
        if isConnected { try await socket.connect(to: server.address) }
        ledger = run.openLedger("client \(address) of the \(server.ledger.name)", address)
        server.expectsFaith(of: address)
    }

    /// What garbage can be thrown at: a connected socket does not let it in.
    var target: SocketAddress? { get async throws { isConnected ? nil : try await socket.localAddress } }

    /// Echoes until the run is over, then until the book is even.
    mutating func talk() async throws {
        let errors = Task { [run, socket, ledger] in
            for await failure in socket.errors { run.complain("\(ledger.name) was told \(failure)") }
        }
        while !run.isOver, run.complaints.isEmpty {
            try await fill()
            await take()
        }
        await settle { [ledger] in ledger.missing == 0 }
        run.judge(ledger)
        await close()
        await errors.value
    }

    /// When all others have gone: asks the server until its book is even.
    mutating func audit() async {
        await settle { [server] in server.ledger.missing == 0 }
        run.judge(server.ledger)
        await close()
    }

    private func close() async { await run.close(socket) }

    // MARK: Sending

    /// Sends until the window is full: one by one or many at once, of one length or of several.
    private mutating func fill() async throws {
        let room = Self.window + silences - outstanding.count
        guard room > 0 else { return }
        let isUniform = Bool.random(using: &generator)
        let length = Int.random(in: 0...1_400, using: &generator)
        var datagrams: [NumberedDatagram] = []
        for _ in 0..<Int.random(in: 1...room, using: &generator) {
            datagrams.append(make(length: isUniform ? length : Int.random(in: 0...1_400, using: &generator)))
        }
        // One of them at most: several would fill the receive buffer.
        let hasLarge = outstanding.contains { $0.bytes.count > NumberedDatagram.largeLength }
        if !hasLarge, Int.random(in: 0..<16, using: &generator) == 0 {
            datagrams.append(make(length: NumberedDatagram.largeLength))
        }
        try await send(datagrams)
    }

    private mutating func make(length: Int) -> NumberedDatagram {
        defer { next += 1 }
        return NumberedDatagram(number: next, length: length, using: &generator)
    }

    private mutating func send(_ datagrams: [NumberedDatagram]) async throws {
        outstanding += datagrams
        let destination = isConnected ? nil : server.address
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: for datagram in datagrams { try await socket.send(datagram.bytes, to: destination) }
        case 1: for datagram in datagrams { try socket.enqueue(datagram.bytes, to: destination) }
        default:
            let outcomes = await socket.send(datagrams.map { OutgoingDatagram(bytes: $0.bytes, to: destination) })
            run.expect(outcomes.count == datagrams.count, "\(ledger.name): \(outcomes.count) outcomes")
            for error in outcomes { if let error { throw error } }
        }
        server.ledger.sent(datagrams.count)
    }

    // MARK: Receiving

    private mutating func take() async {
        let isBatch = Bool.random(using: &generator)
        guard let datagrams = await socket.receive(within: .seconds(1), batch: isBatch) else {
            silences += 1
            run.count { $0.silences += 1 }
            return run.expect(silences < 30, "\(ledger.name) hears nothing of \(outstanding.count) datagrams")
        }
        silences = 0
        for datagram in datagrams { take(datagram) }
    }

    private mutating func take(_ datagram: Datagram) {
        ledger.received(datagram)
        guard datagram.source == server.address else { return }
        guard let numbered = NumberedDatagram(datagram.bytes), !datagram.isTruncated else {
            return run.complain("\(ledger.name) got \(datagram.bytes.count) bytes that were changed")
        }
        // Those before it were dropped, or so the books must say; one that is not there comes twice or too late.
        guard let place = outstanding.firstIndex(of: numbered) else {
            return run.complain("\(ledger.name) got \(numbered.number), and waits for \(outstanding.map(\.number))")
        }
        outstanding.removeFirst(place + 1)
        run.count { $0.echoed += 1 }
    }

    /// Sends one after the other: with each the kernel tells of all that it has dropped by then.
    private mutating func settle(isEven: () -> Bool) async {
        for _ in 0..<50 {
            await run.perform("settling") {
                let marker = make(length: 0)
                outstanding.append(marker)
                try await socket.send(marker.bytes, to: isConnected ? nil : server.address)
                server.ledger.sent(1)
            }
            while !outstanding.isEmpty, let datagrams = await socket.receive(within: .milliseconds(500)) {
                for datagram in datagrams { take(datagram) }
            }
            if outstanding.isEmpty, isEven() { return }
        }
    }
}
