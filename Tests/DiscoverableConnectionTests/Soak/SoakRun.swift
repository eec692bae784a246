import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import TestSupport

/// One run of the soak: what its parts share. Each part is a script that draws from a generator of its own, so that what one does is
/// the same for the same seed, however the others' steps fall between its own.
final class SoakRun: Sendable {
    /// What happened, for the report.
    struct Figures: Sendable {
        var echoed = 0
        var probes = 0
        var opened = 0
        var closed = 0
        var cancelled = 0
        var errors = 0
        var garbage = 0
        var grouped = 0
        var reconnected = 0
        var returned = 0
        var floods = 0
        var flooded = 0
        var dropped = 0
        var silences = 0
    }

    /// Where all sockets live, but those of loops that come and go.
    let loop: EventLoop
    let deadline: ContinuousClock.Instant
    /// The sockets that receive what is accounted for, by their addresses.
    let ledgers = Locked<[SocketAddress: Ledger]>([:])
    let figures = Locked(Figures())
    let roundTrips = Locked(RoundTrips())
    private let dropsBefore = ProcessState.loopbackDrops
    private let complaintList = Locked<[String]>([])
    private let generator: Locked<SeededGenerator>
    private let running = Locked<[String: Int]>([:])

    init(seed: UInt64, duration: Duration, loop: EventLoop) {
        self.loop = loop
        generator = Locked(SeededGenerator(seed: seed))
        deadline = .now + duration
    }

    var isOver: Bool { .now >= deadline }
    var complaints: [String] { complaintList.withLock { $0 } }
    /// The parts that have not ended, for a run that hangs.
    var unfinished: [String] { running.withLock { $0.filter { $0.value > 0 }.map { "\($0.key) (\($0.value))" } } }

    /// A generator for one part; to be asked for before the parts run beside each other.
    func fork() -> SeededGenerator { generator.withLock { SeededGenerator(seed: $0.next()) } }

    func count(_ change: @Sendable (inout Figures) -> Void) { figures.withLock { change(&$0) } }

    /// Notes what must not be; the first ones say enough.
    func complain(_ text: @autoclosure () -> String) {
        let text = text()
        complaintList.withLock { if $0.count < 20 { $0.append(text) } }
    }

    func expect(_ condition: Bool, _ text: @autoclosure () -> String) {
        if !condition { complain(text()) }
    }

    /// A step of a script; what it throws must not be.
    func perform(_ name: String, _ body: () async throws -> Void) async {
        running.withLock { $0[name, default: 0] += 1 }
        do { try await body() } catch { complain("\(name): \(error)") }
        running.withLock { $0[name, default: 0] -= 1 }
    }

    /// Repeats a script's step until the run is over.
    func repeating(_ name: String, _ body: () async throws -> Void) async {
        while !isOver, complaints.count < 20 { await perform(name, body) }
    }

    /// The ledger of a socket whose datagrams are all accounted for.
    func openLedger(_ name: String, _ address: SocketAddress) -> Ledger {
        let ledger = Ledger(name)
        ledgers.withLock { $0[address] = ledger }
        return ledger
    }

    /// What neither arrived nor was dropped by the socket, another queue of the kernel must have dropped, which counts it elsewhere.
    func judge(_ ledger: Ledger) {
        count { $0.dropped += ledger.dropped }
        let missing = ledger.missing
        expect(
            missing == 0,
            "\(ledger): \(missing) missing; loopback has dropped \(ProcessState.loopbackDrops - dropsBefore)"
        )
    }

    func ledger(of address: SocketAddress) -> Ledger? { ledgers.withLock { $0[address] } }

    /// Sends, and enters the datagram in the book of whoever receives it.
    func send(_ bytes: [UInt8], from socket: UDPSocket, to address: SocketAddress) async throws {
        try await socket.send(bytes, to: address)
        ledger(of: address)?.sent(1)
    }

    func socket(_ family: AddressFamily, offloads: Bool = true, receiveBuffer: Int? = nil) throws -> UDPSocket {
        var options = UDPSocket.Options()
        options.offloads = offloads ? .all : .none
        options.receiveBufferSize = receiveBuffer
        count { $0.opened += 1 }
        return try UDPSocket(family: family, options: options, loop: loop)
    }

    func boundSocket(
        _ family: AddressFamily,
        offloads: Bool = true,
        receiveBuffer: Int? = nil
    ) async throws -> (UDPSocket, SocketAddress) {
        let socket = try socket(family, offloads: offloads, receiveBuffer: receiveBuffer)
        try await socket.bind(to: .loopback(family))
        return (socket, try await socket.localAddress)
    }

    func close(_ socket: UDPSocket) async {
        await socket.close()
        count { $0.closed += 1 }
    }
}
