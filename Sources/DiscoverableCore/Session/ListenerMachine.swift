/// What stands above a server's sessions, as a pure value: it sorts datagrams to clients and admits new ones.
///
/// Each session has a machine of its own; this one knows only who is admitted, and remembers for a while who has left,
/// since a client whose disconnect was not acknowledged repeats it.
package struct ListenerMachine: Sendable {
    private let configuration: SessionConfiguration
    private let admission: [ClassicDatagram]
    private var admitted: Set<SocketAddress> = []
    private var departed: [SocketAddress: Instant] = [:]
    /// How many datagrams of strangers did nothing.
    package private(set) var ignoredDatagrams = 0

    /// - Parameter name: goes into the handshake, for people.
    package init(name: String, configuration: SessionConfiguration) {
        self.configuration = configuration
        admission = ClassicCodec(prefix: configuration.prefix).admission(text: name)
    }

    /// What a datagram causes.
    package enum ReceiveAction: Hashable, Sendable {
        /// It belongs to the session with its sender.
        case route
        /// Begin a session with its sender and send the answer.
        case admit(name: String?, answer: [ClassicDatagram])
        /// Answer, and keep nothing.
        case answer(ClassicDatagram)
        case ignore(IgnoreReason)
    }

    /// How many clients are admitted.
    package var sessionCount: Int { admitted.count }

    /// Takes a datagram.
    ///
    /// - Parameters:
    ///   - datagram: what it means; nil where it was malformed.
    ///   - roomForSession: whether the app could take a session.
    package mutating func receive(
        _ datagram: ClassicDatagram?,
        from source: SocketAddress,
        roomForSession: Bool = true,
        now: Instant
    ) -> ReceiveAction {
        if admitted.contains(source) { return .route }
        guard let datagram else { return ignore(.malformed) }
        switch datagram {
        case .discover(let name):
            guard roomForSession, admitted.count < configuration.maximumSessions else { return ignore(.noRoom) }
            admitted.insert(source)
            departed[source] = nil
            return .admit(name: name, answer: admission)
        case .disconnect:
            guard let expiry = departed[source], now < expiry else { return ignore(.stranger) }
            return .answer(.acknowledgement)
        case .shake, .acknowledgement, .payload:
            return ignore(.stranger)
        }
    }

    /// A session is over. Its client is a stranger from now on, whose repeated disconnect is acknowledged for a while.
    package mutating func sessionEnded(with peer: SocketAddress, now: Instant) {
        guard admitted.remove(peer) != nil else { return }
        departed = departed.filter { now < $0.value }
        guard departed.count < configuration.maximumSessions else { return }
        departed[peer] = now.advanced(by: configuration.disconnectInterval * (configuration.disconnectAttempts + 1))
    }

    private mutating func ignore(_ reason: IgnoreReason) -> ReceiveAction {
        ignoredDatagrams += 1
        return .ignore(reason)
    }
}
