internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime
public import Dispatch

/// Whom the socket tells, and what it is opened with.
extension GCDAsyncUdpSocket {
    /// Who is told what happens.
    public func delegate() -> (any GCDAsyncUdpSocketDelegate)? { core.outlet.delegate }

    /// Changes who is told; what was told before still arrives at the old one.
    public func setDelegate(_ delegate: (any GCDAsyncUdpSocketDelegate)?) {
        core.outlet.setTarget(delegate: .some(delegate))
    }

    /// As `setDelegate`, after what runs on the socket's queue now.
    public func synchronouslySetDelegate(_ delegate: (any GCDAsyncUdpSocketDelegate)?) {
        core.onQueue { core.outlet.setTarget(delegate: .some(delegate)) }
    }

    /// Where the delegate is called.
    public func delegateQueue() -> DispatchQueue? { core.outlet.queue }

    /// Changes where the delegate is called; what was told before still arrives on the old queue.
    public func setDelegateQueue(_ delegateQueue: DispatchQueue?) {
        core.outlet.setTarget(queue: .some(delegateQueue))
    }

    /// As `setDelegateQueue`, after what runs on the socket's queue now.
    public func synchronouslySetDelegateQueue(_ delegateQueue: DispatchQueue?) {
        core.onQueue { core.outlet.setTarget(queue: .some(delegateQueue)) }
    }

    /// Tells the delegate and its queue at once.
    public func getDelegate(
        _ delegatePtr: UnsafeMutablePointer<(any GCDAsyncUdpSocketDelegate)?>?,
        delegateQueue delegateQueuePtr: UnsafeMutablePointer<DispatchQueue?>?
    ) {
        let (delegate, queue) = core.outlet.delegateAndQueue
        unsafe delegatePtr?.pointee = delegate
        unsafe delegateQueuePtr?.pointee = queue
    }

    /// Changes both at once.
    public func setDelegate(_ delegate: (any GCDAsyncUdpSocketDelegate)?, delegateQueue: DispatchQueue?) {
        core.outlet.setTarget(delegate: .some(delegate), queue: .some(delegateQueue))
    }

    /// As `setDelegate(_:delegateQueue:)`, after what runs on the socket's queue now.
    public func synchronouslySetDelegate(_ delegate: (any GCDAsyncUdpSocketDelegate)?, delegateQueue: DispatchQueue?) {
        core.onQueue { core.outlet.setTarget(delegate: .some(delegate), queue: .some(delegateQueue)) }
    }
}

extension GCDAsyncUdpSocket {
    /// Whether sockets of IPv4 are opened.
    public func isIPv4Enabled() -> Bool { core.configuration.isEnabled(.ipv4) }

    /// Whether sockets of IPv4 are opened, from the next opening on.
    public func setIPv4Enabled(_ flag: Bool) { core.configure { $0.setEnabled(flag, .ipv4) } }

    /// Whether sockets of IPv6 are opened.
    public func isIPv6Enabled() -> Bool { core.configuration.isEnabled(.ipv6) }

    /// Whether sockets of IPv6 are opened, from the next opening on.
    public func setIPv6Enabled(_ flag: Bool) { core.configure { $0.setEnabled(flag, .ipv6) } }

    /// Whether IPv4 is taken where a host has addresses of both families.
    public func isIPv4Preferred() -> Bool { core.configuration.preference == .ipv4 }

    /// Whether IPv6 is taken where a host has addresses of both families.
    public func isIPv6Preferred() -> Bool { core.configuration.preference == .ipv6 }

    /// Whether the system's order decides where a host has addresses of both families: what a new socket does.
    public func isIPVersionNeutral() -> Bool { core.configuration.preference == nil }

    /// Takes IPv4 where a host has addresses of both families.
    public func setPreferIPv4() { core.configure { $0.preference = .ipv4 } }

    /// Takes IPv6 where a host has addresses of both families.
    public func setPreferIPv6() { core.configure { $0.preference = .ipv6 } }

    /// Takes the first address in the system's order where a host has several.
    public func setIPVersionNeutral() { core.configure { $0.preference = nil } }

    /// How many bytes of a datagram that has come over IPv4 are kept; 9216 in a new socket.
    public func maxReceiveIPv4BufferSize() -> UInt16 { UInt16(clamping: core.configuration.ipv4Limit) }

    /// How many bytes of a datagram that has come over IPv4 are kept. The rest of a longer one is lost without a word; 0 keeps no
    /// datagram.
    public func setMaxReceiveIPv4BufferSize(_ max: UInt16) { core.configure { $0.ipv4Limit = UInt32(max) } }

    /// How many bytes of a datagram that has come over IPv6 are kept; 9216 in a new socket.
    public func maxReceiveIPv6BufferSize() -> UInt32 { core.configuration.ipv6Limit }

    /// As `setMaxReceiveIPv4BufferSize`; no datagram has more than 65,527 bytes.
    public func setMaxReceiveIPv6BufferSize(_ max: UInt32) { core.configure { $0.ipv6Limit = max } }

    /// Which work the kernel does on many datagrams at once, from the next opening on; all of it in a new socket. The original has no
    /// such thing.
    public func setOffloads(_ offloads: UDPSocket.Offloads) { core.settings.withLock { $0.offloads = offloads } }

    /// What the app has put there.
    public func userData() -> Any? { core.settings.withLock { $0.userData }.value }

    /// Puts something there that the socket makes no use of. It is kept when the socket is closed.
    public func setUserData(_ arbitraryUserData: Any?) {
        let carried = Carried(arbitraryUserData)
        core.settings.withLock { $0.userData = carried }
    }
}
