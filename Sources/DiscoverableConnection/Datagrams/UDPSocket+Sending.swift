@_spi(Package) public import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime
internal import Synchronization

extension UDPSocket {
    /// Sends one datagram now, and returns when the kernel has it; waits while the kernel has no room.
    ///
    /// - Parameters:
    ///   - bytes: its content; may be empty.
    ///   - destination: where to; nil for the peer of a connected socket.
    ///   - options: how it leaves.
    ///   - timeout: how long to wait for room; nil for as long as it takes.
    /// - Throws: `tooLarge` (over 65,507 bytes with IPv4, or over the path's MTU where fragments are forbidden), `unreachable` where
    ///   there is no route, `wrongFamily`, `alreadyConnected`, `notConnected`, `closed`, `permissionDenied`, and `outOfResources`
    ///   where a queue of the system was full. `timedOut` and `cancelled` while waiting for room. The datagram has not been sent
    ///   in any of these cases.
    public nonisolated func send(
        _ bytes: [UInt8],
        to destination: SocketAddress? = nil,
        options: SendOptions = SendOptions(),
        timeout: Duration? = nil
    ) async throws(SocketError) {
        let (family, route) = try way(to: destination, options, count: bytes.count)
        guard let engine = engine(for: family) else { throw SocketError(.wrongFamily, sending(bytes.count)) }
        switch unsafe bytes.withUnsafeBytes({ unsafe engine.sendNow($0, route: route) }) {
        case .sent: return
        case .closed: throw SocketError(.closed, sending(bytes.count))
        case .failed(let error): throw SocketError(error, sending(bytes.count))
        case .wouldBlock: break
        }
        let departure = SendWait.Departure(bytes: bytes, route: route, engine: engine)
        let outcomes = await SendWait([departure], of: self).outcomes(timeout: timeout)
        if let error = outcomes[0] { throw error }
    }

    /// Sends many datagrams, together where the kernel takes them so, and returns when it has taken or refused each.
    ///
    /// - Parameters:
    ///   - datagrams: sent in this order.
    ///   - timeout: how long to wait for room; nil for as long as it takes.
    /// - Returns: what became of each datagram, in the same order: nil where the kernel has it, else what `send` throws for one.
    public nonisolated func send(
        _ datagrams: [OutgoingDatagram],
        timeout: Duration? = nil
    ) async -> [SocketError?] {
        var outcomes: [SocketError?] = []
        var departures: [SendWait.Departure] = []
        for datagram in datagrams {
            do throws(SocketError) {
                let (family, route) = try way(to: datagram.destination, datagram.options, count: datagram.bytes.count)
                guard let engine = engine(for: family) else { continue }
                departures.append(SendWait.Departure(bytes: datagram.bytes, route: route, engine: engine))
                outcomes.append(nil)
            } catch {
                outcomes.append(error)
            }
        }
        guard !departures.isEmpty else { return outcomes }
        var sent = await SendWait(departures, of: self).outcomes(timeout: timeout)[...]
        return outcomes.map { $0 ?? sent.popFirst().flatMap(\.self) }
    }

    /// Answers a datagram, from the address that it was sent to: what a client expects that asked one of several.
    ///
    /// - Throws: as `send`.
    public nonisolated func reply(
        _ bytes: [UInt8],
        to datagram: Datagram,
        timeout: Duration? = nil
    ) async throws(SocketError) {
        try await send(bytes, to: datagram.source, options: datagram.header.replyOptions, timeout: timeout)
    }

    /// Has a datagram sent, without waiting.
    ///
    /// On the loop's thread (in `onReceive`'s handler, in a task with `taskExecutor`) it leaves at the end of the step, together with
    /// those before and behind it; elsewhere it leaves at once. Where the kernel has no room it waits, up to
    /// `Options.sendQueueLimit` in all. What the kernel refuses is told by `errors`.
    ///
    /// - Throws: `outOfResources` where too many wait, `wrongFamily`, `alreadyConnected`, `notConnected`, `closed`; on another thread
    ///   than the loop's also what `send` throws.
    public nonisolated func enqueue(
        _ bytes: Span<UInt8>,
        to destination: SocketAddress? = nil,
        options: SendOptions = SendOptions()
    ) throws(SocketError) {
        // The usual cases without a detour, and through the property itself: handed from function to function, the engine would be
        // counted for each datagram.
        switch (input.peerFamily.load(ordering: .relaxed), destination?.family) {
        case (.none, .ipv4?) where ipv4 != nil, (.ipv4, nil):
            return try ipv4?.enqueue(bytes, route: DatagramRoute(destination, options: options)) ?? ()
        case (.none, .ipv6?) where ipv6 != nil, (.ipv6, nil):
            return try ipv6?.enqueue(bytes, route: DatagramRoute(destination, options: options)) ?? ()
        case (.none, .ipv4?), (.none, .ipv6?), (.none, nil), (.ipv4, .ipv4?), (.ipv4, .ipv6?), (.ipv6, .ipv4?),
            (.ipv6, .ipv6?):
            break
        }
        let (family, route) = try way(to: destination, options, count: bytes.count)
        try engine(for: family)?.enqueue(bytes, route: route)
    }

    /// Has a datagram sent, without waiting. As `enqueue` with a span.
    public nonisolated func enqueue(
        _ bytes: [UInt8],
        to destination: SocketAddress? = nil,
        options: SendOptions = SendOptions()
    ) throws(SocketError) {
        try enqueue(bytes.span, to: destination, options: options)
    }

    /// Has a run of datagrams sent, without waiting: all of one length but perhaps the last, one behind the other, to one destination.
    ///
    /// On the loop's thread nothing is copied: the run leaves at once, in pieces that the kernel cuts (`UDP_SEGMENT`), after what was
    /// enqueued before it. What finds no room in the kernel is copied and waits, as with `enqueue`. Elsewhere, and where the kernel
    /// cannot cut, each datagram is enqueued by itself.
    ///
    /// - Parameters:
    ///   - bytes: the datagrams' content.
    ///   - segmentLength: the length of each datagram; the last may be shorter. At least 1.
    ///   - destination: where to; nil for the peer of a connected socket.
    ///   - options: how they leave.
    /// - Throws: as `enqueue`; `outOfResources` on the loop's thread means that nothing of the run was taken.
    public nonisolated func enqueue(
        _ bytes: Span<UInt8>,
        segmentLength: Int,
        to destination: SocketAddress? = nil,
        options: SendOptions = SendOptions()
    ) throws(SocketError) {
        guard bytes.count > segmentLength else { return try enqueue(bytes, to: destination, options: options) }
        guard segmentLength > 0 else {
            throw SocketError(.invalidArgument("enqueue"), "sending in datagrams of \(segmentLength) bytes")
        }
        let (family, route) = try way(to: destination, options, count: bytes.count)
        try engine(for: family)?.enqueueRun(bytes, segment: segmentLength, route: route)
    }

    /// Has a run of datagrams sent, without waiting. As `enqueue` with a span and a segment length.
    public nonisolated func enqueue(
        _ bytes: [UInt8],
        segmentLength: Int,
        to destination: SocketAddress? = nil,
        options: SendOptions = SendOptions()
    ) throws(SocketError) {
        try enqueue(bytes.span, segmentLength: segmentLength, to: destination, options: options)
    }

    /// Has what was enqueued on the loop's thread leave now, and not at the end of the step. Elsewhere there is nothing to do.
    public nonisolated func flush() {
        guard loop.isOnLoop else { return }
        ipv4?.flush()
        ipv6?.flush()
    }

    private nonisolated func sending(_ count: Int) -> String { DatagramEngine.sending(count) }

    /// The family that a datagram leaves through, which the socket has, and how.
    private nonisolated func way(
        to destination: SocketAddress?,
        _ options: SendOptions,
        count: Int
    ) throws(SocketError) -> (AddressFamily, DatagramRoute) {
        let peerFamily = input.peerFamily.load(ordering: .relaxed).family
        guard let family = destination?.family ?? peerFamily else { throw SocketError(.notConnected, sending(count)) }
        guard has(family) else { throw SocketError(.wrongFamily, sending(count)) }
        guard peerFamily != nil, destination != nil else {
            return (family, DatagramRoute(destination, options: options))
        }
        // The kernel would send it to the address, as if there were no peer.
        guard destination == connectedPeer.withLock({ $0 }) else {
            throw SocketError(.alreadyConnected, sending(count))
        }
        return (family, DatagramRoute(nil, options: options))
    }

    private nonisolated func has(_ family: AddressFamily) -> Bool {
        switch family {
        case .ipv4: ipv4 != nil
        case .ipv6: ipv6 != nil
        }
    }
}

/// A datagram that is to be sent.
public struct OutgoingDatagram: Hashable, Sendable {
    /// Its content; may be empty.
    public var bytes: [UInt8]
    /// Where to; nil for the peer of a connected socket.
    public var destination: SocketAddress?
    /// How it leaves.
    public var options: SendOptions

    /// A datagram with its destination.
    public init(bytes: [UInt8], to destination: SocketAddress? = nil, options: SendOptions = SendOptions()) {
        self.bytes = bytes
        self.destination = destination
        self.options = options
    }
}
