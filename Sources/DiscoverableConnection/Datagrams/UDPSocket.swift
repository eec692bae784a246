public import DiscoverableCore
package import DiscoverableRuntime

/// A UDP socket of one family, IPv4 or IPv6.
///
/// An actor and not a class behind a lock: it lives on the event loop's thread, where the kernel's events arrive, so that
/// those enter it directly; only callers from elsewhere hop.
///
/// - Important: An error of the peer's host (nobody listens on the port) is thrown by one call, the next `send` or `receive`.
///   It never closes the socket, which goes on as if nothing had happened: so may the peer, when it comes back.
///
/// Dropping the last reference closes the socket.
public actor UDPSocket {
    /// How many received datagrams wait in the socket; what is more stays in the kernel's buffer.
    static let bufferLimit = 64

    struct Receiver {
        let id: UInt64
        /// Whether it is told errors of the peer's host; the `datagrams` sequence is not.
        let takesErrors: Bool
        let continuation: CheckedContinuation<Result<Datagram, SocketError>, Never>
    }

    struct Sender {
        let id: UInt64
        let bytes: [UInt8]
        let destination: SocketAddress?
        let continuation: CheckedContinuation<Result<Void, SocketError>, Never>
    }

    nonisolated let loop: EventLoop
    /// IPv4 or IPv6.
    public nonisolated let family: AddressFamily
    /// How many bytes of a datagram are received; the rest of a longer one is lost, and the datagram marked.
    public nonisolated let maximumDatagramSize: Int

    /// nil once closed.
    var channel: DatagramChannel?
    var peer: SocketAddress?
    /// An error of the peer's host that no call has thrown yet.
    var pendingError: UnderlyingError?
    var received: [Datagram] = []
    var receivers: [Receiver] = []
    var senders: [Sender] = []
    private var lastID: UInt64 = 0

    /// The event loop's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// For tasks that use the socket much: with this as their preferred executor they run on its thread, and do not hop.
    public nonisolated var taskExecutor: any TaskExecutor { loop.taskExecutor }

    /// Opens a socket that is not bound yet.
    ///
    /// - Parameters:
    ///   - family: IPv4 or IPv6; an IPv6 socket carries no IPv4, so that two sockets can have one port.
    ///   - maximumDatagramSize: how many bytes of a datagram are received; 65,535 loses nothing.
    /// - Throws: `outOfResources`, or `wrongFamily` on a system without the family.
    public init(family: AddressFamily, maximumDatagramSize: Int = 65_535) throws(SocketError) {
        try self.init(family: family, maximumDatagramSize: maximumDatagramSize, loop: .shared)
    }

    package init(family: AddressFamily, maximumDatagramSize: Int = 65_535, loop: EventLoop) throws(SocketError) {
        self.loop = loop
        self.family = family
        self.maximumDatagramSize = min(max(0, maximumDatagramSize), 65_535)
        do throws(UnderlyingError) {
            channel = try DatagramChannel(family: family, loop: loop)
        } catch {
            throw SocketError(error, "opening an \(family) socket")
        }
    }

    /// Takes a local address, and with it a port of its own: no other socket can share it.
    ///
    /// - Parameters:
    ///   - address: port 0 takes a free one, see `localAddress`.
    ///   - interface: the name of the only interface to send and receive on; nil for all.
    /// - Throws: `addressInUse`, `addressUnavailable`, `wrongFamily`, `noSuchInterface`, `permissionDenied`, `closed`.
    public func bind(to address: SocketAddress, interface: String? = nil) throws(SocketError) {
        let operation = "binding to \(address)"
        guard address.family == family else { throw SocketError(.wrongFamily, operation) }
        try attempt(operation) { channel throws(UnderlyingError) in
            try channel.bind(to: address, interface: interface)
        }
    }

    /// Takes a port on all addresses of the socket's family. As `bind(to:interface:)`.
    public func bind(port: UInt16, interface: String? = nil) throws(SocketError) {
        try bind(to: .any(family, port: port), interface: interface)
    }

    /// Fixes the peer: only its datagrams arrive, and what its host reports becomes an error of a call. No datagram is sent.
    ///
    /// - Throws: `unreachable` where there is no route, `wrongFamily`, `closed`.
    public func connect(to address: SocketAddress) throws(SocketError) {
        let operation = "connecting to \(address)"
        guard address.family == family else { throw SocketError(.wrongFamily, operation) }
        try attempt(operation) { channel throws(UnderlyingError) in try channel.connect(to: address) }
        peer = address
    }

    /// How many unsent bytes the kernel takes before `send` waits; at least some thousand.
    package func setSendBufferSize(_ bytes: Int) throws(SocketError) {
        try attempt("setting the size of the send buffer") { channel throws(UnderlyingError) in
            try channel.setSendBufferSize(Int32(clamping: bytes))
        }
    }

    /// The address and port that the socket has now; all zero before it is bound, connected or has sent.
    ///
    /// - Throws: `closed`.
    public var localAddress: SocketAddress {
        get throws(SocketError) {
            try attempt("asking for the local address") { channel throws(UnderlyingError) in try channel.localAddress()
            }
        }
    }

    private func attempt<Value>(
        _ operation: String,
        _ body: (DatagramChannel) throws(UnderlyingError) -> Value
    ) throws(SocketError) -> Value {
        guard let channel else { throw SocketError(.closed, operation) }
        do throws(UnderlyingError) {
            return try body(channel)
        } catch {
            throw SocketError(error, operation)
        }
    }

    func nextID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// Closes the socket. Its port is free when this returns. Whoever waits in a call gets the error `closed`, in the order of
    /// the calls; sequences end. Datagrams that nobody has taken are lost.
    public func close() {
        channel = nil
        received = []
        pendingError = nil
        let error = SocketError(.closed, "waiting on a socket")
        var waiters = receivers.map { waiter in (waiter.id, { waiter.continuation.resume(returning: .failure(error)) })
        }
        waiters += senders.map { waiter in (waiter.id, { waiter.continuation.resume(returning: .failure(error)) }) }
        receivers = []
        senders = []
        for (_, end) in waiters.sorted(by: { $0.0 < $1.0 }) { end() }
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
