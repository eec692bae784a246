public import DiscoverableCore
@_spi(Package) public import DiscoverableRuntime
internal import Synchronization

/// A UDP socket of one family, or of both on one port.
///
/// It lives on an event loop's thread, where the kernel's events arrive. Sending and receiving can be called from any task without
/// a change of threads; what configures the socket is the actor's.
///
/// - Important: No peer closes the socket, and no report of the network does: such reports are told by `errors`, with the peer
///   that they are about, and neither `send` nor `receive` throws them.
///
/// Dropping the last reference closes the socket, unless a handler is set (`onReceive`).
public actor UDPSocket {
    /// The loop that the socket lives on.
    public nonisolated let loop: EventLoop
    /// What it was opened with.
    public nonisolated let options: Options
    /// One a family; at least one of them is there.
    nonisolated let ipv4: DatagramEngine?
    nonisolated let ipv6: DatagramEngine?
    nonisolated let input: SocketInput
    /// The numbers of the calls that wait: they are ended in this order.
    nonisolated let lastCall = Atomic<UInt64>(0)
    nonisolated let connectedPeer = LockedInPlace<SocketAddress?>(nil)
    var isClosed = false

    /// The event loop's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// For tasks that use the socket much: with this as their preferred executor they run on its thread, and do not hop.
    public nonisolated var taskExecutor: any TaskExecutor { loop.taskExecutor }

    /// Opens a socket of one family that is not bound yet.
    ///
    /// - Parameters:
    ///   - family: IPv4 or IPv6; an IPv6 socket carries no IPv4.
    ///   - options: what must be said before it is bound.
    ///   - loop: where it lives; one loop serves thousands of sockets.
    /// - Throws: `outOfResources`, or `wrongFamily` on a system without the family.
    public init(family: AddressFamily, options: Options = Options(), loop: EventLoop = .shared) throws(SocketError) {
        try self.init(ipv4: family == .ipv4, ipv6: family == .ipv6, options: options, loop: loop)
    }

    /// Opens a socket of both families; `bind(port:interface:)` gives both the same port.
    ///
    /// - Throws: `outOfResources`, or `wrongFamily` on a system without one of the families.
    public init(options: Options = Options(), loop: EventLoop = .shared) throws(SocketError) {
        try self.init(ipv4: true, ipv6: true, options: options, loop: loop)
    }

    private init(ipv4: Bool, ipv6: Bool, options: Options, loop: EventLoop) throws(SocketError) {
        self.loop = loop
        self.options = options
        input = SocketInput(loop: loop)
        func engine(_ family: AddressFamily) throws(SocketError) -> DatagramEngine {
            do throws(UnderlyingError) {
                return try DatagramEngine(family: family, options: options, loop: loop)
            } catch {
                throw SocketError(error, "opening an \(family) socket")
            }
        }
        self.ipv4 = ipv4 ? try engine(.ipv4) : nil
        self.ipv6 = ipv6 ? try engine(.ipv6) : nil
        self.ipv4?.setClient(input)
        self.ipv6?.setClient(input)
    }

    deinit {
        ipv4?.shutDown()
        ipv6?.shutDown()
    }

    nonisolated var engines: [DatagramEngine] { [ipv4, ipv6].compactMap(\.self) }

    nonisolated func engine(for family: AddressFamily) -> DatagramEngine? {
        switch family {
        case .ipv4: ipv4
        case .ipv6: ipv6
        }
    }

    nonisolated func nextCall() -> UInt64 { lastCall.add(1, ordering: .relaxed).newValue }

    /// Closes the socket. Its port is free when this returns. Whoever waits in a call gets the error `closed`, in the order of
    /// the calls; sequences end. Datagrams that nobody has taken, or that wait for room, are lost.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        input.setHandler(nil, of: self)
        var ends: [(UInt64, () -> Void)] = []
        for (call, waiter) in input.inbox.close() { ends.append((call, { waiter.goOn() })) }
        close(ipv4, &ends)
        close(ipv6, &ends)
        input.finishFailures()
        guard !ends.isEmpty else { return }
        for (_, end) in ends.sorted(by: { $0.0 < $1.0 }) { end() }
    }

    private func close(_ engine: DatagramEngine?, _ ends: inout [(UInt64, () -> Void)]) {
        guard let completions = engine?.close(), !completions.isEmpty else { return }
        for (call, completion) in completions { ends.append((call, { completion(.closed) })) }
    }
}

extension UDPSocket {
    /// Which family's socket has a peer.
    enum Connection: UInt8, AtomicRepresentable {
        case none, ipv4, ipv6

        init(_ family: AddressFamily) {
            switch family {
            case .ipv4: self = .ipv4
            case .ipv6: self = .ipv6
            }
        }

        var family: AddressFamily? {
            switch self {
            case .none: nil
            case .ipv4: .ipv4
            case .ipv6: .ipv6
            }
        }
    }
}
