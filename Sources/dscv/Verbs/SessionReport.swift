internal import Discoverable

/// Prints what happens in a session.
struct SessionReport: Sendable {
    let output: Output
    /// How the peer is called in the lines.
    let peer: String

    /// Prints each event until the session is over; calls `received` for each message that came. Returns the last one, by
    /// which it ended; nil where the task was cancelled.
    @discardableResult
    func follow(_ events: SessionEvents, received: @Sendable (String) async -> Void = { _ in }) async -> SessionEvent? {
        for await event in events {
            output.print(line(for: event))
            switch event {
            case .received(let text): await received(text)
            case .closed, .failed: return event
            case .connecting, .connected, .sent, .acknowledged, .lost, .abandoned, .strengthChanged: continue
            }
        }
        return nil
    }

    private func line(for event: SessionEvent) -> Line {
        var line: Line
        switch event {
        case .connecting(let address):
            line = Line("connecting")
            line.addresses = [address.endpointText]
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
            line.reason = "the session ended before it was known whether the message arrived"
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
}

extension Duration {
    var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
