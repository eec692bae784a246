public import DiscoverableCore
internal import DiscoverableRuntime

/// A session with one peer: messages both ways, each acknowledged.
///
/// A client connects with `connect(to:configuration:)`, a server gets its sessions from `SessionListener.sessions`. The rules
/// are those of `SessionMachine`; this actor carries out what the machine decides. It lives on the event loop's thread.
///
/// A session ends by `close`, by the peer, or when the peer no longer answers; dropping the last reference to a client's
/// session tells the peer too, by one datagram.
public actor Session {
    nonisolated let loop: EventLoop
    /// What the client calls itself, on a server's side; nil on a client's, and where the client gave no name.
    public nonisolated let peerName: String?
    nonisolated let messageBroadcast: Broadcast<String>
    nonisolated let eventBroadcast = Broadcast<SessionEvent>(capacity: 1024)
    nonisolated let condition: StateBroadcast<SessionCondition>
    let configuration: SessionConfiguration
    let transport: any SessionTransport

    var machine: SessionMachine
    var peer: SocketAddress?
    var timer: (deadline: Instant, scheduled: ScheduledTimer)?
    /// Who waits for the outcome of which message.
    var waiting: [MessageID: SingleAnswer<MessageOutcome>] = [:]
    /// Who waits for the connecting to end, one way or the other.
    let connecting = SingleAnswer<Void>()
    /// Who waits for the end.
    var endWaiters: [CheckedContinuation<Void, Never>] = []
    var hasEnded = false
    /// What the system last reported, for the name that a failure gets.
    var reports: [PeerRejection: UnderlyingError] = [:]

    /// An acknowledgement, or why there is none.
    typealias MessageOutcome = Result<Void, SessionError>

    /// The event loop's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    init(
        machine: SessionMachine,
        peer: SocketAddress? = nil,
        peerName: String? = nil,
        transport: sending any SessionTransport,
        loop: EventLoop
    ) {
        self.machine = machine
        self.peer = peer
        self.peerName = peerName
        self.transport = transport
        self.loop = loop
        configuration = machine.configuration
        messageBroadcast = Broadcast(capacity: max(1, machine.configuration.maximumUnreadMessages))
        condition = StateBroadcast(SessionCondition(machine))
    }

    isolated deinit {
        timer?.scheduled.cancel()
        // A courtesy without repetition: nobody is left to wait for the answer. Whoever was only asked is not told, since that
        // would stop a classic server.
        machine.close(tellingPeer: machine.state == .connected, now: MonotonicClock.now)
        while let output = machine.nextOutput() {
            if case .transmit(let bytes, let address) = output { _ = transport.send(bytes, to: address, for: self) }
        }
    }

    // MARK: What an app asks

    /// How far the session is.
    public var state: SessionState { machine.state }

    /// The mean of the last outcomes (5 by default), 0…100: an acknowledged message counts 100, a lost one 0. nil before the
    /// first. After the end it stays what it was.
    public var strength: Int? { machine.strength }

    /// The smoothed time between a message and its acknowledgement (RFC 6298 section 2); nil before the first sample.
    public var roundTripTime: Duration? { machine.roundTripTime }

    /// The peer's address; nil while connecting.
    public var peerAddress: SocketAddress? { peer }
}

// MARK: - What an app follows

extension Session {
    /// The messages that the peer sends.
    public nonisolated var messages: SessionMessages { SessionMessages(source: self, broadcast: messageBroadcast) }

    /// Everything that happens, from the connecting to the end.
    public nonisolated var events: SessionEvents { SessionEvents(source: self, broadcast: eventBroadcast) }

    /// How far the session is: now, then whenever it has changed. The last one is final.
    public nonisolated var states: SessionValues<SessionState> {
        SessionValues(source: self, broadcast: condition) { $0.state }
    }

    /// The strength, 0…100: the present one as soon as one is known, then whenever it has changed.
    public nonisolated var strengths: SessionValues<Int> {
        SessionValues(source: self, broadcast: condition) { $0.strength }
    }

    /// The smoothed round-trip time: the present one as soon as one is known, then whenever it has changed.
    public nonisolated var roundTripTimes: SessionValues<Duration> {
        SessionValues(source: self, broadcast: condition) { $0.roundTripTime }
    }
}
