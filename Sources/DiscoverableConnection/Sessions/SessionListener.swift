@_spi(Package) internal import DiscoverableCore
internal import DiscoverableRuntime

/// A server: admits clients on a port, and has a session with each of them.
///
/// - Important: Only admitted clients are acknowledged. What strangers get, whose addresses may be forged, is never more than
///   three times what they sent. Each client has a session of its own: what one does touches no other.
///
/// The rules are those of `ListenerMachine` and, for each client, `SessionMachine`. Keep the listener as long as its sessions
/// are wanted: they share its socket. Dropping the last reference closes it, without telling the clients; whoever iterates
/// over `sessions` holds one.
public actor SessionListener {
    nonisolated let loop: EventLoop
    nonisolated let sessionBroadcast: Broadcast<Session>
    /// The port that clients send to.
    public nonisolated let port: UInt16

    let configuration: SessionConfiguration
    var machine: ListenerMachine
    /// One for each family; empty once closed.
    var engines: [DatagramEngine]
    private var table: [SocketAddress: Client] = [:]
    private var isClosing = false
    /// Why the loop could not go on watching a port.
    var stopError: UnderlyingError?

    private struct Client {
        let session: Session
        /// What it is sent leaves from the address that it sent to.
        var replyOptions: SendOptions
    }

    /// The event loop's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    init(engines: [DatagramEngine], port: UInt16, configuration: SessionConfiguration, loop: EventLoop) {
        self.engines = engines
        self.port = port
        self.configuration = configuration
        self.loop = loop
        machine = ListenerMachine(
            name: HostName.current,
            configuration: configuration,
            format: configuration.format
        )
        sessionBroadcast = Broadcast(capacity: 2 * max(1, configuration.sessionLimit))
    }

    isolated deinit {
        sessionBroadcast.finish()
        for engine in engines {
            engine.flush()
            engine.shutDown()
        }
        for client in table.values { client.session.assumeIsolated { $0.listenerVanished() } }
    }

    /// Sessions with clients that were admitted.
    public nonisolated var sessions: IncomingSessions { IncomingSessions(source: self, broadcast: sessionBroadcast) }

    /// How many clients are admitted now.
    public var sessionCount: Int { machine.sessionCount }

    /// Ends all sessions, telling their clients, and then closes the port; it is free when this returns, which takes
    /// three quarters of a second (by default) if a client does not react. No client is admitted meanwhile.
    public func close() async {
        for session in beginClosing() { await session.waitForEnd() }
        for engine in engines {
            // The last answers, which the end of the step would be too late for.
            engine.flush()
            _ = engine.close()
        }
        engines = []
    }

    private func beginClosing() -> [Session] {
        isClosing = true
        sessionBroadcast.finish()
        let open = table.values.map(\.session)
        for session in open { session.assumeIsolated { $0.beginClosing() } }
        return open
    }

    // MARK: For its sessions

    func transmit(_ bytes: [UInt8], to peer: SocketAddress) {
        transmit(bytes, to: peer, options: table[peer]?.replyOptions ?? SendOptions())
    }

    private func transmit(_ bytes: [UInt8], to peer: SocketAddress, options: SendOptions) {
        guard let engine = engines.first(where: { $0.family == peer.family }) else { return }
        // What finds no room is lost, as on any link: the rules repeat it.
        _ = unsafe bytes.withUnsafeBytes { unsafe engine.enqueue($0, route: DatagramRoute(peer, options: options)) }
    }

    /// - Parameter session: which one, since another one may have its place and its client by now.
    func ended(_ session: Session, with peer: SocketAddress, now: Instant) {
        guard table[peer]?.session === session else { return }
        machine.sessionEnded(with: peer, now: now)
        table[peer] = nil
    }
}

// MARK: - Datagrams

extension SessionListener: DatagramEngineClient {
    nonisolated func hasRoom(on engine: DatagramEngine) -> Bool { true }

    nonisolated func received(_ batch: DatagramBatch, on engine: DatagramEngine) {
        assumeIsolated { listener in
            let now = MonotonicClock.now
            for datagram in batch { listener.take(datagram, now: now) }
        }
    }

    // Of a socket without a peer, an error says nothing that the rules could use: whoever does not answer is lost by them.
    nonisolated func failed(_ failure: DatagramFailure, on engine: DatagramEngine) {}

    nonisolated func stopped(_ error: UnderlyingError, on engine: DatagramEngine) {
        assumeIsolated { $0.engineStopped(error, engine) }
    }

    /// Nothing comes through that port any more. Without the last one there is nobody to serve, and no way to say so.
    private func engineStopped(_ error: UnderlyingError, _ engine: DatagramEngine) {
        stopError = error
        engines.removeAll { $0 === engine }
        engine.shutDown()
        guard engines.isEmpty else { return }
        isClosing = true
        sessionBroadcast.finish()
        for session in table.values.map(\.session) { session.assumeIsolated { $0.listenerVanished() } }
    }

    private func take(_ datagram: Datagram, now: Instant) {
        let action = machine.receive(
            datagram.bytes.span,
            from: datagram.source,
            isComplete: !datagram.isTruncated,
            roomForSession: !isClosing && hasRoomForUnseenSessions,
            now: now
        )
        switch action {
        case .ignore: break
        case .route: route(datagram, now: now)
        case .answer(let answer): transmit(answer, to: datagram.source, options: datagram.header.replyOptions)
        case .admit(let name, let displaced):
            if let displaced { displace(displaced) }
            admit(datagram, name: name, now: now)
        }
    }

    /// Those that are open are bounded by the rules. As many again may be over before the app has seen them.
    private var hasRoomForUnseenSessions: Bool { sessionBroadcast.unread < 2 * configuration.sessionLimit }

    private func route(_ datagram: Datagram, now: Instant) {
        guard let client = table[datagram.source] else { return }
        let options = datagram.header.replyOptions
        if options != client.replyOptions { table[datagram.source]?.replyOptions = options }
        client.session.assumeIsolated { $0.receive(datagram, from: datagram.source, now: now) }
    }

    private func admit(_ datagram: Datagram, name: String?, now: Instant) {
        let peer = datagram.source
        let session = Session(
            machine: SessionMachine(
                admitting: peer,
                admission: machine.admission,
                afterDiscoverOf: datagram.length,
                configuration: configuration,
                format: configuration.format,
                now: now
            ),
            peer: peer,
            peerName: name,
            transport: ListenerTransport(listener: self),
            loop: loop
        )
        table[peer] = Client(session: session, replyOptions: datagram.header.replyOptions)
        session.assumeIsolated { $0.begin() }
        sessionBroadcast.push(session)
    }

    private func displace(_ peer: SocketAddress) {
        guard let session = table[peer]?.session else { return }
        // Its place is another's from here on, so that its end takes nothing away.
        table[peer] = nil
        // Whoever has not seen it yet need not.
        sessionBroadcast.withdraw { $0 === session }
        session.assumeIsolated { $0.displace() }
    }
}
