/// When something is to be done next, by key. Asking for the earliest costs nothing as long as only others change: it is looked
/// for again after it was put off or taken out.
public struct DeadlineTable<Key: Hashable & Sendable>: Sendable {
    private enum Earliest {
        case known(Instant?)
        /// Becomes `known` when somebody asks.
        case unknown
    }

    private var deadlines: [Key: Instant] = [:]
    private var found = Earliest.known(nil)

    /// A table without deadlines.
    public init() {}

    /// When the thing with this key is due; nil for never.
    public subscript(key: Key) -> Instant? {
        get { deadlines[key] }
        set {
            let old = deadlines[key]
            if old == newValue { return }
            deadlines[key] = newValue
            guard case .known(let earliest) = found else { return }
            if let newValue, earliest.map({ newValue <= $0 }) ?? true {
                found = .known(newValue)
            } else if old == earliest {
                found = .unknown
            }
        }
    }

    /// When the first thing is due; nil where none is.
    public mutating func earliest() -> Instant? {
        switch found {
        case .known(let earliest): return earliest
        case .unknown:
            let earliest = deadlines.values.min()
            found = .known(earliest)
            return earliest
        }
    }

    /// What is due, each with a deadline that stays until it is changed.
    public mutating func due(at now: Instant) -> [Key] {
        guard let earliest = earliest(), earliest <= now else { return [] }
        return deadlines.filter { $0.value <= now }.map(\.key)
    }
}
