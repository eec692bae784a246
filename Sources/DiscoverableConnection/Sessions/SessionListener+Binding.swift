public import DiscoverableCore
package import DiscoverableRuntime

extension SessionListener {
    /// Opens a port for clients, on all addresses of the host.
    ///
    /// - Parameters:
    ///   - port: 1024 is the classic one; 0 takes a free one, the same for both families, see `port`.
    ///   - families: IPv4, IPv6 or both. Of both, a family that the system does not have is left out.
    ///   - interface: the name of the only interface to serve; nil for all.
    ///   - configuration: rules and times.
    /// - Throws: `socket` with the reason, such as `addressInUse`; `invalidConfiguration`.
    public static func bind(
        port: UInt16 = 1024,
        families: Set<AddressFamily> = [.ipv4, .ipv6],
        interface: String? = nil,
        configuration: SessionConfiguration = SessionConfiguration()
    ) async throws(SessionError) -> SessionListener {
        try await bind(
            to: families.sorted().map { SocketAddress.any($0, port: port) },
            interface: interface,
            configuration: configuration,
            loop: .shared
        )
    }

    /// Opens a port on certain addresses, at most one of each family, all with the same port.
    package static func bind(
        to addresses: [SocketAddress],
        interface: String? = nil,
        configuration: SessionConfiguration = SessionConfiguration(),
        loop: EventLoop = .shared
    ) async throws(SessionError) -> SessionListener {
        if let problem = configuration.problem {
            throw SessionError(.invalidConfiguration(problem), "opening a listener")
        }
        do throws(SocketError) {
            let listener = try open(addresses, interface: interface, configuration: configuration, loop: loop)
            try await listener.start()
            return listener
        } catch {
            throw SessionError(error)
        }
    }

    private static func open(
        _ addresses: [SocketAddress],
        interface: String?,
        configuration: SessionConfiguration,
        loop: EventLoop
    ) throws(SocketError) -> SessionListener {
        var attemptsLeft = 16
        while true {
            do throws(SocketError) {
                let (engines, port) = try openEngines(addresses, interface: interface, loop: loop)
                return SessionListener(engines: engines, port: port, configuration: configuration, loop: loop)
            } catch {
                // A port that the kernel chose for one family can be taken in the other.
                attemptsLeft -= 1
                let mayRetry = error.code == .addressInUse && addresses.allSatisfy { $0.port == 0 }
                guard mayRetry, attemptsLeft > 0 else { throw error }
            }
        }
    }

    private static func openEngines(
        _ addresses: [SocketAddress],
        interface: String?,
        loop: EventLoop
    ) throws(SocketError) -> ([DatagramEngine], UInt16) {
        var engines: [DatagramEngine] = []
        var port: UInt16 = 0
        for var address in addresses {
            if port != 0 { address.port = port }
            do throws(UnderlyingError) {
                let engine = try DatagramEngine(family: address.family, options: .sessions, loop: loop)
                try engine.bind(to: address, interface: interface)
                port = try engine.descriptor.localAddress().port
                engines.append(engine)
            } catch {
                let failure = SocketError(error, "opening port \(address.port) for \(address.family)")
                let isMissingFamily = failure.code == .wrongFamily || failure.code == .addressUnavailable
                guard isMissingFamily, addresses.count > 1 else { throw failure }
            }
        }
        guard !engines.isEmpty else { throw SocketError(.wrongFamily, "opening a port") }
        return (engines, port)
    }

    private func start() throws(SocketError) {
        for engine in engines {
            engine.setClient(WeakClient(self))
            engine.resumeReading()
        }
        guard let stopError else { return }
        for engine in engines { engine.shutDown() }
        engines = []
        throw SocketError(stopError, "watching a listener's port")
    }
}
