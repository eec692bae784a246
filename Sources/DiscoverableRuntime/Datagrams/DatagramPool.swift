internal import DiscoverableCore

/// The memory that the sockets of one loop share: what a receive call fills, and what holds the datagrams that wait to leave.
/// Only the loop's thread takes from it.
package struct DatagramPool: ~Copyable {
    /// How many storages of one layout are kept: one is in use at a time, unless consumers hold on to what they received.
    private static let storageLimit = 8
    private static let bufferLimit = 64

    private var storages: [DatagramStorage.Layout: [DatagramStorage]] = [:]
    private var buffers: [SendBuffer] = []
    package let scratch = SendScratch()

    package init() {}

    /// A storage that nobody refers to. It may be used again when the last reference to it has gone.
    package mutating func storage(_ layout: DatagramStorage.Layout) -> DatagramStorage {
        var count = 0
        if let index = storages.index(forKey: layout) {
            count = storages.values[index].count
            for place in 0..<count where isKnownUniquelyReferenced(&storages.values[index][place]) {
                return storages.values[index][place]
            }
        }
        let storage = DatagramStorage(layout: layout)
        if count < Self.storageLimit { storages[layout, default: []].append(storage) }
        return storage
    }

    package mutating func takeBuffer() -> SendBuffer { buffers.popLast() ?? SendBuffer() }

    package mutating func giveBack(_ buffer: SendBuffer) {
        buffer.removeAll()
        if buffers.count < Self.bufferLimit { buffers.append(buffer) }
    }
}
