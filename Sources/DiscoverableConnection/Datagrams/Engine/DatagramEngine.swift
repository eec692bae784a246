internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime
internal import Synchronization

/// Whom an engine tells what happens, on the loop's thread.
protocol DatagramEngineClient: AnyObject, Sendable {
    /// Whether more datagrams are wanted now. Where not, the engine stops reading, and the client makes it go on
    /// (`resumeReading`) once there is room.
    nonisolated func hasRoom(on engine: DatagramEngine) -> Bool
    /// Datagrams have arrived. They may be read here; whoever keeps the batch keeps its memory.
    nonisolated func received(_ batch: DatagramBatch, on engine: DatagramEngine)
    /// Datagrams did not arrive, as somebody reports; or the kernel refused some that nobody waits for.
    nonisolated func failed(_ failure: DatagramFailure, on engine: DatagramEngine)
    /// The engine can do nothing any more: the system is out of resources to watch it.
    nonisolated func stopped(_ error: UnderlyingError, on engine: DatagramEngine)
    /// The kernel has room again; for a client that sends past the engine's queue, and has asked for it (`watchForRoom`).
    nonisolated func becameWritable(_ engine: DatagramEngine)
}

extension DatagramEngineClient {
    func becameWritable(_ engine: DatagramEngine) {}
}

/// The data path of one UDP socket of one family: moves batches between the kernel and its client.
///
/// It lives on an event loop: all of its state is confined to the loop's thread, and what may be called elsewhere says so. What
/// to send next and what an error means is `SendMachine`'s to say; what is done about it is done here.
///
/// No peer ends it, and neither does anything that the network reports.
final class DatagramEngine: Sendable {
    struct Configuration: Sendable, Hashable {
        var maximumDatagramSize = 65_535
        /// How many bytes wait for room in the kernel before `enqueue` refuses.
        var queueLimit = 256 * 1024
        var usesSegmentation = false
        var usesCoalescing = false
        /// Whether the kernel is to count what it drops for want of room.
        var countsDrops = false
    }

    struct State: ~Copyable {
        var machine: SendMachine
        var isClosed = false
        /// The bytes of what waits to leave.
        var buffer = SendBuffer()
        var completions: [UInt64: SendCompletion] = [:]
        var drops = DropCounter()
        var pace = ReceivePace()
        var groups = GroupMemberships()
        var isCorked = false
    }

    /// What became of a datagram whose sender waits.
    enum SendEnd: Sendable {
        /// The kernel has it.
        case sent
        case failed(UnderlyingError)
        /// The socket was closed before.
        case closed
    }

    typealias SendCompletion = @Sendable (SendEnd) -> Void

    let descriptor: DatagramDescriptor
    let loop: EventLoop
    let pool: LoopConfined<DatagramPool>
    let configuration: Configuration
    let state: LoopConfined<State>
    let watch: LockedInPlace<Watch>
    nonisolated(unsafe) private var setClient: (any DatagramEngineClient)?  // safe because it is set first
    /// Whether something waits to leave, so that a send on another thread would overtake it.
    let hasBacklog = Atomic(false)
    /// Whether the kernel joins datagrams that arrive.
    let isCoalescing = Atomic(false)
    /// What other threads have handed to the loop's, which it has not seen yet: the bytes, and what each datagram costs.
    let handedOver = Atomic(0)

    init(descriptor: DatagramDescriptor, configuration: Configuration, loop: EventLoop) {
        self.descriptor = descriptor
        self.configuration = configuration
        self.loop = loop
        pool = loop.datagrams
        state = LoopConfined(State(machine: SendMachine(usesSegmentation: configuration.usesSegmentation)), on: loop)
        watch = LockedInPlace(Watch(descriptor: descriptor.number))
    }

    // A loop that watches the engine holds it: it has been closed by then, or was never watched.
    deinit { release() }

    var family: AddressFamily { descriptor.family }

    /// Whom the engine tells, and holds (see `WeakClient`). To be said once, before anything else is called.
    func setClient(_ client: any DatagramEngineClient) { unsafe setClient = client }

    var client: (any DatagramEngineClient)? { unsafe setClient }

    /// Closes the socket: its port is free when this returns. What waits to leave is dropped.
    ///
    /// - Returns: the senders that wait, by their tickets; none of them has been told.
    func close() -> [UInt64: SendCompletion] {
        let completions = state.withValue { state in
            state.isClosed = true
            pool.withValue { state.buffer.removeAll(memoryTo: &$0) }
            state.machine = SendMachine(usesSegmentation: false)
            // Nothing waits any more: another thread's `enqueue` is to learn that the socket is closed.
            hasBacklog.store(false, ordering: .releasing)
            defer { state.completions = [:] }
            return state.completions
        }
        release()
        return completions
    }

    /// Closes the socket, and tells the senders that wait; on another thread than the loop's, soon. The loop's thread is the only one
    /// that closes, so that its own calls need no lock.
    func shutDown() {
        guard loop.isOnLoop else { return loop.execute { self.shutDown() } }
        for (_, completion) in close().sorted(by: { $0.key < $1.key }) { completion(.closed) }
    }

    private func release() {
        // Before the number is given out again.
        watch.withLock { $0.end(on: loop) }
        descriptor.close()
    }
}
