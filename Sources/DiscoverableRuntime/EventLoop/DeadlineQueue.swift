internal import DiscoverableCore

/// What is to run at which time: a binary heap of deadlines, and what to run beside it by id.
///
/// Cancelling removes the body at once, so that nothing it captures lives on; its deadline stays in the heap until it is
/// due or until such leftovers are the majority.
struct DeadlineQueue {
    typealias Body = @Sendable () -> Void

    private struct Entry {
        let deadline: Instant
        /// Rises, so that equal deadlines run in the order in which they were asked for.
        let id: UInt64

        func isBefore(_ other: Entry) -> Bool { (deadline, id) < (other.deadline, other.id) }
    }

    private var heap: [Entry] = []
    private var bodies: [UInt64: Body] = [:]
    private var lastID: UInt64 = 0

    /// How many bodies wait.
    var count: Int { bodies.count }

    /// Adds a body; returns the id with which it can be cancelled.
    mutating func insert(_ body: @escaping Body, at deadline: Instant) -> UInt64 {
        lastID += 1
        bodies[lastID] = body
        heap.append(Entry(deadline: deadline, id: lastID))
        siftUp(from: heap.count - 1)
        return lastID
    }

    /// Removes a body. Returns it, so that the caller can release it where that is safe; nil if it has run or was cancelled.
    mutating func cancel(_ id: UInt64) -> Body? {
        let body = bodies.removeValue(forKey: id)
        if heap.count > 64, heap.count > 2 * bodies.count { dropLeftovers() }
        return body
    }

    /// The earliest deadline of a body that still waits.
    mutating func earliest() -> Instant? {
        while let first = heap.first {
            if bodies[first.id] != nil { return first.deadline }
            removeFirst()
        }
        return nil
    }

    /// Takes the earliest body if it is due.
    mutating func popDue(at now: Instant) -> Body? {
        guard let deadline = earliest(), deadline <= now else { return nil }
        let body = bodies.removeValue(forKey: heap[0].id)
        removeFirst()
        return body
    }

    private mutating func dropLeftovers() {
        heap = heap.filter { bodies[$0.id] != nil }.sorted { $0.isBefore($1) }
    }

    private mutating func removeFirst() {
        let last = heap.removeLast()
        guard !heap.isEmpty else { return }
        heap[0] = last
        siftDown()
    }

    private mutating func siftUp(from start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].isBefore(heap[parent]) else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func siftDown() {
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if heap[child].isBefore(heap[least]) { least = child }
            }
            guard least != parent else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
