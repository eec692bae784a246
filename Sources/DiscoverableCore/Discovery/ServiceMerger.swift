/// Turns the daemon's events, one for each interface × family, into events of one logical service each, and carries the
/// list over a restart of the daemon.
///
/// Its driver calls one verb for each event of a service browser, `connectionLost` when the browser died with its
/// connection, and `deadlineReached` when `nextDeadline` has passed; what a verb returns goes to the consumer.
public struct ServiceMerger: Sendable {
    /// How sure we are of a path.
    private enum Standing {
        /// The browser of the present connection told it.
        case confirmed
        /// A browser before this connection told it; becomes `confirmed`, or is removed by the review.
        case unconfirmed
    }

    private struct Entry {
        let instance: ServiceInstance
        var paths: [ServicePath: Standing]

        var service: BrowsedService { BrowsedService(instance: instance, paths: paths.keys.sorted()) }
    }

    /// A responder keeps silent about an answer that it multicast less than half a second ago, and a daemon asks again
    /// after 1, 2 and 4 seconds: what is there has told so within this time after the first list is complete.
    public static let reviewDelay = Duration.seconds(5)

    private var entries: [ServiceInstance: Entry] = [:]
    private var hasSettled = false

    /// When the paths that nobody confirmed since the last reconnection are given up; nil where there is nothing to review.
    public private(set) var nextDeadline: Instant?

    /// A merger that knows of no service.
    public init() {}

    /// The daemon saw a service on a path.
    public mutating func pathAppeared(_ path: ServicePath, of instance: ServiceInstance) -> BrowseEvent? {
        guard var entry = entries[instance] else {
            let entry = Entry(instance: instance, paths: [path: .confirmed])
            entries[instance] = entry
            return .added(entry.service)
        }
        let isNew = entry.paths.updateValue(.confirmed, forKey: path) == nil
        entries[instance] = entry
        return isNew ? .updated(entry.service) : nil
    }

    /// The daemon lost a service on a path, by a goodbye or because its records expired.
    public mutating func pathVanished(_ path: ServicePath, of instance: ServiceInstance) -> BrowseEvent? {
        remove([path], of: instance)
    }

    /// The daemon has told what is on the network now.
    public mutating func allForNow(now: Instant) -> BrowseEvent? {
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
            Entry(instance: entry.instance, paths: entry.paths.mapValues { _ in .unconfirmed })
        }
    }

    /// Removes what no daemon has confirmed in time.
    public mutating func deadlineReached(now: Instant) -> [BrowseEvent] {
        guard let deadline = nextDeadline, deadline <= now else { return [] }
        nextDeadline = nil
        return entries.values.sorted { $0.instance < $1.instance }.compactMap { entry in
            remove(entry.paths.filter { $0.value == .unconfirmed }.map(\.key), of: entry.instance)
        }
    }

    private mutating func remove(_ paths: [ServicePath], of instance: ServiceInstance) -> BrowseEvent? {
        guard var entry = entries[instance] else { return nil }
        let before = entry.paths.count
        for path in paths { entry.paths[path] = nil }
        if entry.paths.count == before { return nil }
        entries[instance] = entry.paths.isEmpty ? nil : entry
        return entry.paths.isEmpty ? .removed(entry.service) : .updated(entry.service)
    }
}
