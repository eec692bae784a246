/// What we have sent and the peer has not acknowledged yet, oldest first.
///
/// A classic acknowledgement does not say what it is for, so it settles the oldest entry. Classic servers acknowledge
/// everything, discovers too: those stand in the same queue, or their acknowledgements would be taken for messages'.
///
/// The limits of this, which no client of the classic protocol can overcome: counts are right, identities are guesses. When
/// the acknowledgement of the first of several outstanding messages is lost, the last of them counts as lost; an
/// acknowledgement that comes after its message was given up settles the next one. Who sends one message at a time and
/// hears from the peer within the time-out sees neither. A format that numbers its messages has neither limit.
package struct OutstandingMessages: Sendable {
    package enum Entry: Hashable, Sendable {
        /// A discover that asks whether the server is still there.
        case probe
        case message(MessageID, String)
    }

    private struct Line {
        let entry: Entry
        let sent: Instant
        let expiry: Instant
    }

    private var lines: [Line] = []
    /// Until when an acknowledgement is taken for that of the handshake's discover.
    private var stragglerExpiry: Instant?

    package init() {}

    package var count: Int { lines.count }

    /// The messages that wait, oldest first.
    package var messages: [(id: MessageID, text: String)] {
        lines.compactMap { line in
            switch line.entry {
            case .probe: nil
            case .message(let id, let text): (id, text)
            }
        }
    }

    /// When the oldest entry counts as lost. All entries wait equally long, so it is the first to do so.
    package var nextExpiry: Instant? { lines.first?.expiry }

    package mutating func append(_ entry: Entry, now: Instant, timeout: Duration) {
        lines.append(Line(entry: entry, sent: now, expiry: now.advanced(by: timeout)))
    }

    /// The handshake came before the acknowledgement of its discover, which may follow at once or never. One that comes
    /// before a message could have travelled there and back is that one.
    package mutating func expectStraggler(until expiry: Instant) { stragglerExpiry = expiry }

    /// How many acknowledgements without a number may still come for what was sent so far.
    package func acknowledgementsAhead(at now: Instant) -> Int {
        let expectsStraggler = stragglerExpiry.map { now < $0 } ?? false
        return lines.count + (expectsStraggler ? 1 : 0)
    }

    /// Settles the message of this number or, without a number, the oldest entry. Returns it with the time it took; nil
    /// where the acknowledgement is for nothing of ours.
    package mutating func acknowledge(_ id: MessageID?, now: Instant) -> (entry: Entry, elapsed: Duration)? {
        guard let index = id.map(index(of:)) ?? oldest(now: now) else { return nil }
        let line = lines.remove(at: index)
        return (line.entry, line.sent.duration(to: now))
    }

    private func index(of id: MessageID) -> Int? {
        lines.firstIndex { line in
            switch line.entry {
            case .probe: false
            case .message(let other, _): other == id
            }
        }
    }

    private mutating func oldest(now: Instant) -> Int? {
        if let expiry = stragglerExpiry.take(), now < expiry { return nil }
        return lines.isEmpty ? nil : 0
    }

    /// A handshake answers every discover before it: their own acknowledgements were sent before it, so they have come
    /// or are lost.
    package mutating func settleProbes() { lines.removeAll { $0.entry == .probe } }

    /// Takes the oldest entry if its time is over.
    package mutating func expireOldest(now: Instant) -> Entry? {
        guard let first = lines.first, first.expiry <= now else { return nil }
        return lines.removeFirst().entry
    }
}
