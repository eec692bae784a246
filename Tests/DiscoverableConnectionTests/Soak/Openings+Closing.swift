import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import TestSupport

/// Closing while somebody waits.
extension Openings {
    func closeUnderReceivers(
        _ family: AddressFamily,
        _ count: Int,
        _ executor: LoopTaskExecutor?
    ) async throws {
        let (socket, address) = try await run.boundSocket(family)
        let waiters = (0..<count).map { index in
            Task(executorPreference: executor) { () -> SocketError.Code? in
                switch index % 4 {
                case 0: for await _ in socket.datagrams {}
                case 1: for await _ in socket.batches {}
                case 2: for await _ in socket.errors {}
                default:
                    while true {
                        if let code = await socketErrorCode({ _ = try await socket.receive() }) { return code }
                    }
                }
                return .closed
            }
        }
        for _ in 0..<count { try await socket.send([1], to: address) }
        await run.close(socket)
        for waiter in waiters {
            let code = await waiter.value
            run.expect(code == .closed, "a waiter of a closed socket got \(String(describing: code))")
        }
    }

    /// A send that succeeds has reached the kernel, one that does not has not: the receiver has as many as that.
    func closeUnderSenders(_ family: AddressFamily, _ count: Int, _ executor: LoopTaskExecutor?) async throws {
        let (receiver, address) = try await run.boundSocket(family, receiveBuffer: 1 << 20)
        let ledger = Ledger("receiver of a socket that is closed")
        let socket = try run.socket(family)
        let senders = (0..<count).map { index in
            Task(executorPreference: executor) { () -> Int in
                var sent = 0
                for _ in 0..<8 {
                    let datagrams = Array(repeating: OutgoingDatagram(bytes: [1, 2], to: address), count: 4)
                    let outcomes =
                        index % 2 == 0
                        ? await socket.send(datagrams) : [await socketError { try await socket.send([3], to: address) }]
                    sent += outcomes.count { $0 == nil }
                    let isTyped = outcomes.allSatisfy { $0 == nil || $0?.code == .closed }
                    run.expect(isTyped, "a sender of a closed socket got \(outcomes)")
                }
                return sent
            }
        }
        for _ in 0..<count { await Task.yield() }
        await run.close(socket)
        for sender in senders { ledger.sent(await sender.value) }
        while ledger.missing > 0, let batch = await receiver.receive(within: .seconds(5), batch: true) {
            for datagram in batch { ledger.received(datagram) }
        }
        run.judge(ledger)
        await run.close(receiver)
    }

    func closeInHandler(_ family: AddressFamily) async throws {
        let (socket, address) = try await run.boundSocket(family)
        let answer = SingleAnswer<Void>()
        await socket.onReceive { socket, _ in
            socket.assumeIsolated { $0.close() }
            answer.give(())
        }
        try await socket.send([1], to: address)
        await answer.wait()
        run.count { $0.closed += 1 }
        let code = await socketErrorCode { try await socket.send([2], to: address) }
        run.expect(code == .closed, "a socket closed in its handler says \(String(describing: code))")
    }
}
