@_spi(Package) internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime
internal import Synchronization

/// What became of a datagram that was to leave at once.
enum ImmediateSend {
    case sent
    /// There is no room, or others wait before it.
    case wouldBlock
    case failed(UnderlyingError)
    case closed
}

extension DatagramEngine: LoopFlushable {
    /// How many messages are corked before they leave: as many as one call takes.
    private static let messageLimit = 64
    /// How many calls one step makes: a thousand messages.
    static let callsPerStep = 16

    /// What became of a datagram that was to leave with others.
    enum Admission {
        case admitted
        /// Too many wait for room in the kernel already.
        case full
        case closed
    }

    // MARK: On any thread

    /// Sends by a call of its own, unless something waits before it. On any thread.
    func sendNow(_ bytes: UnsafeRawBufferPointer, route: DatagramRoute) -> ImmediateSend {
        if loop.isOnLoop, hasBacklog.load(ordering: .relaxed) { flush() }
        if hasBacklog.load(ordering: .acquiring) || isHandingOver { return .wouldBlock }
        var attempt = SendAttempt()
        while true {
            guard let result = descriptor.whileOpen({ unsafe descriptor.send(bytes, route: route) }) else {
                return .closed
            }
            guard case .failed(let number) = result else { return .sent }
            switch attempt.failed(SystemCondition(errno: number), count: 1) {
            case .again, .split: continue
            case .waitForRoom: return .wouldBlock
            case .fail: return .failed(.system(number, call: "sendmsg"))
            }
        }
    }

    /// Sends at once, or has the loop's thread do it when there is room. On any other thread.
    func post(_ bytes: UnsafeRawBufferPointer, route: DatagramRoute) -> ImmediateSend {
        let result = unsafe sendNow(bytes, route: route)
        guard case .wouldBlock = result else { return result }
        let cost = bytes.count + SendMachine.overhead
        guard handedOver.load(ordering: .relaxed) + cost <= configuration.queueLimit else { return .wouldBlock }
        handedOver.add(cost, ordering: .relaxed)
        let copy = unsafe Array(bytes)
        loop.execute { self.takeOver(copy, route) }
        return .sent
    }

    /// Whether something of another thread's is on its way to the loop's: what that thread sends next must not overtake it.
    private var isHandingOver: Bool { !loop.isOnLoop && handedOver.load(ordering: .acquiring) > 0 }

    private func takeOver(_ bytes: [UInt8], _ route: DatagramRoute) {
        let admission = unsafe bytes.withUnsafeBytes { unsafe enqueue($0, route: route) }
        // Afterwards, when the datagram counts as one that waits: a send on another thread would overtake it in between.
        handedOver.subtract(bytes.count + SendMachine.overhead, ordering: .releasing)
        guard case .full = admission else { return }
        client?.failed(DatagramFailure(dropped: route.destination), on: self)
    }

    // MARK: On the loop's thread

    /// Adds a datagram to those that leave at the end of the step. On the loop's thread.
    ///
    /// - Parameter ticket: where somebody waits for the outcome (`await`); such a datagram is never refused.
    func enqueue(_ bytes: UnsafeRawBufferPointer, route: DatagramRoute, ticket: UInt64? = nil) -> Admission {
        guard let admission = unsafe enqueueIfOnLoop(bytes, route: route, ticket: ticket) else {
            preconditionFailure("a datagram was to be enqueued on another thread than the loop's")
        }
        return admission
    }

    /// As `enqueue`; nil on another thread than the loop's.
    ///
    /// - Parameter isTaken: whether it is part of something that was admitted already.
    func enqueueIfOnLoop(
        _ bytes: UnsafeRawBufferPointer,
        route: DatagramRoute,
        ticket: UInt64? = nil,
        isTaken: Bool = false
    ) -> Admission? {
        let result = state.withValueIfCurrent { state -> (admission: Admission?, mustFlush: Bool) in
            if state.isClosed {
                // Nobody would take it out any more, and it holds the sender, which holds the socket.
                if let ticket { state.completions[ticket] = nil }
                return (.closed, false)
            }
            let isBlocked = state.machine.isBlocked
            if isBlocked, ticket == nil, !isTaken, state.machine.backlog + bytes.count > configuration.queueLimit {
                return (.full, false)
            }
            var place = unsafe state.buffer.append(bytes)
            // What is corked leaves first, and its memory is used again: only what waits for room in the kernel takes more.
            if place == nil, !isBlocked, !state.machine.isEmpty { return (nil, true) }
            if place == nil { unsafe place = appendWithMoreMemory(bytes, to: &state.buffer) }
            let offset = place ?? 0
            let messages = state.machine.enqueue(length: bytes.count, at: offset, route: route, ticket: ticket)
            if isBlocked {
                // What was taken back may have left nothing that waits, but there is still no room.
                hasBacklog.store(true, ordering: .releasing)
                return (.admitted, false)
            }
            if !state.isCorked {
                state.isCorked = true
                hasBacklog.store(true, ordering: .releasing)
                loop.flushAtEndOfStep(self)
            }
            return (.admitted, messages >= Self.messageLimit)
        }
        guard let result else { return nil }
        if result.mustFlush { flush() }
        // Once more at the most: after a flush there is room, or it is the kernel's that is waited for.
        return unsafe result.admission ?? enqueueIfOnLoop(bytes, route: route, ticket: ticket, isTaken: isTaken)
    }

    private func appendWithMoreMemory(_ bytes: UnsafeRawBufferPointer, to buffer: inout SendBuffer) -> Int {
        pool.withValue { buffer.reserve(bytes.count, memoryOf: &$0) }
        guard let offset = unsafe buffer.append(bytes) else { preconditionFailure("a buffer has no room that it made") }
        return offset
    }

    /// The peer changes: what still waits goes to the one that it was meant for.
    func pin(to peer: SocketAddress) {
        state.withValue { $0.machine.pin(to: peer) }
    }

    /// Waits for the outcome of a datagram: `enqueue` it with `ticket` next.
    func await(_ ticket: UInt64, completion: @escaping SendCompletion) {
        state.withValue { $0.completions[ticket] = completion }
    }

    /// Takes a datagram back that has not left yet, and forgets who waits for it; false where it has an outcome.
    func withdraw(_ ticket: UInt64) -> Bool {
        state.withValue { state in
            guard state.machine.cancel(ticket) else { return false }
            state.completions[ticket] = nil
            tidy(&state)
            return true
        }
    }

    package func flushOnLoop() { flush() }

    func becameWritable() {
        state.withValue { $0.machine.becameWritable() }
        change(removing: .writable)
        flush()
        client?.becameWritable(self)
    }

    /// Hands what waits to the kernel, as far as there is room.
    func flush() {
        let (mustWait, mustTell) = state.withValue { state -> (Bool, Bool) in
            state.isCorked = false
            guard !state.machine.isBlocked else { return (false, state.machine.hasOutcomes) }
            let mustWait = transfer(&state)
            tidy(&state)
            return (mustWait, state.machine.hasOutcomes)
        }
        if mustWait { change(adding: .writable) }
        if mustTell { tellOutcomes() }
    }

    /// Returns whether the kernel has no room for the rest.
    private func transfer(_ state: inout State) -> Bool {
        for _ in 0..<Self.callsPerStep {
            guard !state.machine.isEmpty, let start = unsafe state.buffer.start else { return false }
            let result = pool.withValue { pool in
                unsafe pool.scratch.send(state.machine, bytes: start, on: descriptor)
            }
            let step =
                switch result {
                case .sent(let count): state.machine.sent(count)
                case .failed(let number):
                    state.machine.failed(SystemCondition(errno: number), .system(number, call: "sendmmsg"))
                }
            switch step {
            case .sendAgain: continue
            case .waitForRoom: return true
            case .rest: return false
            }
        }
        // Others on the loop come first; the rest leaves with the next step.
        if !state.machine.isEmpty, !state.isCorked {
            state.isCorked = true
            loop.flushAtEndOfStep(self)
        }
        return false
    }

    /// After something has left or was taken back: gives the buffer back, or its front.
    private func tidy(_ state: inout State) {
        if state.machine.isEmpty {
            hasBacklog.store(false, ordering: .releasing)
            pool.withValue { state.buffer.removeAll(memoryTo: &$0) }
        } else if let first = state.machine.firstOffset, first > Self.compactionLimit, first > state.buffer.count / 2 {
            state.buffer.removeFirst(first)
            state.machine.moved(by: first)
        }
    }

    /// Outside the state: whoever is told may come back at once.
    private func tellOutcomes() {
        let outcomes = state.withValue { state in
            state.machine.takeOutcomes().map { outcome in
                (outcome, outcome.ticket.flatMap { state.completions.removeValue(forKey: $0) })
            }
        }
        for (outcome, completion) in outcomes { tell(outcome, completion) }
    }

    /// How many bytes at the front may have left before the others move there.
    private static let compactionLimit = 64 * 1024

    private func tell(_ outcome: SendMachine.Outcome, _ completion: SendCompletion?) {
        if let completion { return completion(outcome.failure.map(SendEnd.failed) ?? .sent) }
        guard let error = outcome.failure else { return }
        client?.failed(DatagramFailure(outcome, error, peer: nil), on: self)
    }
}
