@_spi(Package) public import DiscoverableCore
internal import DiscoverableRuntime

/// What went wrong with datagrams that had left, or that nobody waited for. The socket goes on.
public struct DatagramFailure: Hashable, Sendable {
    /// Who says so.
    public enum Origin: Hashable, Sendable {
        /// The peer's host or a router on the way (ICMP), by the address given; nil where the kernel does not say whose.
        case network(reporter: IPAddress?)
        /// This host's kernel refused datagrams that were enqueued.
        case local
    }

    /// Where the datagrams went; nil where the kernel does not say, and for the peer of a connected socket.
    public let peer: SocketAddress?
    /// Who says so.
    public let origin: Origin
    /// What went wrong.
    public let error: SocketError
    /// How many datagrams of ours were refused; 1 for each report of the network's.
    public let datagrams: Int
    /// The largest packet that passes, where one was too large (the MTU of the path).
    public let pathMTU: Int?

    init(_ report: DatagramReport, peer: SocketAddress?) {
        let peer = report.peer ?? peer
        self.peer = peer
        origin = .network(reporter: report.reporter)
        error = SocketError(report.error, "reaching \(peer?.description ?? "a peer")")
        datagrams = 1
        pathMTU = report.pathMTU
    }

    /// A datagram that found no room among those that wait.
    init(dropped peer: SocketAddress?) {
        self.peer = peer
        origin = .local
        error = SocketError(.outOfResources, "sending to \(peer?.description ?? "the peer")")
        datagrams = 1
        pathMTU = nil
    }

    /// The socket can do nothing any more, and closes.
    init(stopped underlying: UnderlyingError) {
        peer = nil
        origin = .local
        error = SocketError(underlying, "watching the socket")
        datagrams = 0
        pathMTU = nil
    }

    init(_ outcome: SendMachine.Outcome, _ underlying: UnderlyingError, peer: SocketAddress?) {
        let peer = outcome.route.destination ?? peer
        self.peer = peer
        origin = .local
        error = SocketError(underlying, "sending to \(peer?.description ?? "the peer")")
        datagrams = outcome.datagrams
        pathMTU = nil
    }
}
