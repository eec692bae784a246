internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime

/// Where one consumer waits for datagrams, again and again.
///
/// The consumer calls a method of an actor whose executor the seat is. So its task is suspended, and the seat gets the task's next
/// step, which it keeps until the inbox has something for it. That step runs on the loop's thread, as one of the loop's own executor:
/// a consumer that lives there goes on in it. A continuation would bring the task back by way of the generic executor, which is the
/// global pool for a task that prefers none, and two more enqueues for one that does.
final class Seat: SerialExecutor {
    /// What a consumer calls to be suspended.
    actor Place {
        private nonisolated let seat: Seat

        init(_ seat: Seat) { self.seat = seat }

        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe seat.asUnownedSerialExecutor() }

        /// How often somebody has waited here.
        private(set) var count: UInt64 = 0

        /// Returns when the seat's step is run: never by itself. It has to do something with the actor's state: a call that does
        /// nothing is optimised away, together with the suspension.
        @inline(never)
        func take() { count &+= 1 }
    }

    /// What the consumer asks for, and what it gets. Changed inside the inbox's lock only.
    struct Order: Sendable {
        var call: UInt64 = 0
        /// How many datagrams it takes: one, or whatever is there.
        var limit = 1
        /// Why it does not wait any more, where that came before it began to.
        var reason: Inbox.Delivery?
        var delivery: Inbox.Delivery?
    }

    private let socket: UDPSocket
    nonisolated(unsafe) var order = Order()  // safe because it is used inside the inbox's lock only

    init(_ socket: UDPSocket) { self.socket = socket }

    func enqueue(_ job: consuming ExecutorJob) {
        socket.input.inbox.seat(Inbox.Waiter(seat: self, step: UnownedJob(job)), start: socket.startReading)
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { unsafe UnownedSerialExecutor(ordinary: self) }

    /// Lets the consumer go on.
    func release(_ step: UnownedJob) { socket.loop.run(step) }
}
