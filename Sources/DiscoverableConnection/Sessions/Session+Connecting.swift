public import DiscoverableCore
package import DiscoverableRuntime

extension Session {
    /// Connects to a peer: sends discovers until one of its addresses answers.
    ///
    /// The addresses are tried in order, each a quarter of a second after the one before, or at once when that one has said
    /// no; the first answer wins. All of it takes 10 s at most, by the default configuration. Cancelling ends it at once,
    /// without a word to the peer.
    ///
    /// - Parameters:
    ///   - addresses: the peer's, preferred ones first.
    ///   - configuration: rules and times.
    /// - Throws: `connectFailed` with the reason and, where the system has given one, its number; `socket` with `outOfResources`
    ///   where there is no descriptor; `invalidConfiguration`; `cancelled`.
    public static func connect(
        to addresses: [SocketAddress],
        configuration: SessionConfiguration = SessionConfiguration()
    ) async throws(SessionError) -> Session {
        try await connect(to: addresses, configuration: configuration, loop: .shared)
    }

    /// Connects to a host, by name or by address: resolves the name, then tries all its addresses.
    ///
    /// - Parameters:
    ///   - host: a name, or an address as text, with a scope where it needs one (`fe80::1%lan0`).
    ///   - port: 1024 is the classic one.
    ///   - configuration: rules and times; they begin when the name is resolved, which takes 5 s at most.
    /// - Throws: `socket` where the name does not resolve; `connectFailed` with the reason; `cancelled`.
    public static func connect(
        host: String,
        port: UInt16 = 1024,
        configuration: SessionConfiguration = SessionConfiguration()
    ) async throws(SessionError) -> Session {
        let addresses: [SocketAddress]
        do throws(SocketError) {
            addresses = try await SocketAddress.resolve(host: host, port: port)
        } catch {
            if error.code == .cancelled { throw SessionError(.cancelled, error.operation) }
            throw SessionError(error)
        }
        return try await connect(to: addresses, configuration: configuration)
    }

    package static func connect(
        to addresses: [SocketAddress],
        configuration: SessionConfiguration,
        loop: EventLoop
    ) async throws(SessionError) -> Session {
        if let problem = configuration.problem {
            throw SessionError(.invalidConfiguration(problem), connecting(to: addresses))
        }
        if Task.isCancelled { throw SessionError(.cancelled, connecting(to: addresses)) }
        let session = await begin(connectingTo: addresses, configuration: configuration, loop: loop)
        try await session.establish(with: addresses)
        return session
    }

    /// Begins to connect, and returns at once: what comes of it is told by `events`.
    package static func begin(
        connectingTo addresses: [SocketAddress],
        configuration: SessionConfiguration,
        loop: EventLoop = .shared
    ) async -> Session {
        let machine = SessionMachine(
            configuration: configuration,
            format: configuration.format,
            deviceName: configuration.deviceName ?? HostName.current
        )
        let session = Session(machine: machine, transport: ClientTransport(loop: loop), loop: loop)
        await session.begin(connectingTo: addresses)
        return session
    }

    private func begin(connectingTo addresses: [SocketAddress]) {
        machine.connect(to: addresses, now: MonotonicClock.now)
        carryOut()
    }

    /// Why the connecting failed; nil if it did not.
    package var connectError: SessionError? { connectError(while: "connecting") }

    private func connectError(while operation: String) -> SessionError? {
        guard case .failed(let failure) = machine.state else { return nil }
        let underlying =
            switch failure {
            case .refused: reports[.refused]
            case .unreachable: reports[.unreachable]
            case .noAnswer, .noHandshake, .endedByPeer: nil as UnderlyingError?
            }
        if failure == .unreachable, underlying?.condition == .outOfResources {
            return SessionError(.socket(.outOfResources), operation, underlying: underlying)
        }
        return SessionError(.connectFailed(failure), operation, underlying: underlying)
    }

    private func establish(with addresses: [SocketAddress]) async throws(SessionError) {
        let operation = Self.connecting(to: addresses)
        await withTaskCancellationHandler {
            await connecting.wait()
        } onCancel: {
            loop.execute { self.assumeIsolated { $0.giveUpConnecting() } }
        }
        if let error = connectError(while: operation) { throw error }
        // A session that ended just after it had been connected: its next call says so.
        if peer == nil { throw SessionError(.cancelled, operation) }
    }

    private func giveUpConnecting() {
        guard machine.state == .connecting else { return }
        machine.close(tellingPeer: false, now: MonotonicClock.now)
        carryOut()
    }

    private static func connecting(to addresses: [SocketAddress]) -> String {
        "connecting to " + addresses.map(\.endpointText).joined(separator: ", ")
    }
}
