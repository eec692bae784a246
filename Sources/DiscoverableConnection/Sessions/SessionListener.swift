internal import DiscoverableCore
package import DiscoverableRuntime

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

    let codec: ClassicCodec
    let configuration: SessionConfiguration
    var machine: ListenerMachine
    /// One for each family; empty once closed.
    var channels: [DatagramChannel]
    var table: [SocketAddress: Session] = [:]
    private var isClosing = false

    /// The event loop's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    init(channels: sending [DatagramChannel], port: UInt16, configuration: SessionConfiguration, loop: EventLoop) {
        self.channels = channels
        self.port = port
        self.configuration = configuration
        self.loop = loop
        codec = ClassicCodec(prefix: configuration.prefix)
        machine = ListenerMachine(name: HostName.current, configuration: configuration)
        sessionBroadcast = Broadcast(capacity: max(1, configuration.maximumSessions))
    }

    isolated deinit {
        sessionBroadcast.finish()
        for session in table.values { session.assumeIsolated { $0.listenerVanished() } }
    }

    /// Sessions with clients that were admitted.
    public nonisolated var sessions: IncomingSessions { IncomingSessions(source: self, broadcast: sessionBroadcast) }

    /// How many clients are admitted now.
    public var sessionCount: Int { machine.sessionCount }

    /// Ends all sessions, telling their clients, and then closes the port; it is free when this returns, which takes
    /// three quarters of a second (by default) if a client does not react. No client is admitted meanwhile.
    public func close() async {
        for session in beginClosing() { await session.waitForEnd() }
        channels = []
    }

    private func beginClosing() -> [Session] {
        isClosing = true
        sessionBroadcast.finish()
        let open = Array(table.values)
        for session in open { session.assumeIsolated { $0.beginClosing() } }
        return open
    }

    // MARK: For its sessions

    func transmit(_ bytes: [UInt8], to peer: SocketAddress) {
        let channel = channels.first { $0.family == peer.family }
        _ = channel?.post(bytes, to: peer, handler: self)
    }

    func sessionEnded(with peer: SocketAddress, now: Instant) {
        machine.sessionEnded(with: peer, now: now)
        table[peer] = nil
    }
}

// MARK: - Datagrams

extension SessionListener: ReadinessHandler {
    package nonisolated func becameReady(_ readiness: EpollSet.Readiness, registration: Registration) {
        assumeIsolated { $0.handle(readiness, registration) }
    }

    private func handle(_ readiness: EpollSet.Readiness, _ registration: Registration) {
        guard let channel = channels.first(where: { $0.owns(registration) }) else { return }
        // Of an unconnected socket, an error says nothing about one client; taken, or it would wake the loop without end.
        if readiness.contains(.error) { _ = channel.takeError() }
        if readiness.contains(.readable) {
            var batch: [ReceivedDatagram] = []
            _ = channel.receive { batch.append($0) }
            let now = MonotonicClock.now
            for datagram in batch { take(datagram, now: now) }
        }
        if readiness.contains(.writable) { channel.flushOutbox(handler: self) }
    }

    private func take(_ datagram: ReceivedDatagram, now: Instant) {
        let parsed = datagram.isTruncated ? nil : codec.parse(datagram.bytes)
        let hasRoom = !isClosing && sessionBroadcast.unread < configuration.maximumSessions
        switch machine.receive(parsed, from: datagram.source, roomForSession: hasRoom, now: now) {
        case .ignore: break
        case .route: table[datagram.source]?.assumeIsolated { $0.receive(datagram, from: datagram.source, now: now) }
        case .answer(let answer): transmit(codec.encode(answer), to: datagram.source)
        case .admit(let name, let answer): admit(datagram.source, name: name, answer: answer, now: now)
        }
    }

    private func admit(_ peer: SocketAddress, name: String?, answer: [ClassicDatagram], now: Instant) {
        let session = Session(
            machine: SessionMachine(admitting: peer, admission: answer, configuration: configuration, now: now),
            peer: peer,
            peerName: name,
            transport: ListenerTransport(listener: self),
            loop: loop
        )
        table[peer] = session
        for datagram in answer { transmit(codec.encode(datagram), to: peer) }
        session.assumeIsolated { $0.begin() }
        sessionBroadcast.push(session)
    }
}
