/// What a consumer of a browse has not taken yet: at most one event a thing, whatever happened meanwhile.
///
/// What came and went while the consumer slept leaves nothing; what went and came back is an update.
public struct BrowseBacklog<Found: Browsed>: Backlog {
    private enum Place: Hashable {
        case found(Found.Identity)
        case settled
    }

    private struct Waiting {
        let turn: UInt64
        var event: BrowseEvent<Found>
    }

    private struct Turn {
        let number: UInt64
        let place: Place
    }

    private var pending: [Place: Waiting] = [:]
    /// The order in which things first had something to tell. Turns of what came to nothing stay until `compact`: to take
    /// each out at once would cost a search of all that waits.
    private var order: [Turn] = []
    private var head = 0
    private var lastTurn: UInt64 = 0

    /// An empty backlog.
    public init() {}

    /// How many events wait.
    public var count: Int { pending.count }

    /// Adds an event, or merges it with the one that waits for the same thing.
    public mutating func push(_ event: BrowseEvent<Found>) {
        let place = event.identity.map(Place.found) ?? .settled
        if let waiting = pending[place] {
            pending[place] = merged(waiting.event, event).map { Waiting(turn: waiting.turn, event: $0) }
        } else {
            lastTurn += 1
            pending[place] = Waiting(turn: lastTurn, event: event)
            order.append(Turn(number: lastTurn, place: place))
        }
        compact()
    }

    /// Takes the event that has waited longest.
    public mutating func pop() -> BrowseEvent<Found>? {
        while head < order.count {
            let turn = order[head]
            head += 1
            guard isValid(turn) else { continue }
            let waiting = pending.removeValue(forKey: turn.place)
            compact()
            return waiting?.event
        }
        return nil
    }

    /// Whether this is the turn of what waits there now, and not of something that came to nothing before it.
    private func isValid(_ turn: Turn) -> Bool { pending[turn.place]?.turn == turn.number }

    /// Drops the turns that are over once they are the greater part, so that each costs a constant time on average.
    private mutating func compact() {
        guard order.count > 64, order.count > 2 * pending.count else { return }
        order = order[head...].filter(isValid)
        head = 0
    }
}

extension BrowseEvent {
    fileprivate var identity: Found.Identity? {
        switch self {
        case .added(let found), .updated(let found), .removed(let found): found.identity
        case .settled: nil
        }
    }
}

/// One event that tells a consumer who has seen neither what both tell; nil where together they tell nothing.
private func merged<Found>(_ first: BrowseEvent<Found>, _ second: BrowseEvent<Found>) -> BrowseEvent<Found>? {
    switch (first, second) {
    case (.added, .removed): nil
    case (.added, .added(let found)), (.added, .updated(let found)): .added(found)
    case (.updated, .added(let found)), (.updated, .updated(let found)): .updated(found)
    case (.removed, .added(let found)), (.removed, .updated(let found)): .updated(found)
    case (.updated, .removed), (.removed, .removed): second
    case (.settled, _), (_, .settled): second
    }
}
