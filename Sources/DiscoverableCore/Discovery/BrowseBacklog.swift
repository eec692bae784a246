/// What a consumer of a browse has not taken yet: at most one event a thing, whatever happened meanwhile.
///
/// What came and went while the consumer slept leaves nothing; what went and came back is an update.
public struct BrowseBacklog<Found: Browsed>: Backlog {
    private enum Place: Hashable {
        case found(Found.Identity)
        case settled
    }

    private var pending: [Place: BrowseEvent<Found>] = [:]
    /// The order in which things first had something to tell.
    private var order: [Place] = []
    private var head = 0

    /// An empty backlog.
    public init() {}

    /// How many events wait.
    public var count: Int { pending.count }

    /// Adds an event, or merges it with the one that waits for the same thing.
    public mutating func push(_ event: BrowseEvent<Found>) {
        let place = event.identity.map(Place.found) ?? .settled
        guard let waiting = pending[place] else {
            pending[place] = event
            order.append(place)
            return compact()
        }
        pending[place] = merged(waiting, event)
        if pending[place] == nil { forget(place) }
    }

    /// Takes the event that has waited longest.
    public mutating func pop() -> BrowseEvent<Found>? {
        guard head < order.count else { return nil }
        let place = order[head]
        head += 1
        compact()
        return pending.removeValue(forKey: place)
    }

    /// A place without an event would surface again when it returns, at its old turn: take it out at once.
    private mutating func forget(_ place: Place) {
        if let index = order[head...].firstIndex(of: place) { order.remove(at: index) }
    }

    private mutating func compact() {
        guard head > 64, head * 2 > order.count else { return }
        order.removeFirst(head)
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
