/// One session as a pure value: what a client does from its first discover on, or a server from the admission of a client,
/// until the end. It knows no clock, no socket and, but for its `SessionFormat`, no wire format.
///
/// The contract of its driver:
/// 1. Begin with `init(configuration:format:deviceName:)` and `connect` (client), or `init(admitting:...)` (server).
/// 2. Hand in what happens with the present time: `receive` for each datagram, `peerRejected` for an error of the peer's
///    host, `send` and `close` for what the app wants.
/// 3. After each call take `nextOutput` until it is nil, and carry out each output in order: transmit, or tell the app.
/// 4. Keep one timer at `nextDeadline`, and call `deadlineReached` when it is due.
/// 5. Once `state` is final there is no deadline, no output, and nothing left to do.
///
/// The clock may jump forward by any time, which only makes more become due at once; a time that lies before an earlier one
/// counts as that one.
package struct SessionMachine: Sendable {
    enum Phase: Sendable {
        /// A client that has not begun. Becomes connecting.
        case idle
        /// Discovers are out. Becomes connected, closed or failed.
        case connecting(Handshake)
        /// Becomes closing or closed.
        case connected(Link)
        /// Our disconnect is out. Becomes closed.
        case closing(Farewell)
        /// The end: `closed` or `failed`.
        case over(SessionState)
    }

    package let configuration: SessionConfiguration
    let format: any SessionFormat
    /// What a client calls itself.
    let deviceName: String
    var phase: Phase
    /// What is left once the link is gone: the app may still ask.
    var lastStrength: Int?
    var lastRoundTripTime: Duration?
    var lastMessage: UInt64 = 0
    private var latest: Instant = .origin
    private var outputs = OutputQueue()
    /// What the datagram at hand says; kept for its memory.
    private var statements: [SessionStatement] = []
    /// Its length in bytes.
    private(set) var length = 0
    /// How many statements were ignored: of strangers, malformed, out of place, or without room.
    package private(set) var ignoredStatements = 0

    /// A client's session that has not begun.
    ///
    /// - Parameter deviceName: what the client calls itself; cut where it does not fit.
    package init(configuration: SessionConfiguration, format: any SessionFormat, deviceName: String) {
        self.configuration = configuration
        self.format = format
        self.deviceName = deviceName
        phase = .idle
    }

    /// A server's session with a client that has just been admitted.
    ///
    /// - Parameters:
    ///   - admission: what answers a discover: at once, and when the client repeats its own.
    ///   - length: of the discover, in bytes.
    package init(
        admitting peer: SocketAddress,
        admission: [SessionStatement],
        afterDiscoverOf length: Int,
        configuration: SessionConfiguration,
        format: any SessionFormat,
        now: Instant
    ) {
        self.init(configuration: configuration, format: format, deviceName: "")
        latest = now
        var link = Link(peer: peer, role: .server(admission: admission), configuration: configuration, now: now)
        link.credit = 3 * length
        for statement in admission { sayOnCredit(statement, to: peer, &link.credit) }
        phase = .connected(link)
        emit(.connected(to: peer))
    }
}

// MARK: - What an app may ask

extension SessionMachine {
    /// The state that an app sees.
    package var state: SessionState {
        switch phase {
        case .idle, .connecting: .connecting
        case .connected: .connected
        case .closing: .closing
        case .over(let state): state
        }
    }

    /// The strength in percent; nil before the first outcome.
    package var strength: Int? {
        if case .connected(let link) = phase { return link.strength.percent }
        return lastStrength
    }

    /// The smoothed round-trip time; nil before the first sample.
    package var roundTripTime: Duration? {
        if case .connected(let link) = phase { return link.roundTripTime.smoothed }
        return lastRoundTripTime
    }
}

// MARK: - What happens

extension SessionMachine {
    /// Takes a datagram.
    ///
    /// - Parameters:
    ///   - datagram: its bytes.
    ///   - source: where it came from. Only the peer's address counts: the classic protocol has no other proof.
    ///   - isComplete: false where its end is missing.
    ///   - roomForMessage: whether the app could take a message.
    @discardableResult
    package mutating func receive(
        _ datagram: Span<UInt8>,
        from source: SocketAddress,
        isComplete: Bool = true,
        roomForMessage: Bool = true,
        now: Instant
    ) -> Reception {
        let now = notice(now)
        statements.removeAll(keepingCapacity: true)
        guard isComplete, format.parse(datagram, into: &statements) else { return ignore(.malformed) }
        var reception = Reception.ignored(.redundant)
        length = datagram.count
        for index in statements.indices {
            reception = take(statements[index], from: source, roomForMessage: roomForMessage, now: now)
        }
        return reception
    }

    private mutating func take(
        _ statement: SessionStatement,
        from source: SocketAddress,
        roomForMessage: Bool,
        now: Instant
    ) -> Reception {
        switch phase {
        case .idle: return ignore(.unexpected)
        case .connecting(let handshake): return receive(statement, from: source, during: handshake, now: now)
        case .connected(let link):
            guard link.peer == source else { return ignore(.stranger) }
            return receive(statement, on: link, roomForMessage: roomForMessage, now: now)
        case .closing(let farewell):
            guard farewell.peer == source else { return ignore(.stranger) }
            return receive(statement, during: farewell)
        case .over: return ignore(.over)
        }
    }

    /// Handles all deadlines that are due.
    package mutating func deadlineReached(now: Instant) {
        let now = notice(now)
        while let deadline = nextDeadline, deadline.at <= now {
            switch phase {
            case .idle, .over: return
            case .connecting(let handshake): connectingDeadlineReached(handshake, now: now)
            case .connected(let link): connectedDeadlineReached(link, reason: deadline.reason, now: now)
            case .closing(let farewell): closingDeadlineReached(farewell, now: now)
            }
        }
    }

    /// When the machine wants to be called next; nil where only events can change something.
    package var nextDeadline: SessionDeadline? {
        switch phase {
        case .idle, .over: return nil
        case .connecting(let handshake):
            guard let next = handshake.nextDiscover, next < handshake.expiry else {
                return SessionDeadline(at: handshake.expiry, reason: .connectTimeout)
            }
            return SessionDeadline(at: next, reason: .discover)
        case .connected(let link): return deadline(of: link)
        case .closing(let farewell): return SessionDeadline(at: farewell.next, reason: .disconnect)
        }
    }
}

// MARK: - Outputs

extension SessionMachine {
    /// What the driver carries out next; nil where nothing is left.
    package mutating func nextOutput() -> SessionOutput? { outputs.next() }

    mutating func say(_ statement: SessionStatement, to peer: SocketAddress) {
        outputs.append(.transmit(format.encode(statement), to: peer))
    }

    /// Says nothing that would make more of a forged discover than three times its bytes. Returns whether it was said.
    @discardableResult
    mutating func sayOnCredit(_ statement: SessionStatement, to peer: SocketAddress, _ credit: inout Int?) -> Bool {
        if let left = credit {
            let length = format.encodedLength(of: statement)
            guard length <= left else { return false }
            credit = left - length
        }
        say(statement, to: peer)
        return true
    }

    mutating func emit(_ event: SessionEvent) { outputs.append(.event(event)) }

    mutating func ignore(_ reason: IgnoreReason) -> Reception {
        ignoredStatements += 1
        return .ignored(reason)
    }

    /// The time that counts.
    mutating func notice(_ now: Instant) -> Instant {
        latest = max(latest, now)
        return latest
    }
}

/// Outputs that wait for the driver, which takes all of them after each call: the memory is used again.
private struct OutputQueue: Sendable {
    private var outputs: [SessionOutput] = []
    private var taken = 0

    mutating func append(_ output: SessionOutput) { outputs.append(output) }

    mutating func next() -> SessionOutput? {
        guard taken < outputs.count else {
            outputs.removeAll(keepingCapacity: true)
            taken = 0
            return nil
        }
        taken += 1
        return outputs[taken - 1]
    }
}
