public import Dispatch

/// Receiving: one datagram for each call, or all.
extension GCDAsyncUdpSocket {
    /// Has the delegate told one datagram, the next that passes the filter. Ends continuous receiving.
    ///
    /// - Throws: `badConfigError` where no socket is open: bind it first, or send.
    public func receiveOnce() throws { try core.receive(.once) }

    /// Has the delegate told each datagram that passes the filter.
    ///
    /// - Throws: as `receiveOnce`.
    public func beginReceiving() throws { try core.receive(.continuous) }

    /// Ends what `beginReceiving` or `receiveOnce` has begun. Nothing is lost but what the system has no room for meanwhile. What the
    /// delegate is told at this moment, on another thread, still arrives.
    public func pauseReceiving() { core.pauseReceiving() }

    /// Has a block asked about each datagram, without waiting for it. As `setReceiveFilter(_:with:isAsynchronous:)`.
    public func setReceiveFilter(_ filterBlock: GCDAsyncUdpSocketReceiveFilterBlock?, with filterQueue: DispatchQueue?)
    {
        setReceiveFilter(filterBlock, with: filterQueue, isAsynchronous: true)
    }

    /// Has a block asked whether a datagram is told to the delegate, which also gets what the block has made of it.
    ///
    /// - Parameters:
    ///   - filterBlock: nil for none.
    ///   - filterQueue: where it runs; nil for none.
    ///   - isAsynchronous: false has the socket's queue wait for it: it must not use the socket then.
    public func setReceiveFilter(
        _ filterBlock: GCDAsyncUdpSocketReceiveFilterBlock?,
        with filterQueue: DispatchQueue?,
        isAsynchronous: Bool
    ) {
        core.setReceiveFilter(GCDFilter(filterBlock, queue: filterQueue, isAsynchronous: isAsynchronous))
    }
}
