public import DiscoverableCore
@_spi(Package) public import DiscoverableRuntime

/// A UDP port that has a flow with each peer: what arrives from one remote address is one flow's, and nobody else's.
///
/// ```swift
/// let listener = try await UDPListener.bind(port: 5000)
/// for await flow in listener.flows {
///     Task { for await question in flow.datagrams { try await flow.send(question.bytes) } }
/// }
/// ```
///
/// The first datagram of a remote address makes a flow, which lasts until it is closed, idle for too long
/// (`Configuration.idleTimeout`), or dropped by everybody. The next datagram of that address makes a new one.
///
/// - Important: A source address is what the datagram says, and can be forged: a flow is no proof that its peer is there.
///
/// It lives on its socket's loop. Keep the listener as long as its flows are wanted: dropping the last reference ends them with the
/// error `closed`, and closes the socket where the listener has opened it. Whoever iterates over `flows` holds one.
public actor UDPListener {
    /// The socket that all flows share. Its options and groups can be changed; what it receives is the listener's.
    public nonisolated let socket: UDPSocket
    /// The limits of the listener and its flows.
    public nonisolated let configuration: Configuration
    nonisolated let flowBroadcast: Broadcast<UDPFlow>
    nonisolated let failures = Broadcast<DatagramFailure>(capacity: 256)
    private let ownsSocket: Bool
    var table: [SocketAddress: FlowInbox] = [:]
    /// When the flows are looked at again, where they end by idleness.
    var timers: [SocketAddress: ScheduledTimer] = [:]
    /// Takes what the socket reports, until the socket is closed.
    private var reports: Task<Void, Never>?
    private(set) var isClosed = false
    /// How many datagrams of new peers were dropped because there were too many flows, or too many that nobody had taken.
    public internal(set) var refusedDatagrams: UInt64 = 0

    /// The event loop's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe socket.unownedExecutor }

    private init(over socket: UDPSocket, ownsSocket: Bool, configuration: Configuration) {
        self.socket = socket
        self.ownsSocket = ownsSocket
        self.configuration = configuration
        flowBroadcast = Broadcast(capacity: max(1, configuration.backlog))
    }

    /// Makes flows of what a socket receives from now on, and of what nobody has taken.
    ///
    /// The listener takes the place of `UDPSocket.onReceive`'s handler. When it is closed or dropped, the socket stays open.
    ///
    /// - Parameters:
    ///   - socket: bound, and not connected.
    ///   - configuration: the limits.
    public init(socket: UDPSocket, configuration: Configuration = Configuration()) async {
        self.init(over: socket, ownsSocket: false, configuration: configuration)
        await start()
    }

    /// Opens a port on all addresses of the host.
    ///
    /// - Parameters:
    ///   - port: 0 takes a free one, the same for both families; see `localAddresses`.
    ///   - families: IPv4, IPv6 or both.
    ///   - interface: the name of the only interface to serve; nil for all.
    ///   - options: the socket's.
    ///   - configuration: the limits.
    ///   - loop: where it lives.
    /// - Throws: as `UDPSocket.init` and `UDPSocket.bind(port:interface:)`; `wrongFamily` where `families` is empty.
    public static func bind(
        port: UInt16,
        families: Set<AddressFamily> = [.ipv4, .ipv6],
        interface: String? = nil,
        options: UDPSocket.Options = UDPSocket.Options(),
        configuration: Configuration = Configuration(),
        loop: EventLoop = .shared
    ) async throws(SocketError) -> UDPListener {
        guard let family = families.first else { throw SocketError(.wrongFamily, "binding to port \(port)") }
        let socket =
            families.count > 1
            ? try UDPSocket(options: options, loop: loop)
            : try UDPSocket(family: family, options: options, loop: loop)
        try await socket.bind(port: port, interface: interface)
        return await listening(on: socket, configuration)
    }

    /// Opens a port on one address of the host. As `bind(port:families:interface:options:configuration:loop:)`.
    public static func bind(
        to address: SocketAddress,
        interface: String? = nil,
        options: UDPSocket.Options = UDPSocket.Options(),
        configuration: Configuration = Configuration(),
        loop: EventLoop = .shared
    ) async throws(SocketError) -> UDPListener {
        let socket = try UDPSocket(family: address.family, options: options, loop: loop)
        try await socket.bind(to: address, interface: interface)
        return await listening(on: socket, configuration)
    }

    private static func listening(on socket: UDPSocket, _ configuration: Configuration) async -> UDPListener {
        let listener = UDPListener(over: socket, ownsSocket: true, configuration: configuration)
        await listener.start()
        return listener
    }

    isolated deinit { end() }

    private func start() async {
        let errors = socket.errors
        reports = Task(executorPreference: socket.taskExecutor) { [weak self] in
            for await failure in errors { await self?.route(failure) }
            // Somebody has closed the socket, or the listener itself is over.
            await self?.close()
        }
        await socket.onReceive { [weak self] _, batch in
            self?.assumeIsolated { $0.received(batch) }
        }
    }

    /// The flows with peers that were not known before, until the listener is closed.
    ///
    /// One consumer is usual; of several each gets every flow. For a slow one `Configuration.backlog` flows wait, and their
    /// datagrams in them; then no further peers are admitted. Cancelling ends the iteration and loses no flow.
    public nonisolated var flows: EventSequence<UDPFlow> { EventSequence(source: self, broadcast: flowBroadcast) }

    /// What is reported about peers that have no flow, or about no certain one. What concerns a flow is told by `UDPFlow.errors`.
    ///
    /// As `UDPSocket.errors`: the newest 256 wait for a slow consumer.
    public nonisolated var errors: EventSequence<DatagramFailure> { EventSequence(source: self, broadcast: failures) }

    /// The addresses and ports that peers send to: one for each family, IPv4 first.
    ///
    /// - Throws: `closed`.
    public nonisolated var localAddresses: [SocketAddress] {
        get async throws(SocketError) { try await socket.localAddresses }
    }

    /// How many flows there are now.
    public var flowCount: Int { table.count }

    /// Ends all flows and closes the socket, where the listener has opened it: its port is free when this returns.
    ///
    /// Whoever waits in a flow's call gets the error `closed`, in the order of the calls; what has arrived before can still be
    /// taken from the flows. `flows` ends once those that wait are taken.
    public func close() { end() }

    private func end() {
        guard !isClosed else { return }
        isClosed = true
        let ownsSocket = ownsSocket
        socket.assumeIsolated { socket in if ownsSocket { socket.close() } else { socket.onReceive(nil) } }
        reports?.cancel()
        flowBroadcast.finish()
        failures.finish()
        for timer in timers.values { timer.cancel() }
        timers = [:]
        let waiters = table.values.flatMap { $0.end(.closed) }
        table = [:]
        for waiter in waiters.sorted(by: { $0.id < $1.id }) { waiter.end(.ended(.closed)) }
    }
}
