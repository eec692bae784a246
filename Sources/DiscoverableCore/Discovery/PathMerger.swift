/// Turns the daemon's events, one for each interface × family, into events of one logical thing each, and carries the
/// list over a restart of the daemon.
///
/// Its driver calls one verb for each event of a browser, `connectionLost` when the browser died with its
/// connection, and `deadlineReached` when `nextDeadline` has passed; what a verb returns goes to all consumers. One that
/// comes later is told `story` first.
public struct PathMerger<Found: Browsed>: Sendable {
    /// How sure we are of a path.
    private enum Standing {
        /// The browser of the present connection told it.
        case confirmed
        /// A browser before this connection told it; becomes `confirmed`, or is removed by the review.
        case unconfirmed
    }

    private struct Known {
        let path: ServicePath
        var flags: SightingFlags
        var standing: Standing
    }

    private struct Entry {
        /// As it was spelt when it was first seen.
        let identity: Found.Identity
        /// Sorted by path. Mostly one to four, which makes looking through them cheaper than a dictionary.
        var places: [Known] = []
        /// Where a configuration names it.
        var configuration: Standing?

        var isGone: Bool { places.isEmpty && configuration == nil }
        var isInDoubt: Bool { configuration == .unconfirmed || places.contains { $0.standing == .unconfirmed } }

        /// The same, with nobody who confirms it.
        var inDoubt: Entry {
            var entry = self
            entry.configuration = configuration.map { _ in .unconfirmed }
            for index in places.indices { entry.places[index].standing = .unconfirmed }
            return entry
        }

        var found: Found {
            let places = self.places.lazy.map { (path: $0.path, flags: $0.flags) }
            let sightings = Sightings(sorted: places, isConfigured: configuration != nil)
            return Found(identity: identity, sightings: sightings)
        }
    }

    /// A responder keeps silent about an answer that it multicast less than half a second ago, and a daemon asks again
    /// after 1, 2 and 4 seconds: what is there has told so within this time after the first list is complete.
    public static var reviewDelay: Duration { .seconds(5) }

    private var entries: [Found.Identity: Entry] = [:]
    private var hasSettled = false

    /// When the paths that nobody confirmed since the last reconnection are given up; nil where there is nothing to review.
    public private(set) var nextDeadline: Instant?

    /// A merger that knows of nothing.
    public init() {}

    /// What a consumer is told who comes now: all that is there as `added`, in order, and `settled` where that is so.
    public var story: [BrowseEvent<Found>] {
        let additions = inOrder.map { BrowseEvent.added($0.found) }
        return hasSettled ? additions + [.settled] : additions
    }

    /// The daemon saw something on a path. Told again of what is known, it may have other flags: these are kept for whoever
    /// comes later, and are no news.
    public mutating func appeared(_ sighting: Sighting<Found.Identity>) -> BrowseEvent<Found>? {
        let known = Known(path: sighting.path, flags: sighting.flags, standing: .confirmed)
        return change(sighting.identity) { entry in
            let index = entry.places.firstIndex { $0.path >= sighting.path } ?? entry.places.endIndex
            guard index < entry.places.endIndex, entry.places[index].path == sighting.path else {
                entry.places.insert(known, at: index)
                return true
            }
            entry.places[index] = known
            return false
        }
    }

    /// A configuration names it: it is there without being seen.
    public mutating func configured(_ identity: Found.Identity) -> BrowseEvent<Found>? {
        change(identity) { entry in
            defer { entry.configuration = .confirmed }
            return entry.configuration == nil
        }
    }

    /// The daemon lost something on a path, by a goodbye or because its records expired.
    public mutating func vanished(_ sighting: Sighting<Found.Identity>) -> BrowseEvent<Found>? {
        change(sighting.identity) { entry in
            guard let index = entry.places.firstIndex(where: { $0.path == sighting.path }) else { return false }
            entry.places.remove(at: index)
            return true
        }
    }

    /// The daemon has told what is on the network now.
    public mutating func allForNow(now: Instant) -> BrowseEvent<Found>? {
        if entries.values.contains(where: \.isInDoubt) { nextDeadline = now.advanced(by: Self.reviewDelay) }
        if hasSettled { return nil }
        hasSettled = true
        return .settled
    }

    /// The browser is gone with its connection: nothing is believed lost for that, everything waits to be confirmed.
    public mutating func connectionLost() {
        nextDeadline = nil
        entries = entries.mapValues(\.inDoubt)
    }

    /// The interface that was browsed on is gone, or another one has its name: nothing is seen there any more.
    public mutating func interfaceLost() -> [BrowseEvent<Found>] {
        nextDeadline = nil
        return inOrder.compactMap { entry in
            change(entry.identity) { entry in
                defer { entry.places = [] }
                return !entry.places.isEmpty
            }
        }
    }

    /// Removes what no daemon has confirmed in time.
    public mutating func deadlineReached(now: Instant) -> [BrowseEvent<Found>] {
        guard let deadline = nextDeadline, deadline <= now else { return [] }
        nextDeadline = nil
        return inOrder.compactMap { entry in
            change(entry.identity) { entry in
                let wasInDoubt = entry.isInDoubt
                if entry.configuration == .unconfirmed { entry.configuration = nil }
                entry.places.removeAll { $0.standing == .unconfirmed }
                return wasInDoubt
            }
        }
    }

    private var inOrder: [Entry] { entries.values.sorted { $0.identity < $1.identity } }

    /// Changes one thing; `body` says whether that is news.
    private mutating func change(_ identity: Found.Identity, _ body: (inout Entry) -> Bool) -> BrowseEvent<Found>? {
        let known = entries[identity]
        var entry = known ?? Entry(identity: identity)
        let isNews = body(&entry)
        entries[identity] = entry.isGone ? nil : entry
        guard isNews else { return nil }
        if entry.isGone { return .removed(entry.found) }
        return known == nil ? .added(entry.found) : .updated(entry.found)
    }
}
