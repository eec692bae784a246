public import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime

/// What can be changed on an open socket. On one of both families it holds for both, unless an address says for which.
extension UDPSocket {
    /// Allows sending to broadcast addresses (IPv4). A socket receives broadcasts in any case, unless it is bound to one of the
    /// host's own addresses: bind it to a port, and where wanted to an interface.
    ///
    /// - Throws: `closed`.
    public func setBroadcast(_ isAllowed: Bool) throws(SocketError) {
        try configure("allowing broadcasts") { options throws(UnderlyingError) in try options.setBroadcast(isAllowed) }
    }

    /// Over how many routers datagrams to one host may go, 1…255 (TTL, hop limit).
    ///
    /// - Throws: `other` for 0; `closed`.
    public func setHopLimit(_ hops: UInt8) throws(SocketError) {
        try configure("setting the hop limit to \(hops)") { options throws(UnderlyingError) in
            try options.setHopLimit(hops)
        }
    }

    /// The traffic class of what is sent, where `SendOptions` says nothing else. For ECN (RFC 3168) and differentiated services.
    ///
    /// - Throws: `closed`.
    public func setTrafficClass(_ trafficClass: TrafficClass) throws(SocketError) {
        try configure("setting the traffic class to \(trafficClass)") { options throws(UnderlyingError) in
            try options.setTrafficClass(trafficClass)
        }
    }

    /// What becomes of datagrams that are larger than the way allows.
    ///
    /// - Throws: `closed`.
    public func setFragmentation(_ fragmentation: Fragmentation) throws(SocketError) {
        try configure("setting the fragmentation") { options throws(UnderlyingError) in
            try options.setFragmentation(fragmentation)
        }
    }

    /// The largest packet that passes on the way to the peer, in bytes with its IP header, as far as this host has learnt.
    ///
    /// - Throws: `notConnected`, `closed`.
    public var pathMTU: Int {
        get throws(SocketError) {
            let operation = "asking for the path's MTU"
            guard let peer = peerAddress, let engine = engine(for: peer.family) else {
                throw SocketError(.notConnected, operation)
            }
            return try attempt(operation) { () throws(UnderlyingError) in try engine.descriptor.options.pathMTU() }
        }
    }

    /// Asks for room for so many bytes of datagrams that have arrived. The kernel has a bound of its own
    /// (`net.core.rmem_max`), and counts more than the datagrams' own bytes.
    ///
    /// - Returns: the room that there is now, as the kernel counts: twice what it granted.
    /// - Throws: `closed`.
    @discardableResult
    public func setReceiveBufferSize(_ bytes: Int) throws(SocketError) -> Int {
        try configure("setting the size of the receive buffer") { options throws(UnderlyingError) in
            try options.setReceiveBufferSize(bytes)
            return try options.receiveBufferSize()
        }
    }

    /// Asks for room for so many bytes of unsent datagrams. As `setReceiveBufferSize`, with `net.core.wmem_max`.
    ///
    /// - Returns: the room that there is now, as the kernel counts: twice what it granted.
    /// - Throws: `closed`.
    @discardableResult
    public func setSendBufferSize(_ bytes: Int) throws(SocketError) -> Int {
        try configure("setting the size of the send buffer") { options throws(UnderlyingError) in
            try options.setSendBufferSize(bytes)
            return try options.sendBufferSize()
        }
    }

    /// The room that there is for datagrams that have arrived, as the kernel counts: twice what it granted.
    ///
    /// - Throws: `closed`.
    public var receiveBufferSize: Int {
        get throws(SocketError) {
            try configure("asking for the receive buffer") { options throws(UnderlyingError) in
                try options.receiveBufferSize()
            }
        }
    }

    /// The room that there is for unsent datagrams, as the kernel counts: twice what it granted.
    ///
    /// - Throws: `closed`.
    public var sendBufferSize: Int {
        get throws(SocketError) {
            try configure("asking for the send buffer") { options throws(UnderlyingError) in
                try options.sendBufferSize()
            }
        }
    }

    // MARK: Groups

    /// Receives what is sent to a group on one interface. Nothing of groups that others on this host have joined is received,
    /// nor of this one on other interfaces. The socket must be bound to the group's port, and not to an address of one host.
    ///
    /// - Parameters:
    ///   - group: 224.0.0.0/4 or ff00::/8.
    ///   - interface: where to listen; nil lets the kernel's routes decide.
    ///   - source: the only host whose datagrams are wanted (source-specific multicast, RFC 4607); several calls name several.
    /// - Throws: `alreadyJoined`, `notAGroup`, `noSuchInterface`, `wrongFamily`, `outOfResources` (the kernel allows 20
    ///   groups a socket, `net.ipv4.igmp_max_memberships`), `closed`.
    public func join(
        _ group: IPAddress,
        interface: InterfaceIndex? = nil,
        source: IPAddress? = nil
    ) throws(SocketError) {
        let operation = "joining \(group)"
        let options = try options(for: group, operation)
        do throws(UnderlyingError) {
            try options.join(group, interface: interface, source: source)
        } catch {
            throw SocketError(membership: error, operation)
        }
        guard let ipv6, group.family == .ipv6 else { return }
        // What tells the interfaces apart; the kernel does so with IPv4 only.
        try attempt(operation) { () throws(UnderlyingError) in try options.addReceiveMetadata(.destination) }
        ipv6.state.withValue { state in
            state.groups.join(GroupMemberships.Membership(group, interface: interface, source: source))
        }
    }

    /// Receives a group no longer, or no longer from one source; the arguments are those of `join`.
    ///
    /// - Throws: `notJoined`, and as `join`.
    public func leave(
        _ group: IPAddress,
        interface: InterfaceIndex? = nil,
        source: IPAddress? = nil
    ) throws(SocketError) {
        let operation = "leaving \(group)"
        let options = try options(for: group, operation)
        do throws(UnderlyingError) {
            try options.leave(group, interface: interface, source: source)
        } catch {
            throw SocketError(leaving: error, operation)
        }
        ipv6?.state.withValue { state in
            state.groups.leave(GroupMemberships.Membership(group, interface: interface, source: source))
        }
    }

    /// The interface that datagrams to groups leave through; nil lets the kernel's routes decide.
    ///
    /// - Throws: `noSuchInterface`, `closed`.
    public func setMulticastInterface(_ interface: InterfaceIndex?) throws(SocketError) {
        let operation = "choosing the interface for groups"
        do throws(SocketError) {
            try configure(operation) { options throws(UnderlyingError) in
                try options.setMulticastInterface(interface)
            }
        } catch {
            // IPv4 says "address unavailable" where IPv6 says "no such device".
            let isMissing = error.code == .addressUnavailable
            throw isMissing ? SocketError(.noSuchInterface, operation, underlying: error.underlying) : error
        }
    }

    /// Over how many routers datagrams to groups may go: 0 stays in this host, 1 (what the kernel begins with) on the link.
    ///
    /// - Throws: `closed`.
    public func setMulticastHopLimit(_ hops: UInt8) throws(SocketError) {
        try configure("setting the hop limit for groups") { options throws(UnderlyingError) in
            try options.setMulticastHopLimit(hops)
        }
    }

    /// Whether members on this host get what the socket sends to groups. The kernel begins with yes.
    ///
    /// - Throws: `closed`.
    public func setMulticastLoopback(_ isOn: Bool) throws(SocketError) {
        try configure("setting the loopback of groups") { options throws(UnderlyingError) in
            try options.setMulticastLoopback(isOn)
        }
    }

    // MARK: -

    private func options(for group: IPAddress, _ operation: String) throws(SocketError) -> DatagramOptions {
        guard !isClosed, !input.isStopped else { throw SocketError(.closed, operation) }
        guard group.isMulticast else { throw SocketError(.notAGroup, operation) }
        guard let engine = engine(for: group.family) else { throw SocketError(.wrongFamily, operation) }
        return engine.descriptor.options
    }

    /// Sets it for each family; returns what the last one says.
    private func configure<Value>(
        _ operation: String,
        _ body: (DatagramOptions) throws(UnderlyingError) -> Value
    ) throws(SocketError) -> Value {
        var result: Value?
        for engine in engines {
            result = try attempt(operation) { () throws(UnderlyingError) in try body(engine.descriptor.options) }
        }
        guard let result else { throw SocketError(.closed, operation) }
        return result
    }
}

extension SocketError {
    /// What the kernel's answers to a joining mean; the numbers are its own for this.
    fileprivate init(membership error: UnderlyingError, _ operation: String) {
        switch error.condition {
        case .addressInUse, .addressUnavailable: self.init(.alreadyJoined, operation, underlying: error)
        case .invalidArgument: self.init(.notAGroup, operation, underlying: error)
        default: self.init(error, operation)
        }
    }

    fileprivate init(leaving error: UnderlyingError, _ operation: String) {
        switch error.condition {
        case .addressUnavailable, .invalidArgument: self.init(.notJoined, operation, underlying: error)
        default: self.init(error, operation)
        }
    }
}
