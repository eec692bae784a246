@_spi(Package) internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime
internal import Foundation
internal import Synchronization

/// Where the app sends to.
enum GCDDestination: Sendable {
    case peer
    case address(SocketAddress)
    case host(String, UInt16)
    case invalid
}

/// What belongs to one call of the app's, while it waits.
struct GCDPacket: Sendable {
    let purpose: GCDSendQueue.Purpose
    let data: Data
    let destination: GCDDestination
    let timeout: TimeInterval
    let tag: Int
    /// Why its host has no address.
    var failure: (any Error)?
}

/// What the app has just sent, in order, until somebody takes it on.
struct GCDInbox: Sendable {
    var packets: [GCDPacket] = []
    /// Whether a block that takes them stands on the socket's queue.
    var isScheduled = false
    /// Whether a timer sees to it that they leave while the delegate is busy.
    var isWatched = false
}

/// What is open, and what waits to leave. All of it is behind one lock, which is held during system calls.
struct GCDSender: Sendable {
    var lifecycle = GCDLifecycle()
    var queue = GCDSendQueue()
    /// In the order of `queue`.
    var packets: [GCDPacket] = []
    /// What is being admitted: its room changes places with the inbox's.
    var incoming: [GCDPacket] = []
    var ipv4: DatagramEngine?
    var ipv6: DatagramEngine?
    /// What the app wants of the sockets, also of those that are opened again after a failure.
    var reusesPort: Bool?
    var broadcasts: Bool?
    /// What leaves by the next system call: all of one family.
    var machine = SendMachine(usesSegmentation: false)
    var engine: DatagramEngine?
    var kit: GCDSendKit?
    /// The time-out of the first packet, once the system has had no room for it.
    var timer: (number: UInt64, timer: ScheduledTimer)?
    var closesWhenDone = false
    /// What the delegate is to be told, until the lock is released.
    var notices: [GCDNotice] = []
    /// What is to be done when the lock is released.
    var deeds: [GCDDeed] = []

    func engine(_ family: AddressFamily) -> DatagramEngine? {
        switch family {
        case .ipv4: ipv4
        case .ipv6: ipv6
        }
    }

    mutating func set(_ engine: DatagramEngine?, _ family: AddressFamily) {
        switch family {
        case .ipv4: ipv4 = engine
        case .ipv6: ipv6 = engine
        }
        if engine != nil { lifecycle.opened(family) } else { lifecycle.closed(family) }
    }

    var engines: [DatagramEngine] { [ipv4, ipv6].compactMap(\.self) }

    /// Lets go of all that is open: the caller closes it.
    mutating func takeEngines() -> [DatagramEngine] {
        defer {
            ipv4 = nil
            ipv6 = nil
            lifecycle = GCDLifecycle()
        }
        return engines
    }
}

/// What follows from a step, and must not happen while a lock is held.
enum GCDDeed: Sendable {
    case lookUp(UInt64, String, UInt16)
    case ask(GCDFilter<GCDAsyncUdpSocketSendFilterBlock>, UInt64, GCDPacket, SocketAddress)
    case watch(DatagramEngine)
    case time(UInt64, TimeInterval)
    case connected(SocketAddress)
    case shutDown(DatagramEngine)
    case schedule(GCDTarget)
    case close
}

/// The memory that one round of sending needs. The sockets share a few of them.
final class GCDSendKit: @unchecked Sendable {  // safe because whoever took it is alone with it
    private static let spare = Locked<[GCDSendKit]>([])
    private static let spareLimit = 8

    private var pool = DatagramPool()
    private var buffer = SendBuffer()
    /// Nobody asks for these.
    private var drops = DropCounter()

    static func take() -> GCDSendKit { spare.withLock { $0.popLast() } ?? GCDSendKit() }

    /// To be called when nothing waits in it.
    func giveBack() {
        Self.spare.withLock { spare in
            if spare.count < Self.spareLimit { spare.append(self) }
        }
    }

    /// How many bytes wait.
    var count: Int { buffer.count }

    /// Adds bytes; returns where they begin.
    func append(_ data: Data) -> Int {
        unsafe data.withUnsafeBytes { bytes in
            if let place = unsafe buffer.append(bytes) { return place }
            buffer.reserve(bytes.count, memoryOf: &pool)
            guard let place = unsafe buffer.append(bytes) else {
                preconditionFailure("a buffer has no room that it made")
            }
            return place
        }
    }

    /// What has arrived on an engine, as much as one call takes, on any thread while the loop does not read from it; nil where
    /// nothing has, or the loop has to look why.
    func read(_ engine: DatagramEngine) -> DatagramBatch? {
        let isCoalescing = engine.isCoalescing.load(ordering: .relaxed)
        let size = engine.configuration.maximumDatagramSize
        let storage = pool.storage(isCoalescing ? .coalesced : .single(size: size))
        let filling = engine.descriptor.whileOpen {
            storage.fill(from: engine.descriptor, limit: size, slots: .max, drops: &drops)
        }
        switch filling {
        case .short?, .full?: return storage.count > 0 ? DatagramBatch(storage) : nil
        case .failed?, nil: return nil
        }
    }

    func removeAll() { buffer.removeAll(memoryTo: &pool) }

    func send(_ machine: borrowing SendMachine, on descriptor: DatagramDescriptor) -> SendResult {
        guard let start = unsafe buffer.start else { preconditionFailure("a message has no bytes") }
        return unsafe pool.scratch.send(machine, bytes: start, on: descriptor)
    }
}
