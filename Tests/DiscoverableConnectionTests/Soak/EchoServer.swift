import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime

/// A socket that sends everything back, in one of the ways of receiving, and keeps a book about it.
final class EchoServer: Sendable {
    enum Style: CaseIterable {
        /// In the handler, inside the event.
        case inline
        /// A task on the loop, datagram by datagram.
        case datagrams
        /// A task on the loop, with batches.
        case batches
        /// A task on the pool.
        case pool
    }

    let socket: UDPSocket
    let address: SocketAddress
    let style: Style
    let ledger: Ledger
    private let run: SoakRun
    /// Those whose host must never say that they are gone.
    private let faithful = Locked<Set<SocketAddress>>([])

    init(_ style: Style, _ family: AddressFamily, offloads: Bool, in run: SoakRun) async throws {
        (socket, address) = try await run.boundSocket(family, offloads: offloads, receiveBuffer: 1 << 20)
        self.style = style
        self.run = run
        ledger = run.openLedger("\(style) server of \(family)\(offloads ? "" : " without offloads")", address)
    }

    func expectsFaith(of client: SocketAddress) { faithful.withLock { _ = $0.insert(client) } }

    /// Echoes until the socket is closed, and looks at what is reported meanwhile.
    func serve() async {
        async let reports: Void = watch()
        switch style {
        case .inline: await socket.onReceive { [self] in answer($1, through: $0) }
        case .datagrams: await Task(executorPreference: socket.taskExecutor) { await self.serveDatagrams() }.value
        case .batches: await Task(executorPreference: socket.taskExecutor) { await self.serveBatches() }.value
        case .pool: await serveDatagrams()
        }
        await reports
    }

    private func serveDatagrams() async {
        for await datagram in socket.datagrams {
            ledger.received(datagram)
            echo(datagram.source) { () throws(SocketError) in try socket.enqueue(datagram.bytes, to: datagram.source) }
        }
    }

    private func serveBatches() async {
        for await batch in socket.batches { answer(batch, through: socket) }
    }

    private func answer(_ batch: DatagramBatch, through socket: UDPSocket) {
        ledger.received(batch)
        batch.forEachInPlace { bytes, source in
            do throws(SocketError) {
                try socket.enqueue(bytes, to: source)
                run.ledger(of: source)?.sent(1)
            } catch {
                noteRefusal(error, source)
            }
        }
    }

    private func echo(_ client: SocketAddress, _ body: () throws(SocketError) -> Void) {
        do throws(SocketError) {
            try body()
            run.ledger(of: client)?.sent(1)
        } catch {
            noteRefusal(error, client)
        }
    }

    private func noteRefusal(_ error: SocketError, _ client: SocketAddress) {
        if error.code != .closed { run.complain("\(ledger.name) cannot answer \(client): \(error)") }
    }

    /// Clients that went without waiting for their answers are reported, each by its name.
    private func watch() async {
        for await failure in socket.errors {
            run.count { $0.errors += 1 }
            let isFaithful = failure.peer.map { peer in faithful.withLock { $0.contains(peer) } } ?? true
            let isRefusal = failure.error.code == .refused && failure.origin == .network(reporter: address.ip)
            run.expect(!isFaithful && isRefusal, "\(ledger.name) was told \(failure)")
        }
    }
}
