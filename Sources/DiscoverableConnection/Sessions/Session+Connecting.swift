public import DiscoverableCore
package import DiscoverableRuntime

extension Session {
    /// Connects to a peer: sends discovers until one of its addresses answers.
    ///
    /// The addresses are tried in order, each a quarter of a second after the one before, or at once when that one has said
    /// no; the first answer wins. All of it takes 10 s at most, by the default configuration.
    ///
    /// - Parameters:
    ///   - addresses: the peer's, preferred ones first.
    ///   - configuration: rules and times.
    /// - Throws: `connectFailed` with the reason; `cancelled`.
    public static func connect(
        to addresses: [SocketAddress],
        configuration: SessionConfiguration = SessionConfiguration()
    ) async throws(SessionError) -> Session {
        try await connect(to: addresses, configuration: configuration, loop: .shared)
    }

    package static func connect(
        to addresses: [SocketAddress],
        configuration: SessionConfiguration,
        loop: EventLoop
    ) async throws(SessionError) -> Session {
        let session = Session(
            machine: SessionMachine(configuration: configuration),
            transport: ClientTransport(loop: loop),
            loop: loop
        )
        try await session.establish(with: addresses)
        return session
    }

    private func establish(with addresses: [SocketAddress]) async throws(SessionError) {
        let operation = "connecting to " + addresses.map(\.description).joined(separator: ", ")
        if Task.isCancelled { throw SessionError(.cancelled, operation) }
        perform(machine.connect(to: addresses, now: MonotonicClock.now))
        rearm()
        await withTaskCancellationHandler {
            await connecting.wait()
        } onCancel: {
            loop.execute { self.assumeIsolated { $0.giveUpConnecting() } }
        }
        switch machine.state {
        case .failed(let failure): throw SessionError(.connectFailed(failure), operation)
        case .closed(.closedLocally) where peer == nil: throw SessionError(.cancelled, operation)
        // A session that ended just after it had been connected: its next call says so.
        case .connecting, .connected, .closing, .closed: return
        }
    }

    private func giveUpConnecting() {
        guard machine.state == .connecting else { return }
        perform(machine.close(tellingPeer: false, now: MonotonicClock.now))
        rearm()
    }
}
