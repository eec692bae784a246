/// The handlers of the descriptors that a loop watches, by ids that are never used twice.
///
/// An id is a place in the table together with the number of times that the place was given out: looking one up is reading
/// an array. Zero is never one.
struct RegistrationTable {
    private struct Place {
        var uses: UInt32 = 0
        var isTaken = false
        weak var handler: (any ReadinessHandler)?
    }

    private var places: [Place] = []
    private var free: [UInt32] = []

    /// Adds a handler, which is referred to weakly.
    mutating func insert(_ handler: any ReadinessHandler) -> UInt64 {
        let index = free.popLast() ?? appendPlace()
        places[Int(index)].uses += 1
        places[Int(index)].isTaken = true
        places[Int(index)].handler = handler
        return UInt64(places[Int(index)].uses) << 32 | UInt64(index)
    }

    /// Removes a handler; nothing happens where it was removed before.
    mutating func remove(_ id: UInt64) {
        guard let index = index(of: id) else { return }
        places[index].isTaken = false
        places[index].handler = nil
        // A place whose count is used up is given out no more.
        if places[index].uses < .max { free.append(UInt32(index)) }
    }

    /// Whether the handler was added and not removed; it may have gone by itself.
    func contains(_ id: UInt64) -> Bool { index(of: id) != nil }

    /// The handler, while it lives.
    func handler(of id: UInt64) -> (any ReadinessHandler)? {
        guard let index = index(of: id) else { return nil }
        return places[index].handler
    }

    private func index(of id: UInt64) -> Int? {
        let index = Int(id & 0xFFFF_FFFF)
        guard index < places.count, places[index].isTaken, UInt64(places[index].uses) == id >> 32 else { return nil }
        return index
    }

    private mutating func appendPlace() -> UInt32 {
        places.append(Place())
        return UInt32(places.count - 1)
    }
}
