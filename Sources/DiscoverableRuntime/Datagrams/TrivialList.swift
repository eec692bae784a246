/// A growing list of values without references, in memory of its own, that any number of readers index at the cost of a load: an
/// array that is a class's property costs each of them a count of its references.
///
/// Filled by one owner while nobody reads.
@safe struct TrivialList<Element: BitwiseCopyable>: ~Copyable {
    private var memory: UnsafeMutablePointer<Element>
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = max(1, capacity)
        unsafe memory = .allocate(capacity: self.capacity)
    }

    deinit { unsafe memory.deallocate() }

    subscript(index: Int) -> Element {
        precondition(index >= 0 && index < count, "there is no element \(index) in a list of \(count)")
        return unsafe memory[index]
    }

    mutating func append(_ element: Element) {
        if count == capacity { grow() }
        unsafe (memory + count).initialize(to: element)
        count += 1
    }

    mutating func removeAll() { count = 0 }

    mutating func removeAll(where isUnwanted: (Element) -> Bool) {
        var kept = 0
        for place in 0..<count where unsafe !isUnwanted(memory[place]) {
            unsafe memory[kept] = memory[place]
            kept += 1
        }
        count = kept
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: 2 * capacity)
        unsafe larger.moveInitialize(from: memory, count: count)
        unsafe memory.deallocate()
        unsafe memory = larger
        capacity *= 2
    }
}
