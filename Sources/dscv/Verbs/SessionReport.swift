internal import Discoverable

/// Prints what happens in a session.
struct SessionReport: Sendable {
    let output: Output
    /// How the peer is called in the lines.
    let peer: String
    /// Shows how the session stands, where there is a terminal.
    let status: StatusLine?
    /// Whether people are spared the lines of what a later line says too.
    private(set) var isBrief = false

    init(output: Output, peer: String, status: StatusLine? = nil) {
        self.output = output
        self.peer = peer
        self.status = status
    }

    /// The same with a line less for each message, for people.
    var brief: SessionReport {
        var report = self
        report.isBrief = true
        return report
    }

    /// Prints each event until the session is over, and then calls `told` with it. Returns the last one, by which it ended;
    /// nil where the task was cancelled.
    @discardableResult
    func follow(_ session: Session, told: (SessionEvent) async -> Void = { _ in }) async -> SessionEvent? {
        await showStatus(of: session)
        for await event in session.events {
            if let line = shownLine(for: event) { output.print(line) }
            await showStatus(of: session)
            await told(event)
            if event.isLast { return event }
        }
        return nil
    }

    /// The line of an event; nil where it has none, or none for these readers.
    private func shownLine(for event: SessionEvent) -> Line? {
        guard isBrief, !output.asJSON else { return line(for: event) }
        guard !event.isPrelude, var line = line(for: event) else { return nil }
        if let text = line.text, text.count > 20 { line.text = text.prefix(20) + "…" }
        return line
    }

    /// The line of an event; nil where it has none.
    private func line(for event: SessionEvent) -> Line? {
        var line: Line
        switch event {
        // Who connects has said so before there was a session.
        case .connecting: return nil
        case .connected(let address):
            line = Line("connected")
            line.addresses = [address.endpointText]
        case .sent(_, let text):
            line = Line("sent")
            line.text = text
        case .acknowledged(_, let text, let roundTripTime):
            line = Line("acknowledged")
            line.text = text
            line.rtt = roundTripTime.inSeconds
        case .lost(_, let text):
            line = Line("lost")
            line.text = text
        case .abandoned(_, let text):
            line = Line("lost")
            line.text = text
            line.reason = "the session ended before its outcome was known"
        case .received(let text):
            line = Line("received")
            line.text = text
        case .strengthChanged(let strength):
            line = Line("strength")
            line.strength = strength
        case .closed(let reason):
            line = Line("closed")
            line.reason = reason.explanation
        case .failed(let failure):
            line = Line("failed")
            line.reason = failure.explanation
        }
        line.peer = peer
        return line
    }

    private func showStatus(of session: Session) async {
        guard let status else { return }
        var parts = [await session.state.word]
        if let strength = await session.strength { parts.append("strength \(strength) %") }
        if let time = await session.roundTripTime { parts.append(time.inMilliseconds) }
        parts.append(peer)
        if let address = await session.peerAddress?.endpointText, !peer.contains(address) { parts.append(address) }
        status.show(parts.map(printable).joined(separator: "  "))
    }
}

// MARK: - What the tool reads from events

/// How a message ended.
enum MessageOutcome: Hashable {
    case acknowledged(roundTripTime: Duration)
    case lost
}

extension SessionEvent {
    /// The outcome of a message, where the event is one.
    var outcome: MessageOutcome? {
        switch self {
        case .acknowledged(_, _, let roundTripTime): .acknowledged(roundTripTime: roundTripTime)
        case .lost: .lost
        case .connecting, .abandoned, .connected, .sent, .received, .strengthChanged, .closed, .failed: nil
        }
    }

    /// Whether a message of ours has left.
    var isSending: Bool {
        switch self {
        case .sent: true
        case .connecting, .abandoned, .connected, .acknowledged, .lost, .received, .strengthChanged, .closed, .failed:
            false
        }
    }

    /// The strength that holds from now on, where the event is that.
    var newStrength: Int? {
        switch self {
        case .strengthChanged(let strength): strength
        case .connecting, .abandoned, .connected, .sent, .acknowledged, .lost, .received, .closed, .failed: nil
        }
    }

    /// The message that has come, where the event is that.
    var message: String? {
        switch self {
        case .received(let text): text
        case .connecting, .abandoned, .connected, .sent, .acknowledged, .lost, .strengthChanged, .closed, .failed: nil
        }
    }

    /// Whether nothing can follow.
    var isLast: Bool {
        switch self {
        case .closed, .failed: true
        case .connecting, .abandoned, .connected, .sent, .acknowledged, .lost, .received, .strengthChanged: false
        }
    }

    /// Whether a later line tells as much.
    fileprivate var isPrelude: Bool {
        switch self {
        case .sent, .strengthChanged: true
        case .connecting, .abandoned, .connected, .acknowledged, .lost, .received, .closed, .failed: false
        }
    }
}

extension SessionState {
    fileprivate var word: String {
        switch self {
        case .connecting: "connecting"
        case .connected: "connected"
        case .closing: "closing"
        case .closed: "closed"
        case .failed: "failed"
        }
    }
}
