/// Turns the daemon's events, one for each interface × family, into events of one logical thing each, and carries the
/// list over a restart of the daemon.
///
/// Its driver calls one verb for each event of a browser, `connectionLost` when the browser died with its
/// connection, and `deadlineReached` when `nextDeadline` has passed; what a verb returns goes to the consumer.
public struct PathMerger<Found: Browsed>: Sendable {
    /// How sure we are of a path.
    private enum Standing {
        /// The browser of the present connection told it.
        case confirmed
        /// A browser before this connection told it; becomes `confirmed`, or is removed by the review.
        case unconfirmed
    }

    private struct Entry {
        /// As it was spelt when it was first seen.
        let identity: Found.Identity
        var paths: [ServicePath: Standing]

        var found: Found { Found(identity: identity, paths: paths.keys.sorted()) }
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

    /// The daemon saw something on a path.
    public mutating func appeared(_ sighting: Sighting<Found.Identity>) -> BrowseEvent<Found>? {
        guard var entry = entries[sighting.identity] else {
            let entry = Entry(identity: sighting.identity, paths: [sighting.path: .confirmed])
            entries[sighting.identity] = entry
            return .added(entry.found)
        }
        let isNew = entry.paths.updateValue(.confirmed, forKey: sighting.path) == nil
        entries[sighting.identity] = entry
        return isNew ? .updated(entry.found) : nil
    }

    /// The daemon lost something on a path, by a goodbye or because its records expired.
    public mutating func vanished(_ sighting: Sighting<Found.Identity>) -> BrowseEvent<Found>? {
        remove([sighting.path], of: sighting.identity)
    }

    /// The daemon has told what is on the network now.
    public mutating func allForNow(now: Instant) -> BrowseEvent<Found>? {
        if entries.values.contains(where: { $0.paths.values.contains(.unconfirmed) }) {
            nextDeadline = now.advanced(by: Self.reviewDelay)
        }
        if hasSettled { return nil }
        hasSettled = true
        return .settled
    }

    /// The browser is gone with its connection: nothing is believed lost for that, everything waits to be confirmed.
    public mutating func connectionLost() {
        nextDeadline = nil
        entries = entries.mapValues { entry in
            Entry(identity: entry.identity, paths: entry.paths.mapValues { _ in .unconfirmed })
        }
    }

    /// Removes what no daemon has confirmed in time.
    public mutating func deadlineReached(now: Instant) -> [BrowseEvent<Found>] {
        guard let deadline = nextDeadline, deadline <= now else { return [] }
        nextDeadline = nil
        return entries.values.sorted { $0.identity < $1.identity }.compactMap { entry in
            remove(entry.paths.filter { $0.value == .unconfirmed }.map(\.key), of: entry.identity)
        }
    }

    private mutating func remove(_ paths: [ServicePath], of identity: Found.Identity) -> BrowseEvent<Found>? {
        guard var entry = entries[identity] else { return nil }
        let before = entry.paths.count
        for path in paths { entry.paths[path] = nil }
        if entry.paths.count == before { return nil }
        entries[identity] = entry.paths.isEmpty ? nil : entry
        return entry.paths.isEmpty ? .removed(entry.found) : .updated(entry.found)
    }
}
