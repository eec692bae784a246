public import DiscoverableCore
internal import DiscoverableRuntime

/// Datagrams that have arrived together, read in place: in the memory that the kernel wrote them to.
///
/// As a collection it gives each datagram as a value with bytes of its own; `withBytes` lends the bytes where they stand.
///
/// - Important: A batch keeps its memory, up to some megabytes, from being used again. Whoever wants to keep datagrams for long
///   keeps those, not the batch.
public struct DatagramBatch: Sendable, RandomAccessCollection {
    /// A datagram's place in the batch; the first one's is 0.
    public typealias Index = Int

    private let storage: DatagramStorage
    private let first: Int
    /// How many datagrams there are.
    public let count: Int

    init(_ storage: DatagramStorage) {
        self.init(storage, first: 0, count: storage.count)
    }

    private init(_ storage: DatagramStorage, first: Int, count: Int) {
        self.storage = storage
        self.first = first
        self.count = count
    }

    /// Always 0.
    public var startIndex: Int { 0 }
    /// The same as `count`.
    public var endIndex: Int { count }

    /// A datagram, with a copy of its bytes.
    public subscript(index: Int) -> Datagram {
        Datagram(bytes: storage.copy(of: piece(at: index)), header: header(at: index))
    }

    /// Where a datagram came from.
    public func source(at index: Int) -> SocketAddress { storage.arrival(of: piece(at: index)).source }

    /// Everything about a datagram but its content.
    public func header(at index: Int) -> DatagramHeader {
        let piece = piece(at: index)
        return DatagramHeader(
            storage.arrival(of: piece),
            length: Int(piece.originalLength),
            isFirst: isFirst(index, piece)
        )
    }

    /// Lends the bytes of a datagram, without copying.
    public func withBytes<Result, Failure: Error>(
        at index: Int,
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let bytes = unsafe storage.bytes(of: piece(at: index))
        return try unsafe body(Span(_unsafeElements: bytes.assumingMemoryBound(to: UInt8.self)))
    }

    /// Lends the bytes and the source of each datagram in turn, without copying: the fastest way to read.
    public func forEachInPlace<Failure: Error>(
        _ body: (_ bytes: Span<UInt8>, _ source: SocketAddress) throws(Failure) -> Void
    ) throws(Failure) {
        var message: Int32?
        var source = SocketAddress(.v4(.any), port: 0)
        for index in 0..<count {
            let piece = piece(at: index)
            // Those that the kernel joined have one source.
            if piece.message != message { source = storage.arrival(of: piece).source }
            message = piece.message
            let bytes = unsafe storage.bytes(of: piece).assumingMemoryBound(to: UInt8.self)
            try unsafe body(Span(_unsafeElements: bytes), source)
        }
    }

    /// Lends the datagrams run by run, without copying: those that the kernel has joined, of one source and one length, stand one behind
    /// the other. For whoever forwards or stores them as they are: `UDPSocket.enqueue` with a `segmentLength` sends a run on.
    ///
    /// - Parameter body: is given the bytes of one or more datagrams, the length of each (the last may be shorter), and the source.
    public func forEachRunInPlace<Failure: Error>(
        _ body: (_ bytes: Span<UInt8>, _ segmentLength: Int, _ source: SocketAddress) throws(Failure) -> Void
    ) throws(Failure) {
        var index = 0
        while index < count {
            let end = storage.endOfRun(from: first + index, before: first + count) - first
            let (piece, last) = (piece(at: index), piece(at: end - 1))
            let source = storage.arrival(of: piece).source
            let length = Int(last.offset - piece.offset + last.length)
            let start = unsafe storage.bytes(of: piece).baseAddress
            let bytes = unsafe UnsafeRawBufferPointer(start: start, count: length).assumingMemoryBound(to: UInt8.self)
            try unsafe body(Span(_unsafeElements: bytes), Int(piece.length), source)
            index = end
        }
    }

    /// At most `limit` datagrams from the beginning.
    public func prefix(_ limit: Int) -> DatagramBatch {
        DatagramBatch(storage, first: first, count: Swift.max(0, Swift.min(limit, count)))
    }

    /// What is left without the first `number` datagrams.
    public func dropFirst(_ number: Int = 1) -> DatagramBatch {
        let dropped = Swift.max(0, Swift.min(number, count))
        return DatagramBatch(storage, first: first + dropped, count: count - dropped)
    }

    private func piece(at index: Int) -> DatagramStorage.Piece {
        precondition(index >= 0 && index < count, "there is no datagram \(index) in a batch of \(count)")
        return storage.piece(at: first + index)
    }

    /// Whether the datagram is its message's first: what was dropped before the message is told once.
    private func isFirst(_ index: Int, _ piece: DatagramStorage.Piece) -> Bool {
        first + index == 0 || storage.piece(at: first + index - 1).message != piece.message
    }
}
