/// The handlers of the descriptors that a loop watches, by ids that are never used twice.
///
/// An id is a place in the table together with the place's count, which changes whenever the place is taken or left:
/// looking one up is reading an array. Zero is never an id.
struct RegistrationTable {
    private struct Handler {
        weak var weakly: (any ReadinessHandler)?
        var strongly: (any ReadinessHandler)?

        /// Mutating, so that it is read where it is: copying a weak reference costs more than reading it.
        mutating func load() -> (any ReadinessHandler)? { strongly ?? weakly }
    }

    /// Odd while the place is taken.
    private var counts: [UInt32] = []
    private var handlers: [Handler] = []
    private var free: [UInt32] = []

    /// Adds a handler, which is referred to weakly or held.
    mutating func insert(_ handler: any ReadinessHandler, isHeld: Bool) -> UInt64 {
        let index = free.popLast() ?? appendPlace()
        counts[Int(index)] += 1
        handlers[Int(index)] = isHeld ? Handler(strongly: handler) : Handler(weakly: handler)
        return UInt64(counts[Int(index)]) << 32 | UInt64(index)
    }

    /// Removes a handler; nothing happens where it was removed before. Returns one that was held, so that the caller can
    /// release it where that is safe.
    mutating func remove(_ id: UInt64) -> (any ReadinessHandler)? {
        guard let index = index(of: id) else { return nil }
        let held = handlers[index].strongly
        handlers[index] = Handler()
        counts[index] &+= 1
        // A place whose count is used up is given out no more.
        if counts[index] != 0 { free.append(UInt32(index)) }
        return held
    }

    /// Whether the handler was added and not removed; it may have gone by itself.
    func contains(_ id: UInt64) -> Bool { index(of: id) != nil }

    /// The handler, while it lives.
    mutating func handler(of id: UInt64) -> (any ReadinessHandler)? {
        guard let index = index(of: id) else { return nil }
        return handlers[index].load()
    }

    private func index(of id: UInt64) -> Int? {
        let index = Int(id & 0xFFFF_FFFF)
        guard index < counts.count, UInt64(counts[index]) == id >> 32, counts[index] % 2 == 1 else { return nil }
        return index
    }

    private mutating func appendPlace() -> UInt32 {
        counts.append(0)
        handlers.append(Handler())
        return UInt32(counts.count - 1)
    }
}
