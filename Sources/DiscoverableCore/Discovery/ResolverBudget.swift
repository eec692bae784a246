/// Lets as many one-shot resolvers run at once as the daemon allows, and the others wait their turn, so that a resolve
/// never fails for want of an object. What the daemon allows is learnt from its refusals.
public struct ResolverBudget<ID: Hashable & Sendable>: Sendable {
    /// Far under Avahi's default of 1,024 objects a client, which browsers and publications need too; more at once resolve
    /// no faster.
    public static var initialLimit: Int { 256 }

    /// How long to wait after a refusal that nothing of ours can end.
    public static var pause: Duration { .milliseconds(250) }

    private var active: Set<ID> = []
    private var waiting: [ID] = []
    private var limit = ResolverBudget.initialLimit

    /// When to ask `next` again although nothing of ours has ended; nil where no such pause is under way.
    public private(set) var nextDeadline: Instant?

    /// How many run at present, each of which holds an object of the daemon that it will give back.
    public var activeCount: Int { active.count }

    /// A budget that nothing uses.
    public init() {}

    /// A resolve wants to run; `next` says when.
    public mutating func enqueue(_ id: ID) {
        waiting.append(id)
    }

    /// The next resolve that may run now, if any; called until nil.
    public mutating func next(now: Instant) -> ID? {
        if let deadline = nextDeadline {
            if deadline > now { return nil }
            nextDeadline = nil
        }
        guard active.count < limit, !waiting.isEmpty else { return nil }
        let id = waiting.removeFirst()
        active.insert(id)
        return id
    }

    /// The daemon refused this one: it waits at the head, and no more run at once than did.
    public mutating func refused(_ id: ID, now: Instant) {
        guard active.remove(id) != nil else { return }
        waiting.insert(id, at: 0)
        limit = max(1, active.count)
        if active.isEmpty { nextDeadline = now.advanced(by: Self.pause) }
    }

    /// The daemon could not take this one for now: it waits at the head, and nobody is asked for until the pause is over.
    public mutating func postpone(_ id: ID, now: Instant) {
        guard active.remove(id) != nil else { return }
        waiting.insert(id, at: 0)
        nextDeadline = now.advanced(by: Self.pause)
    }

    /// This one has had its turn without a result: where others wait, it goes behind them. Returns whether it did.
    public mutating func yield(_ id: ID) -> Bool {
        guard !waiting.isEmpty, active.remove(id) != nil else { return false }
        waiting.append(id)
        return true
    }

    /// This one is done or was given up, running or waiting.
    public mutating func end(_ id: ID) {
        if active.remove(id) != nil {
            limit = min(limit + 1, Self.initialLimit)
        } else {
            waiting.removeAll { $0 == id }
        }
    }

    /// The connection is gone: what ran waits again, before the others.
    public mutating func connectionLost() {
        waiting = active + waiting
        active = []
        limit = Self.initialLimit
        nextDeadline = nil
    }
}
