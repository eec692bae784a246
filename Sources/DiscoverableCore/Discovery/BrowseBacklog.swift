/// What a consumer of a browse has not taken yet: at most one event a service, whatever happened meanwhile.
///
/// A service that came and went while the consumer slept leaves nothing; one that went and came back is an update.
public struct BrowseBacklog: Backlog {
    private enum Place: Hashable {
        case service(ServiceInstance)
        case settled
    }

    private var pending: [Place: BrowseEvent] = [:]
    /// The order in which services first had something to tell. A place without an event in `pending` is stale.
    private var order: [Place] = []
    private var head = 0

    /// An empty backlog.
    public init() {}

    /// How many events wait.
    public var count: Int { pending.count }

    public mutating func push(_ event: BrowseEvent) {
        let place = event.instance.map(Place.service) ?? .settled
        guard let waiting = pending[place] else {
            pending[place] = event
            order.append(place)
            return compact()
        }
        pending[place] = merged(waiting, event)
        if pending[place] == nil { forget(place) }
    }

    public mutating func pop() -> BrowseEvent? {
        guard head < order.count else { return nil }
        let place = order[head]
        head += 1
        compact()
        return pending.removeValue(forKey: place)
    }

    /// A place without an event would surface again when its service returns, at its old turn: take it out at once.
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
    fileprivate var instance: ServiceInstance? {
        switch self {
        case .added(let service), .updated(let service), .removed(let service): service.instance
        case .settled: nil
        }
    }
}

/// One event that tells a consumer who has seen neither what both tell; nil where together they tell nothing.
private func merged(_ first: BrowseEvent, _ second: BrowseEvent) -> BrowseEvent? {
    switch (first, second) {
    case (.added, .removed): nil
    case (.added, .added(let service)), (.added, .updated(let service)): .added(service)
    case (.updated, .added(let service)), (.updated, .updated(let service)): .updated(service)
    case (.removed, .added(let service)), (.removed, .updated(let service)): .updated(service)
    case (.updated, .removed), (.removed, .removed): second
    case (.settled, _), (_, .settled): second
    }
}
