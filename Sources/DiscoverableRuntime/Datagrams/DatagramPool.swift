internal import DiscoverableCore

/// The memory that the sockets of one loop share: what a receive call fills, and what holds the datagrams that wait to leave.
@safe package struct DatagramPool: ~Copyable {
    /// How many storages are kept: one is in use at a time, unless consumers hold on to what they received.
    private static let storageLimit = 8
    private static let blockLimit = 64

    private var storages: [DatagramStorage] = []
    private var blocks: [UnsafeMutableRawPointer] = unsafe []
    package let scratch = SendScratch()

    package init() {}

    deinit {
        for index in unsafe blocks.indices { unsafe blocks[index].deallocate() }
    }

    /// A storage that nobody refers to. It may be used again when the last reference to it has gone.
    package mutating func storage(_ layout: DatagramStorage.Layout) -> DatagramStorage {
        // Mostly the first one is it: few layouts are in use, and what was handed out last has come back.
        for place in storages.indices where storages[place].layout == layout {
            if isKnownUniquelyReferenced(&storages[place]) { return storages[place] }
        }
        let storage = DatagramStorage(layout: layout)
        keep(storage)
        return storage
    }

    private mutating func keep(_ storage: DatagramStorage) {
        if storages.count < Self.storageLimit { return storages.append(storage) }
        // One of another layout that nobody uses now makes place.
        for place in storages.indices where storages[place].layout != storage.layout {
            if isKnownUniquelyReferenced(&storages[place]) { return storages[place] = storage }
        }
    }

    /// Memory of `SendBuffer.blockSize` bytes, for a send buffer.
    mutating func takeBlock() -> UnsafeMutableRawPointer {
        unsafe blocks.popLast() ?? .allocate(byteCount: SendBuffer.blockSize, alignment: 64)
    }

    /// Takes back the memory of a send buffer.
    mutating func giveBack(_ memory: UnsafeMutableRawPointer, byteCount: Int) {
        if byteCount == SendBuffer.blockSize, unsafe blocks.count < Self.blockLimit {
            unsafe blocks.append(memory)
        } else {
            unsafe memory.deallocate()
        }
    }
}
