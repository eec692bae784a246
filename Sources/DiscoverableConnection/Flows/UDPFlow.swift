public import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime

/// What one remote address and a listener send to each other.
///
/// Sending and receiving can be called from any task without a change of threads. What is sent leaves from the address that the
/// peer has sent to last.
///
/// A flow is over when it or its listener is closed (`closed`), when the listener's last reference is gone (`closed`), or when
/// nothing has arrived or been sent for `UDPListener.Configuration.idleTimeout` (`timedOut`). No report of the network ends it.
/// Dropping the last reference closes it a moment later; whoever iterates over its datagrams or errors holds one.
public actor UDPFlow {
    /// The remote address. It is what the datagrams say, and can be forged.
    public nonisolated let peer: SocketAddress
    private nonisolated let inbox: FlowInbox
    private nonisolated let socket: UDPSocket
    private weak let listener: UDPListener?
    private nonisolated let isTimed: Bool

    /// The event loop's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe socket.unownedExecutor }

    init(inbox: FlowInbox, listener: UDPListener) {
        peer = inbox.peer
        self.inbox = inbox
        self.listener = listener
        socket = listener.socket
        isTimed = listener.configuration.idleTimeout != nil
    }

    isolated deinit { end() }

    /// Ends the flow. Whoever waits in a call gets the error `closed`; datagrams that nobody has taken are lost. The peer's next
    /// datagram makes a new flow.
    public func close() { end() }

    private func end() {
        let waiters = inbox.end(.closed, dropsQueue: true)
        listener?.assumeIsolated { $0.remove(inbox) }
        for waiter in waiters { waiter.end(.ended(.closed)) }
    }

    // MARK: Receiving

    /// The next datagram; waits until there is one. Several may wait: each datagram goes to one of them, in the order of the
    /// calls. Cancelling loses no datagram.
    ///
    /// - Throws: `cancelled`; once what has arrived is taken, why the flow is over: `closed`, `timedOut`.
    public nonisolated func receive() async throws(SocketError) -> Datagram {
        if let datagram = takeNow() { return datagram }
        switch await delivery() {
        case .datagram(let datagram): return datagram
        case .ended(let code): throw SocketError(code, "receiving from \(peer)")
        case .cancelled: throw SocketError(.cancelled, "receiving from \(peer)")
        }
    }

    /// What is there already. Asked before anything is awaited, which costs more.
    nonisolated func takeNow() -> Datagram? { inbox.takeNow() }

    nonisolated func delivery() async -> FlowInbox.Delivery { await inbox.next(id: socket.nextCall()) }

    /// How many of the peer's datagrams were dropped, because `UDPListener.Configuration.queueLimit` others waited to be taken:
    /// always the newest, so that what is received has no gap but at the end.
    public nonisolated var droppedDatagrams: UInt64 { inbox.droppedDatagrams }

    /// What is reported about the peer: by its host, by routers and by this host's kernel. None of it ends the flow.
    ///
    /// Any number of consumers may iterate, each gets every report from its first on; the first also gets those that came before
    /// it. For a slow one the newest 64 wait. It ends with the flow. Cancelling ends the iteration.
    public nonisolated var errors: EventSequence<DatagramFailure> {
        EventSequence(source: self, broadcast: inbox.failures)
    }

    // MARK: Sending

    /// Sends the peer one datagram now, and returns when the kernel has it; waits while the kernel has no room.
    ///
    /// - Parameters:
    ///   - bytes: its content; may be empty.
    ///   - timeout: how long to wait for room; nil for as long as it takes.
    /// - Throws: as `UDPSocket.send`, and why the flow is over: `closed`, `timedOut`.
    public nonisolated func send(_ bytes: [UInt8], timeout: Duration? = nil) async throws(SocketError) {
        try await socket.send(bytes, to: peer, options: try departure(bytes.count), timeout: timeout)
    }

    /// Has a datagram sent to the peer, without waiting: as `UDPSocket.enqueue`. What the kernel refuses later is told by `errors`.
    ///
    /// - Throws: `outOfResources` where too many wait, and why the flow is over: `closed`, `timedOut`; on another thread than the
    ///   loop's also what `send` throws.
    public nonisolated func enqueue(_ bytes: Span<UInt8>) throws(SocketError) {
        try socket.enqueue(bytes, to: peer, options: try departure(bytes.count))
    }

    /// Has a datagram sent to the peer, without waiting. As `enqueue` with a span.
    public nonisolated func enqueue(_ bytes: [UInt8]) throws(SocketError) { try enqueue(bytes.span) }

    private nonisolated func departure(_ count: Int) throws(SocketError) -> SendOptions {
        switch inbox.departure(now: isTimed ? MonotonicClock.now : nil) {
        case .success(let options): return options
        case .failure(let ended): throw SocketError(ended.code, "sending \(count) bytes to \(peer)")
        }
    }
}
