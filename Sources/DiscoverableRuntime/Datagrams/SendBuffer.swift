internal import Glibc

/// The bytes of the datagrams that wait to leave, one behind the other, in memory that the sockets of a loop share: a buffer that
/// holds nothing has none.
@safe package struct SendBuffer: ~Copyable {
    /// The size of the memory that is shared.
    static let blockSize = 64 * 1024

    private var memory: UnsafeMutableRawPointer?
    private var capacity = 0
    private var end = 0

    package init() {}

    deinit { unsafe memory?.deallocate() }

    /// How many bytes it has, those in front that are no longer needed included.
    package var count: Int { end }

    /// Where the bytes begin, until the next change; nil where nothing was added.
    package var start: UnsafeMutableRawPointer? { unsafe memory }

    /// Adds bytes where there is room for them; returns where they begin.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard let memory = unsafe memory, end + bytes.count <= capacity else { return nil }
        let offset = end
        if let source = bytes.baseAddress { unsafe (memory + offset).copyMemory(from: source, byteCount: bytes.count) }
        end += bytes.count
        return offset
    }

    /// Makes room for so many bytes more.
    package mutating func reserve(_ count: Int, memoryOf pool: inout DatagramPool) {
        grow(to: end + count, pool: &pool)
    }

    /// Forgets the first `count` bytes: those behind move to the front.
    package mutating func removeFirst(_ count: Int) {
        guard let memory = unsafe memory else { return }
        unsafe memmove(memory, memory + count, end - count)
        end -= count
    }

    /// Forgets all bytes and returns the memory.
    package mutating func removeAll(memoryTo pool: inout DatagramPool) {
        if let memory = unsafe memory.take() { unsafe pool.giveBack(memory, byteCount: capacity) }
        capacity = 0
        end = 0
    }

    private mutating func grow(to count: Int, pool: inout DatagramPool) {
        let size = max(Self.blockSize, count, 2 * capacity)
        let larger = size == Self.blockSize ? unsafe pool.takeBlock() : .allocate(byteCount: size, alignment: 64)
        if let memory = unsafe memory {
            unsafe larger.copyMemory(from: memory, byteCount: end)
            unsafe pool.giveBack(memory, byteCount: capacity)
        }
        unsafe memory = larger
        capacity = size
    }
}
