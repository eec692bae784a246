public import Dispatch

extension GCDAsyncUdpSocket {
    /// Closes the socket. Its port is free when this returns. Datagrams that still wait are dropped without a word. The delegate is told,
    /// unless nothing was open.
    ///
    /// The socket can be used again. It keeps its delegate, its filters and what it is configured to, but not its options and groups.
    public func close() { core.close() }

    /// Closes the socket when nothing waits to leave any more.
    public func closeAfterSending() { core.closeAfterSending() }
}

/// The socket's queue.
extension GCDAsyncUdpSocket {
    /// Says that what runs on `socketQueuesPreConfiguredTargetQueue` runs on the socket's queue: the app has made it that queue's target.
    /// Calls from there would wait for ever otherwise.
    public func markSocketQueueTargetQueue(_ socketQueuesPreConfiguredTargetQueue: DispatchQueue) {
        core.mark(socketQueuesPreConfiguredTargetQueue)
    }

    /// Takes `markSocketQueueTargetQueue` back.
    public func unmarkSocketQueueTargetQueue(_ socketQueuesPreviouslyConfiguredTargetQueue: DispatchQueue) {
        core.unmark(socketQueuesPreviouslyConfiguredTargetQueue)
    }

    /// Runs a block on the socket's queue, and returns when it has run. The socket is neither opened nor closed meanwhile.
    public func perform(_ block: () -> Void) { core.onQueue(block) }

    /// The descriptor of the socket, the IPv4 one where it has both; -1 where none is open, and outside `perform`.
    public func socketFD() -> Int32 { core.descriptor(nil) }

    /// The descriptor of the IPv4 socket; -1 where none is open, and outside `perform`.
    public func socket4FD() -> Int32 { core.descriptor(.ipv4) }

    /// The descriptor of the IPv6 socket; -1 where none is open, and outside `perform`.
    public func socket6FD() -> Int32 { core.descriptor(.ipv6) }
}
