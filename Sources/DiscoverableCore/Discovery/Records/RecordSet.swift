/// The records that answer one question, as the daemon tells them path by path and over its restarts, in the order in which
/// they came.
///
/// The order matters where a name has one record of a type and that changes: the daemon tells the new one at once and takes
/// the old one back a second later, so that the newest is the one that holds.
public struct RecordSet: Sendable {
    private var merger = PathMerger<BrowsedRecord>()
    private var found: [DNSRecord: (turn: UInt64, record: BrowsedRecord)] = [:]
    private var lastTurn: UInt64 = 0

    /// How far the answers are told.
    public private(set) var progress = Resolution.Progress.asked

    /// A question that nothing has answered yet.
    public init() {}

    /// When to call `deadlineReached`; nil where there is nothing to review.
    public var nextDeadline: Instant? { merger.nextDeadline }

    /// The records, the oldest first.
    public var records: [BrowsedRecord] {
        found.values.sorted { $0.turn < $1.turn }.map(\.record)
    }

    /// The daemon tells a record on a path.
    public mutating func appeared(_ sighting: Sighting<DNSRecord>) -> BrowseEvent<BrowsedRecord>? {
        note(merger.appeared(sighting))
    }

    /// The daemon takes a record back on a path.
    public mutating func vanished(_ sighting: Sighting<DNSRecord>) -> BrowseEvent<BrowsedRecord>? {
        note(merger.vanished(sighting))
    }

    /// The daemon has told what it had cached. Returns whether that is news.
    public mutating func cacheTold() -> Bool { reach(.cacheTold) }

    /// The daemon has told what the network has now. Returns whether that is news.
    public mutating func networkTold(now: Instant) -> Bool {
        _ = merger.allForNow(now: now)
        return reach(.networkTold)
    }

    /// The browser is gone with its connection; nothing is believed lost for that.
    public mutating func connectionLost() { merger.connectionLost() }

    /// Removes what no daemon has confirmed in time.
    public mutating func deadlineReached(now: Instant) -> [BrowseEvent<BrowsedRecord>] {
        merger.deadlineReached(now: now).compactMap { note($0) }
    }

    private mutating func reach(_ reached: Resolution.Progress) -> Bool {
        guard reached > progress else { return false }
        progress = reached
        return true
    }

    private mutating func note(_ event: BrowseEvent<BrowsedRecord>?) -> BrowseEvent<BrowsedRecord>? {
        switch event {
        case .added(let record):
            lastTurn += 1
            found[record.identity] = (lastTurn, record)
        case .updated(let record): found[record.identity]?.record = record
        case .removed(let record): found[record.identity] = nil
        case .settled, nil: break
        }
        return event
    }
}
