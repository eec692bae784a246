public import Foundation

/// Where the socket receives, and from whom. Each needs a delegate and a queue.
extension GCDAsyncUdpSocket {
    /// Takes a port on all addresses, the same in both families. As `bind(toPort:interface:)`.
    public func bind(toPort port: UInt16) throws { try core.bind(port: port, interface: nil) }

    /// Takes a port, so that what is sent to it arrives. Once only, and not after connecting or sending.
    ///
    /// - Parameters:
    ///   - port: 0 takes a free one, see `localPort`.
    ///   - interface: the name of an interface, or one of its addresses as text: then only what is sent to its addresses arrives.
    ///     `localhost` or `loopback` for this host only. Nil for all.
    /// - Throws: `badConfigError`, `badParamError` where there is no such interface, an error of `NSPOSIXErrorDomain` where
    ///   the system refuses, as with a port that another has (`EADDRINUSE`). Afterwards it can be tried again.
    public func bind(toPort port: UInt16, interface: String?) throws {
        try core.bind(port: port, interface: interface)
    }

    /// Takes an address with its port. The socket has the address's family only, from then on. As `bind(toPort:interface:)`.
    ///
    /// - Throws: `badParamError` also for what is no address, and for one of a family that is switched off.
    public func bind(toAddress localAddr: Data) throws { try core.bind(address: localAddr) }

    /// Looks a host up, and makes it the only peer. The delegate is told the outcome. What was sent before leaves first, what is sent
    /// afterwards waits.
    ///
    /// - Parameters:
    ///   - host: a name, or an address as text.
    ///   - port: the peer's.
    /// - Throws: `badConfigError` where it is connected or connecting already.
    public func connect(toHost host: String, onPort port: UInt16) throws {
        try core.connect(toHost: host, port: port)
    }

    /// Makes an address the only peer. No datagram is sent. It is done when this returns, unless datagrams wait that were sent before;
    /// the delegate is told the outcome.
    ///
    /// - Throws: `badConfigError` where it is connected or connecting already, `badParamError` for what is no address.
    public func connect(toAddress remoteAddr: Data) throws { try core.connect(toAddress: remoteAddr) }

    /// Receives a group on the interface that the system's routes lead to. As `joinMulticastGroup(_:onInterface:)`.
    public func joinMulticastGroup(_ group: String) throws { try core.join(group, interface: nil) }

    /// Receives what is sent to a group and the socket's port. The socket must be bound, to all addresses, and not be connected.
    ///
    /// - Parameters:
    ///   - group: an address as text.
    ///   - interface: the name of an interface, or one of its addresses as text; nil lets the system's routes decide.
    /// - Throws: `badConfigError`, `badParamError`, an error of `NSPOSIXErrorDomain`: `EADDRINUSE` for one that was joined already.
    public func joinMulticastGroup(_ group: String, onInterface interface: String?) throws {
        try core.join(group, interface: interface)
    }

    /// Receives a group no longer.
    public func leaveMulticastGroup(_ group: String) throws { try core.leave(group, interface: nil) }

    /// Receives a group no longer; the arguments are those of the joining.
    ///
    /// - Throws: as `joinMulticastGroup`; `EADDRNOTAVAIL` for one that was not joined.
    public func leaveMulticastGroup(_ group: String, onInterface interface: String?) throws {
        try core.leave(group, interface: interface)
    }

    /// Whether others that say so too may have the same port. To be said before the socket is bound; lost when it is closed.
    ///
    /// What is sent to a group or to all reaches each of them, what is sent to this host, the one that was bound last.
    public func enableReusePort(_ flag: Bool) throws { try core.setReuse(flag) }

    /// Whether datagrams may go to broadcast addresses. Lost when the socket is closed.
    ///
    /// - Throws: `badConfigError` also where the socket has no IPv4: IPv6 has no broadcasts.
    public func enableBroadcast(_ flag: Bool) throws { try core.setBroadcast(flag) }
}
