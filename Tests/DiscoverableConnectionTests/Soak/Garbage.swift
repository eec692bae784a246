import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import TestSupport

/// What nobody asked for: random bytes of random lengths, from senders that mostly go without hearing the answers.
struct Garbage {
    private let run: SoakRun
    private let targets: [SocketAddress]
    private var generator: SeededGenerator

    init(at targets: [SocketAddress], in run: SoakRun) {
        self.run = run
        self.targets = targets
        generator = run.fork()
    }

    mutating func step() async throws {
        guard let target = targets.randomElement(using: &generator), let ledger = run.ledger(of: target) else { return }
        // In step with the target: garbage is no flood.
        guard ledger.missing < 100 else { return await Task.yield() }
        let (socket, _) = try await run.boundSocket(target.family, offloads: Bool.random(using: &generator))
        let datagrams = (0..<Int.random(in: 1...10, using: &generator)).map { _ in
            let length = Bool.random(using: &generator) ? 0 : Int.random(in: 0...3_000, using: &generator)
            let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            return OutgoingDatagram(bytes: bytes, to: target)
        }
        for error in await socket.send(datagrams) { if let error { throw error } }
        ledger.sent(datagrams.count)
        run.count { $0.garbage += datagrams.count }
        let hearsAnswers = Int.random(in: 0..<4, using: &generator) == 0
        if hearsAnswers { _ = await socket.receive(within: .milliseconds(100), batch: true) }
        await run.close(socket)
    }
}
