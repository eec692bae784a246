internal import CSockets
package import DiscoverableCore
internal import Glibc

/// Memory that one receive call fills with many datagrams (`recvmmsg`), and where they are read in place.
///
/// Filled by one thread while nobody else refers to it (`DatagramPool` sees to that), and not changed as long as somebody does.
@safe package final class DatagramStorage: @unchecked Sendable {  // safe because only its pool fills it
    /// How the memory is cut.
    package enum Layout: Hashable, Sendable {
        /// Many slots of `size` bytes, one datagram in each.
        case single(size: Int)
        /// A few slots of 64 KiB, in each as many datagrams as the kernel joined (`UDP_GRO`).
        case coalesced

        var slotCount: Int {
            switch self {
            case .single: 64
            case .coalesced: 8
            }
        }

        var slotSize: Int {
            switch self {
            case .single(let size): size
            case .coalesced: 65_536
            }
        }
    }

    /// Where a datagram stands.
    package struct Piece: Sendable, BitwiseCopyable {
        package let offset: Int32
        /// How many of its bytes are here.
        package let length: Int32
        /// How many it had.
        package let originalLength: Int32
        /// The message that it came with; see `arrivals`.
        package let message: Int32
    }

    /// Slots begin at different places of a page: at equal ones all their first lines would share one set of the cache.
    private static let stagger = 192

    package let layout: Layout
    private let memory: UnsafeMutableRawPointer
    private let headers: UnsafeMutablePointer<discoverable_message>
    private let vectors: UnsafeMutablePointer<iovec>
    private let names: UnsafeMutablePointer<sockaddr_in6>
    private let controls: UnsafeMutableRawPointer
    private let stride: Int

    // Read for each datagram; the class's own rule sees to it that they are not changed meanwhile.
    @exclusivity(unchecked) private var pieces: TrivialList<Piece>
    @exclusivity(unchecked) private var arrivals: TrivialList<DatagramArrival>

    package init(layout: Layout) {
        let count = layout.slotCount
        self.layout = layout
        stride = (max(layout.slotSize, 1) + Self.stagger + 63) & ~63
        // As much as is never touched costs no memory.
        unsafe memory = .allocate(byteCount: stride * count, alignment: 64)
        unsafe headers = .allocate(capacity: count)
        unsafe vectors = .allocate(capacity: count)
        unsafe names = .allocate(capacity: count)
        unsafe controls = .allocate(byteCount: Int(DISCOVERABLE_CONTROL_SIZE) * count, alignment: 16)
        unsafe pieces = TrivialList(capacity: 512)
        unsafe arrivals = TrivialList(capacity: count)
        for slot in 0..<count { prepare(slot) }
    }

    deinit {
        unsafe memory.deallocate()
        unsafe headers.deallocate()
        unsafe vectors.deallocate()
        unsafe names.deallocate()
        unsafe controls.deallocate()
    }

    private func prepare(_ slot: Int) {
        unsafe vectors[slot] = iovec(iov_base: memory + slot * stride, iov_len: layout.slotSize)
        unsafe headers[slot] = discoverable_message()
        unsafe headers[slot].header.msg_iov = vectors + slot
        unsafe headers[slot].header.msg_iovlen = 1
        unsafe headers[slot].header.msg_name = UnsafeMutableRawPointer(names + slot)
        unsafe headers[slot].header.msg_control = controls + slot * Int(DISCOVERABLE_CONTROL_SIZE)
        reset(slot)
    }

    /// What the kernel overwrites with each message.
    private func reset(_ slot: Int) {
        unsafe headers[slot].header.msg_namelen = socklen_t(MemoryLayout<sockaddr_in6>.size)
        unsafe headers[slot].header.msg_controllen = Int(DISCOVERABLE_CONTROL_SIZE)
    }

    /// How many messages there are; each holds one datagram, or several that the kernel joined.
    package var messageCount: Int { unsafe arrivals.count }

    /// How many datagrams there are, in the order of their arrival.
    package var count: Int { unsafe pieces.count }

    package func piece(at index: Int) -> Piece { unsafe pieces[index] }

    /// What came beside the message of a datagram.
    package func arrival(of piece: Piece) -> DatagramArrival { unsafe arrivals[Int(piece.message)] }

    /// The bytes of a datagram, as long as the storage lives and is not filled again.
    package func bytes(of piece: Piece) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: memory + Int(piece.offset), count: Int(piece.length))
    }

    /// Where the run ends that begins with the datagram at `index`: datagrams of one message and one length, the last perhaps shorter,
    /// whole and beside each other. At most `end`.
    package func endOfRun(from index: Int, before end: Int) -> Int {
        let first = unsafe pieces[index]
        var last = first
        var next = index + 1
        while next < end, last.length == first.length, last.length == last.originalLength {
            let piece = unsafe pieces[next]
            let isBeside = piece.message == first.message && piece.offset == last.offset + last.length
            guard isBeside, piece.length > 0, piece.length <= first.length, piece.length == piece.originalLength else {
                break
            }
            last = piece
            next += 1
        }
        return next
    }

    /// The bytes of a datagram, in an array of its own.
    package func copy(of piece: Piece) -> [UInt8] {
        unsafe Array(bytes(of: piece))
    }
}

// MARK: - Filling

extension DatagramStorage {
    /// What one receive call brought.
    package enum Filling: Sendable, Hashable {
        /// There was room for more: nothing is left to read now.
        case short
        /// All slots are full: there may be more.
        case full
        /// The call's `errno`; a pending error is taken now.
        case failed(Int32)
    }

    /// Replaces the content by what has arrived, as much as one call takes.
    ///
    /// - Parameters:
    ///   - limit: how many bytes of a datagram are kept.
    ///   - slots: how many slots are offered; the kernel looks for as many messages, and for one more than there are.
    ///   - drops: the socket's count of dropped datagrams.
    package func fill(
        from descriptor: DatagramDescriptor,
        limit: Int,
        slots: Int,
        drops: inout DropCounter
    ) -> Filling {
        for slot in 0..<(unsafe arrivals.count) { reset(slot) }
        unsafe pieces.removeAll()
        unsafe arrivals.removeAll()
        // MSG_TRUNC: the length that comes back is the datagram's, also where it was cut.
        let slots = min(slots, layout.slotCount)
        let count = unsafe discoverable_receive_messages(
            descriptor.number,
            headers,
            UInt32(slots),
            Int32(MSG_TRUNC) | Int32(MSG_DONTWAIT)
        )
        guard count >= 0 else { return .failed(errno) }
        for slot in 0..<Int(count) { take(slot, limit: limit, family: descriptor.family, drops: &drops) }
        return Int(count) < slots ? .short : .full
    }

    /// Leaves out what came for groups elsewhere than where they were joined.
    package func removeUnwanted(by groups: GroupMemberships, drops: inout DropCounter) {
        var unwanted = 0 as UInt32
        var messages: Set<Int32> = []
        for place in 0..<(unsafe arrivals.count) {
            let arrival = unsafe arrivals[place]
            let isWanted = groups.admit(
                destination: arrival.destination,
                interface: arrival.interface,
                source: arrival.source.ip
            )
            guard !isWanted else { continue }
            messages.insert(Int32(place))
            unwanted &+= arrival.droppedBefore
        }
        guard !messages.isEmpty else { return }
        unsafe pieces.removeAll { messages.contains($0.message) }
        drops.putBack(unwanted)
    }

    private func take(_ slot: Int, limit: Int, family: AddressFamily, drops: inout DropCounter) {
        var beside = discoverable_arrival()
        unsafe discoverable_read_control(&headers[slot].header, &beside)
        // A datagram always has a source; one of no family of ours cannot come from such a socket.
        let source = unsafe SocketAddress(systemBytes: names + slot) ?? SocketAddress(.v4(.any), port: 0)
        let message = Int32(slot)
        unsafe arrivals.append(DatagramArrival(beside, source: source, family: family, drops: &drops))
        let total = unsafe Int(headers[slot].length)
        let segment = beside.segment > 0 ? Int(beside.segment) : total
        let start = slot * stride
        var place = 0
        repeat {
            let original = min(segment, total - place)
            let kept = max(0, min(original, limit, layout.slotSize - place))
            unsafe pieces.append(
                Piece(
                    offset: Int32(start + place),
                    length: Int32(kept),
                    originalLength: Int32(original),
                    message: message
                )
            )
            place += segment
        } while place < total
    }
}
