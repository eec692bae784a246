internal import DiscoverableConnection

/// What the class `Discoverable` decides, as a pure value: which state follows what, which messages wait, and what the
/// delegate is told.
///
/// The contract of its driver:
/// 1. `begin` for each discover and connect of the app, `close` for each close, `send` for each message.
/// 2. What an attempt reports is handed in with the epoch in which it began; what belongs to an earlier one does nothing.
/// 3. Once connected, and after each `send` that says so, take the messages out with `takeOutgoing` and transmit them.
/// 4. Tell the notices in their order, each only while the epoch is still the one in which it came about.
struct ConnectionMachine: Sendable {
    typealias State = Discoverable.State

    /// Counts what the app has begun and ended.
    struct Epoch: Hashable, Sendable {
        fileprivate(set) var number: UInt64 = 0
    }

    /// What the delegate is told.
    enum Notice: Hashable, Sendable {
        case state(State)
        case strength(Float)
        case received(String)
        case notSent(String, SessionError)
    }

    private enum Phase {
        /// Nothing runs. Becomes connecting.
        case over(State)
        /// Becomes connected or over.
        case connecting(waiting: [String])
        /// Becomes over. The messages are those that nobody has transmitted yet.
        case connected(outgoing: [String])
    }

    /// How many messages wait while there is no connection yet.
    static let maximumWaitingMessages = 64
    /// Of how many outcomes the strength is the mean.
    static let strengthWindow = 5

    private(set) var epoch = Epoch()
    private var phase = Phase.over(.disconnected)
    private var outcomes: [Bool] = []

    var state: State {
        switch phase {
        case .over(let state): state
        case .connecting: .connecting
        case .connected: .connected
        }
    }

    /// Whether nothing runs.
    var isOver: Bool { if case .over = phase { true } else { false } }

    /// The mean of the last outcomes in percent; 0 before the first.
    var strength: Float {
        guard !outcomes.isEmpty else { return 0 }
        return 100 * Float(outcomes.count { $0 }) / Float(outcomes.count)
    }
}

// MARK: - What the app asks for

extension ConnectionMachine {
    /// What `send` asks of the driver.
    enum SendAction: Hashable, Sendable {
        /// The message waits for the connection.
        case wait
        /// There are messages to take and to transmit.
        case transmit
        case refuse(Notice)
    }

    /// What `close` asks of the driver.
    enum CloseAction: Hashable, Sendable {
        /// Nothing runs.
        case ignore
        /// End the session, after these last messages.
        case end(last: [String], Notice)
    }

    /// Begins an attempt, in an epoch of its own. It replaces what runs; messages that still waited for that are told as not
    /// sent.
    mutating func begin() -> [Notice] {
        let notices = takeUnsent(because: SessionError(.closed(.closedLocally), "sending a message"))
        epoch.number += 1
        outcomes = []
        phase = .connecting(waiting: [])
        return notices + [.state(.connecting)]
    }

    mutating func send(_ text: String) -> SendAction {
        switch phase {
        case .over:
            return refuse(text, .notConnected)
        case .connecting(var waiting):
            guard waiting.count < Self.maximumWaitingMessages else { return refuse(text, .tooManyOutstanding) }
            waiting.append(text)
            phase = .connecting(waiting: waiting)
            return .wait
        case .connected(let outgoing):
            phase = .connected(outgoing: outgoing + [text])
            return .transmit
        }
    }

    private func refuse(_ text: String, _ code: SessionError.Code) -> SendAction {
        .refuse(.notSent(text, SessionError(code, "sending a message")))
    }

    /// Ends what runs. A state that says that it goes on is none to end in.
    mutating func close(_ wanted: State) -> CloseAction {
        let last: [String]
        switch phase {
        case .over: return .ignore
        case .connecting: last = []
        case .connected(let outgoing): last = outgoing
        }
        let end: State =
            switch wanted {
            case .connected, .connecting: .disconnected
            case .disconnected, .failed: wanted
            }
        epoch.number += 1
        phase = .over(end)
        return .end(last: last, .state(end))
    }
}

// MARK: - What an attempt reports

extension ConnectionMachine {
    /// The peer has answered. What has waited is to be transmitted.
    mutating func connected(in epoch: Epoch) -> [Notice] {
        guard epoch == self.epoch, case .connecting(let waiting) = phase else { return [] }
        phase = .connected(outgoing: waiting)
        return [.state(.connected)]
    }

    /// The next message to transmit.
    mutating func takeOutgoing(in epoch: Epoch) -> String? {
        guard epoch == self.epoch, case .connected(var outgoing) = phase, !outgoing.isEmpty else { return nil }
        let text = outgoing.removeFirst()
        phase = .connected(outgoing: outgoing)
        return text
    }

    /// A message could not be transmitted.
    func refused(_ text: String, _ error: SessionError, in epoch: Epoch) -> [Notice] {
        epoch == self.epoch ? [.notSent(text, error)] : []
    }

    /// A message has its outcome.
    mutating func settled(_ text: String, acknowledged: Bool, in epoch: Epoch) -> [Notice] {
        guard epoch == self.epoch, case .connected = phase else { return [] }
        outcomes.append(acknowledged)
        if outcomes.count > Self.strengthWindow { outcomes.removeFirst() }
        let failure = Notice.notSent(text, SessionError(.notAcknowledged, "sending a message"))
        return acknowledged ? [.strength(strength)] : [failure, .strength(strength)]
    }

    /// The attempt is over by itself: no service, no answer, or the end of the session. What was not sent, and what was sent
    /// and will never be known to have arrived, is told before.
    mutating func ended(
        _ state: State,
        abandoned: [String] = [],
        because error: SessionError = SessionError(.notConnected, "sending a message"),
        in epoch: Epoch
    ) -> [Notice] {
        guard epoch == self.epoch else { return [] }
        if case .over = phase { return [] }
        let notices = abandoned.map { Notice.notSent($0, error) } + takeUnsent(because: error)
        phase = .over(state)
        return notices + [.state(state)]
    }

    private func takeUnsent(because error: SessionError) -> [Notice] {
        switch phase {
        case .over: []
        case .connecting(let unsent), .connected(let unsent): unsent.map { .notSent($0, error) }
        }
    }
}
