internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime

/// One question that is asked of the hosts of some links, until somebody answers: a socket for each path, on an ephemeral
/// port. It lives on the shared loop, so that a daemon that hangs does not delay it.
final class FreshQuestion: ReadinessHandler {
    typealias Output = Waiter<FreshAnswer?, DiscoveryError>

    private struct Path {
        let path: ServicePath
        let socket: DatagramDescriptor
        let registration: Registration
    }

    private struct State {
        var paths: [Path] = []
        var timers: [ScheduledTimer] = []
        var attempts = 0
        var isEnded = false
    }

    private static let port: UInt16 = 5353
    private static let group = IPAddress.v4(IPv4Address(224, 0, 0, 251))
    private static let group6 = IPAddress.v6(IPv6Address(high: 0xff02_0000_0000_0000, low: 0xfb))
    /// A multicast datagram may be lost; a host that just woke up may be late.
    private static let pauses: [Duration] = [.milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2)]

    private let query: FreshQuery
    private let operation: String
    private let output: Output
    private let began = MonotonicClock.now
    private let loop = EventLoop.shared
    private let state: LoopConfined<State>

    init(_ query: FreshQuery, operation: String, output: Output) {
        self.query = query
        self.operation = operation
        self.output = output
        state = LoopConfined(State(), on: loop)
    }

    /// Asks on these paths, for `limit` at most. An interface that is gone or has no address of the family asks nobody.
    func begin(on paths: [ServicePath], for limit: Duration) {
        loop.execute { [self] in
            if state.withValue({ $0.isEnded }) { return }
            for path in paths { open(path) }
            let timer = loop.schedule(after: limit) { [output] in output.resume(.success(nil)) }
            state.withValue { $0.timers.append(timer) }
            ask()
        }
    }

    /// Closes the sockets. What arrives afterwards is heard by nobody.
    func end() {
        loop.execute { [self] in
            let paths = state.withValue { state in
                state.isEnded = true
                for timer in state.timers { timer.cancel() }
                state.timers = []
                defer { state.paths = [] }
                return state.paths
            }
            close(paths)
        }
    }

    func becameReady(_ readiness: EpollSet.Readiness, registration: Registration) {
        guard let path = state.withValue({ state in state.paths.first { $0.registration == registration } }) else {
            return
        }
        // As many as a burst of answers can be; whatever is left makes it ready again.
        for _ in 0..<16 {
            guard let datagram = path.socket.receive(atMost: 9000) else { return }
            guard datagram.source.port == Self.port else { continue }
            if let answer = answer(in: datagram.bytes, from: datagram.source, path.path) {
                return output.resume(.success(answer))
            }
        }
    }

    private func answer(in packet: [UInt8], from source: SocketAddress, _ path: ServicePath) -> FreshAnswer? {
        for record in query.answers(in: packet.span) {
            guard case .srv(let location) = record.data else { continue }
            let roundTrip = began.duration(to: MonotonicClock.now)
            return FreshAnswer(path: path, responder: source, location: location, roundTrip: roundTrip)
        }
        return nil
    }

    private func ask() {
        let packet = query.packet
        state.withValue { state in
            if state.isEnded { return }
            for path in state.paths {
                let group = path.path.family == .ipv4 ? Self.group : Self.group6
                // A link that is down takes nothing, and may be up for the next attempt.
                try? path.socket.send(packet, to: SocketAddress(group, port: Self.port, scope: path.path.interface))
            }
            let pause = Self.pauses[min(state.attempts, Self.pauses.count - 1)]
            state.attempts += 1
            state.timers.append(loop.schedule(after: pause) { [weak self] in self?.ask() })
        }
    }

    private func open(_ path: ServicePath) {
        do throws(UnderlyingError) {
            let socket = try DatagramDescriptor(family: path.family)
            try socket.options.setMulticastInterface(path.interface)
            try socket.options.setMulticastHopLimit(255)
            let any: IPAddress = path.family == .ipv4 ? .v4(.any) : .v6(.any)
            try socket.bind(to: SocketAddress(any, port: 0))
            let registration = try loop.register(socket.number, interest: .readable, handler: self)
            state.withValue { $0.paths.append(Path(path: path, socket: socket, registration: registration)) }
        } catch {
            guard error.condition == .outOfResources else { return }
            output.resume(
                .failure(
                    DiscoveryError(
                        .outOfResources,
                        operation: operation,
                        explanation: "the process can have no further socket; close some, or raise `ulimit -n`",
                        underlying: error
                    )
                )
            )
        }
    }

    private func close(_ paths: [Path]) {
        for path in paths {
            loop.unregister(path.registration, descriptor: path.socket.number)
            path.socket.close()
        }
    }
}
