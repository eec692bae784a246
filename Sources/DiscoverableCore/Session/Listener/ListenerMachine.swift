/// What stands above a server's sessions, as a pure value: it sorts datagrams to clients and admits new ones.
///
/// Each session has a machine of its own; this one knows only who is admitted, and remembers for a while who has left,
/// since a client whose disconnect was not acknowledged repeats it.
///
/// The contract of its driver:
/// 1. Hand in each datagram with `receive`, and carry out the action: `route` it to the session with its sender, begin a
///    session, send an answer, or nothing.
/// 2. Where `admit` names a session that is displaced, end that one first, by `SessionMachine.displace`.
/// 3. Call `sessionEnded` once for each session that ends in any other way.
///
/// It has no deadline: what it remembers is looked at when somebody speaks, and bounded by the configuration.
package struct ListenerMachine: Sendable {
    private let configuration: SessionConfiguration
    private let format: any SessionFormat
    /// What answers a discover.
    package let admission: [SessionStatement]
    private var admissions: Admissions
    private var departed: [SocketAddress: Instant] = [:]
    private var statements: [SessionStatement] = []
    /// How many datagrams of strangers did nothing.
    package private(set) var ignoredDatagrams = 0

    /// - Parameter name: goes into the handshake, for people.
    package init(name: String, configuration: SessionConfiguration, format: any SessionFormat) {
        self.configuration = configuration
        self.format = format
        admission = format.admission(text: name)
        admissions = Admissions(limit: configuration.sessionLimit)
    }

    /// What a datagram causes.
    package enum ReceiveAction: Hashable, Sendable {
        /// It belongs to the session with its sender.
        case route
        /// Begin a session with its sender, after ending the one that is displaced.
        case admit(name: String?, displacing: SocketAddress?)
        /// Answer, and keep nothing.
        case answer([UInt8])
        case ignore(IgnoreReason)
    }

    /// How many clients are admitted.
    package var sessionCount: Int { admissions.count }

    /// Takes a datagram.
    ///
    /// - Parameters:
    ///   - datagram: its bytes.
    ///   - isComplete: false where its end is missing.
    ///   - roomForSession: whether the app could take a session.
    package mutating func receive(
        _ datagram: Span<UInt8>,
        from source: SocketAddress,
        isComplete: Bool = true,
        roomForSession: Bool = true,
        now: Instant
    ) -> ReceiveAction {
        switch admissions.standing(of: source) {
        case .proven: return .route
        case .unproven:
            if isComplete, provesItself(datagram) { admissions.prove(source) }
            return .route
        case .stranger: break
        }
        guard isComplete, let statement = firstStatement(in: datagram) else { return ignore(.malformed) }
        switch statement {
        case .discover(let name): return admit(source, name: name, roomForSession: roomForSession)
        case .disconnect:
            guard let expiry = departed[source], now < expiry else { return ignore(.stranger) }
            return .answer(format.encode(.acknowledgement(nil)))
        case .shake, .acknowledgement, .message: return ignore(.stranger)
        }
    }

    private mutating func admit(_ source: SocketAddress, name: String?, roomForSession: Bool) -> ReceiveAction {
        guard roomForSession else { return ignore(.noRoom) }
        switch admissions.admit(source) {
        case .full: return ignore(.noRoom)
        case .admitted(let displaced):
            departed[source] = nil
            return .admit(name: name, displacing: displaced)
        }
    }

    /// A session is over. Its client is a stranger from now on, whose repeated disconnect is acknowledged for a while.
    package mutating func sessionEnded(with peer: SocketAddress, now: Instant) {
        guard admissions.remove(peer) else { return }
        if departed.count >= configuration.sessionLimit { departed = departed.filter { now < $0.value } }
        guard departed.count < configuration.sessionLimit else { return }
        departed[peer] = now.advanced(by: configuration.departureTime)
    }

    /// Anybody can send a discover in another's name, and repeat it. Who says more takes part in the conversation.
    private mutating func provesItself(_ datagram: Span<UInt8>) -> Bool {
        switch firstStatement(in: datagram) {
        case nil, .discover?: false
        case .shake?, .acknowledgement?, .disconnect?, .message?: true
        }
    }

    private mutating func firstStatement(in datagram: Span<UInt8>) -> SessionStatement? {
        statements.removeAll(keepingCapacity: true)
        return format.parse(datagram, into: &statements) ? statements.first : nil
    }

    private mutating func ignore(_ reason: IgnoreReason) -> ReceiveAction {
        ignoredDatagrams += 1
        return .ignore(reason)
    }
}
