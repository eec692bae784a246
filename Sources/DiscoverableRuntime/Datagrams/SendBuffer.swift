internal import CSockets
internal import Glibc

/// The bytes of the datagrams that wait to leave, one behind the other. Confined to its owner.
@safe package final class SendBuffer {
    private static let initialCapacity = 64 * 1024
    /// A buffer that has grown beyond this is cut back when it is empty.
    private static let keptCapacity = 1024 * 1024

    private var memory: UnsafeMutableRawPointer
    private var capacity = initialCapacity
    private var end = 0

    package init() {
        unsafe memory = .allocate(byteCount: Self.initialCapacity, alignment: 64)
    }

    deinit { unsafe memory.deallocate() }

    /// Where the bytes begin, until the next change.
    package var start: UnsafeMutableRawPointer { unsafe memory }

    /// Adds bytes; returns where they begin.
    package func append(_ bytes: UnsafeRawBufferPointer) -> Int {
        let offset = end
        if end + bytes.count > capacity { grow(to: end + bytes.count) }
        if let source = bytes.baseAddress {
            unsafe (memory + offset).copyMemory(from: source, byteCount: bytes.count)
        }
        end += bytes.count
        return offset
    }

    /// Forgets the first `count` bytes: those behind move to the front.
    package func removeFirst(_ count: Int) {
        unsafe memmove(memory, memory + count, end - count)
        end -= count
    }

    package func removeAll() {
        end = 0
        guard capacity > Self.keptCapacity else { return }
        replaceMemory(byteCount: Self.initialCapacity)
    }

    private func grow(to count: Int) { replaceMemory(byteCount: max(count, 2 * capacity)) }

    private func replaceMemory(byteCount: Int) {
        let larger = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 64)
        unsafe larger.copyMemory(from: memory, byteCount: end)
        unsafe memory.deallocate()
        unsafe memory = larger
        capacity = byteCount
    }
}
