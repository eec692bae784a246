import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import TestSupport

/// One datagram after the other to a server on the same loop, with their round trips: what a flood of somebody else must not hold up.
struct Prober {
    private let run: SoakRun
    private let server: EchoServer
    private let socket: UDPSocket
    private let address: SocketAddress
    private var generator: SeededGenerator
    private var number: UInt64 = 0

    init(of server: EchoServer, in run: SoakRun) async throws {
        self.run = run
        self.server = server
        generator = run.fork()
        (socket, address) = try await run.boundSocket(server.address.family, receiveBuffer: 1 << 20)
        server.expectsFaith(of: address)
    }

    mutating func probe() async throws {
        while !run.isOver, run.complaints.isEmpty { try await roundTrip() }
        await run.close(socket)
    }

    private mutating func roundTrip() async throws {
        number += 1
        let question = NumberedDatagram(number: number, length: 100, using: &generator)
        let start = ContinuousClock.now
        try await run.send(question.bytes, from: socket, to: server.address)
        while true {
            guard let answer = await socket.receive(within: .seconds(20), on: run.loop.taskExecutor)?.first else {
                return run.complain("no answer to a probe of the \(server.ledger)")
            }
            // What else comes is for somebody who had the port before.
            if answer.source == server.address, answer.bytes == question.bytes { break }
        }
        run.roundTrips.withLock { $0.add(.now - start) }
        run.count { $0.probes += 1 }
    }
}
