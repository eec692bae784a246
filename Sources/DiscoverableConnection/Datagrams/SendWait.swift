@_spi(Package) internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime

/// Waits until the kernel has taken datagrams or refused them, or until the caller waits no longer: then those that have not left
/// are taken back.
final class SendWait: Sendable {
    struct Departure: Sendable {
        let bytes: [UInt8]
        let route: DatagramRoute
        let engine: DatagramEngine
    }

    private struct State {
        var outcomes: [SocketError?]
        /// Those that have no outcome yet: their places, by ticket.
        var waiting: [UInt64: Int] = [:]
    }

    private let departures: [Departure]
    private let socket: UDPSocket
    private let state: LoopConfined<State>
    private let answer = SingleAnswer<[SocketError?]>()

    init(_ departures: [Departure], of socket: UDPSocket) {
        self.departures = departures
        self.socket = socket
        state = LoopConfined(State(outcomes: Array(repeating: nil, count: departures.count)), on: socket.loop)
    }

    /// Has the datagrams sent; returns what became of each: nil where the kernel has it.
    func outcomes(timeout: Duration?) async -> [SocketError?] {
        onLoop { self.enqueue() }
        let timer = timeout.map { timeout in
            // Behind the enqueueing in any case: a deadline would come before what was handed over to the loop.
            socket.loop.schedule(after: timeout) { self.socket.loop.execute { self.withdraw(.timedOut) } }
        }
        defer { timer?.cancel() }
        return await withTaskCancellationHandler {
            await answer.wait()
        } onCancel: {
            // Behind the enqueueing in any case: the loop keeps the order.
            socket.loop.execute { self.withdraw(.cancelled) }
        }
    }

    /// At once where the caller is on the loop's thread, so that nothing is overtaken.
    private func onLoop(_ body: @escaping @Sendable () -> Void) {
        if socket.loop.isOnLoop { body() } else { socket.loop.execute(body) }
    }

    private func enqueue() {
        let tickets = departures.map { _ in socket.nextCall() }
        // All of them first: some may have their outcome before the last one is enqueued.
        state.withValue { $0.waiting = Dictionary(uniqueKeysWithValues: zip(tickets, departures.indices)) }
        for (departure, ticket) in zip(departures, tickets) {
            departure.engine.await(ticket) { self.settle(ticket, $0) }
            let admission = unsafe departure.bytes.withUnsafeBytes {
                unsafe departure.engine.enqueue($0, route: departure.route, ticket: ticket)
            }
            if case .closed = admission { settle(ticket, .closed) }
        }
        for engine in socket.engines { engine.flush() }
        finishIfDone()
    }

    private func settle(_ ticket: UInt64, _ end: DatagramEngine.SendEnd) {
        state.withValue { state in
            guard let place = state.waiting.removeValue(forKey: ticket) else { return }
            let operation = "sending \(departures[place].bytes.count) bytes"
            switch end {
            case .sent: break
            case .failed(let error): state.outcomes[place] = SocketError(error, operation)
            case .closed: state.outcomes[place] = SocketError(.closed, operation)
            }
        }
        finishIfDone()
    }

    /// Takes back what has not left.
    private func withdraw(_ code: SocketError.Code) {
        for (ticket, place) in state.withValue({ $0.waiting }) {
            guard departures[place].engine.withdraw(ticket) else { continue }
            state.withValue { state in
                state.waiting[ticket] = nil
                state.outcomes[place] = SocketError(code, "sending \(departures[place].bytes.count) bytes")
            }
        }
        finishIfDone()
    }

    private func finishIfDone() {
        let outcomes = state.withValue { $0.waiting.isEmpty ? $0.outcomes : nil }
        if let outcomes { answer.give(outcomes) }
    }
}
