public import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime
internal import Synchronization

extension UDPSocket {
    /// Takes a local address, and with it a port.
    ///
    /// - Parameters:
    ///   - address: of a family of the socket's; port 0 takes a free one, see `localAddress`. On a socket of both families the
    ///     other one stays unbound.
    ///   - interface: the name of the only interface to send and receive on; nil for all.
    /// - Throws: `addressInUse`, `addressUnavailable`, `wrongFamily`, `noSuchInterface`, `permissionDenied`, `closed`, and `alreadyBound`.
    public func bind(to address: SocketAddress, interface: String? = nil) throws(SocketError) {
        guard let engine = engine(for: address.family) else { throw SocketError(.wrongFamily, "binding to \(address)") }
        try attemptBinding("binding to \(address)") { () throws(UnderlyingError) in
            try engine.bind(to: address, interface: interface)
        }
    }

    private func attemptBinding(
        _ operation: @autoclosure () -> String,
        _ body: () throws(UnderlyingError) -> Void
    ) throws(SocketError) {
        do throws(SocketError) {
            try attempt(operation(), body)
        } catch {
            let isBound = error.underlying?.condition == .invalidArgument
            throw isBound ? SocketError(.alreadyBound, operation(), underlying: error.underlying) : error
        }
    }

    /// Takes a port on all addresses: the same one in both families, where the socket is of both. As `bind(to:interface:)`.
    ///
    /// - Parameters:
    ///   - port: 0 takes one that is free in each family.
    ///   - interface: the name of the only interface to send and receive on; nil for all.
    public func bind(port: UInt16, interface: String? = nil) throws(SocketError) {
        guard let ipv4, let ipv6 else {
            return try bind(to: .any(ipv4 == nil ? .ipv6 : .ipv4, port: port), interface: interface)
        }
        try attemptBinding("binding to port \(port)") { () throws(UnderlyingError) in
            if let interface { try ipv6.descriptor.options.setInterface(interface) }
            // One that shares its port would take part in the sharing already by looking.
            if port != 0, options.reuse == .exclusive { try checkIsFree(port, for: ipv6.descriptor) }
            try bindBoth(ipv4, ipv6, port: port, interface: interface)
        }
    }

    /// Throws what binding would, with a socket like this one: a port that was asked for by its number cannot be given back, and
    /// a socket that has it in one family only could not be bound again.
    private func checkIsFree(_ port: UInt16, for descriptor: DatagramDescriptor) throws(UnderlyingError) {
        guard try descriptor.localAddress().port == 0 else { return }
        let probe = try DatagramDescriptor(family: descriptor.family)
        if let interface = try descriptor.options.interface() { try probe.options.setInterface(interface) }
        try probe.bind(to: .any(descriptor.family, port: port))
    }

    /// How many free ports of IPv4 are tried in IPv6: one is enough but for chance.
    private static let portAttempts = 32

    private func bindBoth(
        _ ipv4: DatagramEngine,
        _ ipv6: DatagramEngine,
        port: UInt16,
        interface: String?
    ) throws(UnderlyingError) {
        for attempt in 1...Self.portAttempts {
            try ipv4.bind(to: .any(.ipv4, port: port), interface: interface)
            do throws(UnderlyingError) {
                let port = try ipv4.descriptor.localAddress().port
                return try ipv6.bind(to: .any(.ipv6, port: port), interface: interface)
            } catch {
                // Gives the port back where the kernel chose it: the socket can be bound again.
                try ipv4.descriptor.release()
                guard port == 0, error.condition == .addressInUse, attempt < Self.portAttempts else { throw error }
            }
        }
    }

    /// Fixes the peer: from now on only its datagrams arrive, and `send` needs no destination; what had arrived before can still be
    /// received. No datagram is sent. A socket can be connected again, to another peer; what waits for room still goes to the old one.
    /// On a socket of both families the other one receives nothing meanwhile.
    ///
    /// - Throws: `unreachable` where there is no route, `wrongFamily`, `closed`.
    public func connect(to address: SocketAddress) throws(SocketError) {
        let operation = "connecting to \(address)"
        guard let engine = engine(for: address.family) else { throw SocketError(.wrongFamily, operation) }
        if input.peerFamily.load(ordering: .relaxed).family == address.family {
            engine.flush()
            if let peer = peerAddress { engine.pin(to: peer) }
        } else {
            try disconnect()
        }
        try attempt(operation) { () throws(UnderlyingError) in try engine.descriptor.connect(to: address) }
        connectedPeer.withLock { $0 = address }
        input.peerFamily.store(Connection(address.family), ordering: .relaxed)
    }

    /// Looks a host up, and connects to the first of its addresses that there is a route to.
    ///
    /// - Parameters:
    ///   - host: a name, or an address as text.
    ///   - port: the peer's.
    ///   - timeout: for the look-up.
    /// - Throws: `nameNotFound`, `timedOut`, `cancelled`, `wrongFamily` where no address is of the socket's family, `unreachable`,
    ///   `closed`.
    public func connect(host: String, port: UInt16, timeout: Duration = .seconds(5)) async throws(SocketError) {
        let addresses = try await SocketAddress.resolve(host: host, port: port, timeout: timeout)
        var failure = SocketError(.wrongFamily, "connecting to \(host)")
        for address in addresses where engine(for: address.family) != nil {
            do throws(SocketError) {
                return try connect(to: address)
            } catch {
                failure = error
            }
        }
        throw failure
    }

    /// Lets every peer in again. The socket keeps its address, its port and its interface.
    public func disconnect() throws(SocketError) {
        guard let peer = peerAddress, let engine = engine(for: peer.family) else { return }
        engine.flush()
        engine.pin(to: peer)
        // Whatever becomes of the binding, the kernel has no peer any more.
        input.peerFamily.store(.none, ordering: .relaxed)
        connectedPeer.withLock { $0 = nil }
        try attempt("disconnecting") { () throws(UnderlyingError) in try engine.descriptor.disconnect() }
    }

    /// The peer of a connected socket.
    public nonisolated var peerAddress: SocketAddress? { connectedPeer.withLock { $0 } }

    /// The address and port that the socket has now, the IPv4 one where it has both; all zero before it is bound, connected or
    /// has sent.
    ///
    /// - Throws: `closed`.
    public var localAddress: SocketAddress {
        get throws(SocketError) { try localAddresses[0] }
    }

    /// The addresses and ports that the socket has now: one for each of its families, IPv4 first.
    ///
    /// - Throws: `closed`.
    public var localAddresses: [SocketAddress] {
        get throws(SocketError) {
            try attempt("asking for the local address") { () throws(UnderlyingError) in
                try engines.map { engine throws(UnderlyingError) in try engine.descriptor.localAddress() }
            }
        }
    }

    /// Makes system calls on a socket that is open.
    func attempt<Value>(
        _ operation: @autoclosure () -> String,
        _ body: () throws(UnderlyingError) -> Value
    ) throws(SocketError) -> Value {
        guard !isClosed, !input.isStopped else { throw SocketError(.closed, operation()) }
        do throws(UnderlyingError) {
            return try body()
        } catch {
            throw SocketError(error, operation())
        }
    }
}

extension SocketAddress {
    /// Every address of this host.
    static func any(_ family: AddressFamily, port: UInt16) -> SocketAddress {
        switch family {
        case .ipv4: SocketAddress(.v4(.any), port: port)
        case .ipv6: SocketAddress(.v6(.any), port: port)
        }
    }
}
