@_spi(Package) internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime
internal import Synchronization

/// Runs: datagrams of one length that stand one behind the other, as the kernel joins and cuts them.
extension DatagramEngine {
    /// Has a run sent, without waiting: on the loop's thread at once and from where it stands, as far as the kernel has room; what is
    /// left waits like datagrams that were enqueued.
    ///
    /// - Parameter segment: the length of its datagrams, 1 at least; the last may be shorter.
    func enqueueRun(_ bytes: Span<UInt8>, segment: Int, route: DatagramRoute) throws(SocketError) {
        guard loop.isOnLoop else { return try enqueueEach(bytes, segment: segment, route: route) }
        if hasBacklog.load(ordering: .relaxed) { flush() }
        if isFull(for: bytes.count, segment: segment) { throw SocketError(.outOfResources, Self.sending(bytes.count)) }
        let admission = unsafe bytes.withUnsafeBytes { bytes in
            let sent = unsafe sendRun(bytes, segment: segment, route: route)
            return unsafe enqueueRest(UnsafeRawBufferPointer(rebasing: bytes[sent...]), segment: segment, route: route)
        }
        if admission == .closed { throw SocketError(.closed, Self.sending(bytes.count)) }
    }

    /// On another thread.
    private func enqueueEach(_ bytes: Span<UInt8>, segment: Int, route: DatagramRoute) throws(SocketError) {
        for start in stride(from: 0, to: bytes.count, by: segment) {
            try enqueue(bytes.extracting(start..<min(start + segment, bytes.count)), route: route)
        }
    }

    /// Copies what has not left, each datagram by itself.
    private func enqueueRest(_ bytes: UnsafeRawBufferPointer, segment: Int, route: DatagramRoute) -> Admission? {
        for start in stride(from: 0, to: bytes.count, by: segment) {
            let datagram = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + segment, bytes.count)])
            let admission = unsafe enqueueIfOnLoop(datagram, route: route, isTaken: true)
            guard admission == .admitted else { return admission }
        }
        return .admitted
    }

    /// A run is taken whole or refused whole.
    private func isFull(for count: Int, segment: Int) -> Bool {
        let cost = count + (count + segment - 1) / segment * SendMachine.overhead
        return state.withValue { state in
            state.machine.isBlocked && state.machine.backlog + cost > max(configuration.queueLimit, cost)
        }
    }

    /// Returns how many bytes have left. What has not is for the queue, which knows what each error means.
    private func sendRun(_ bytes: UnsafeRawBufferPointer, segment: Int, route: DatagramRoute) -> Int {
        state.withValue { state in
            guard !state.isClosed, state.machine.isEmpty, !state.machine.isBlocked else { return 0 }
            guard segment <= state.machine.segmentLimit(for: route.destination) else { return 0 }
            let perMessage = SendMachine.segmentsPerMessage(of: segment)
            var sent = 0
            for _ in 0..<Self.callsPerStep where sent < bytes.count {
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[sent...])
                let result = pool.withValue { pool in
                    unsafe pool.scratch.sendRun(
                        rest,
                        segment: segment,
                        perMessage: perMessage,
                        route: route,
                        on: descriptor
                    )
                }
                guard case .sent(let messages) = result, messages > 0 else { break }
                sent = min(bytes.count, sent + messages * perMessage * segment)
            }
            return sent
        }
    }
}
