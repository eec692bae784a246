@_spi(Package) internal import DiscoverableCore
internal import DiscoverableRuntime

extension UDPSocket.Options {
    /// Peers of the classic protocol read 1,024 bytes of a message. Longer ones are taken all the same, but not as long as a datagram
    /// can be: as many as may wait unread would take too much memory.
    static var sessions: Self {
        var options = Self()
        options.maximumDatagramSize = 4_096
        return options
    }
}

/// How a session's datagrams leave. Confined to the session.
protocol SessionTransport: AnyObject {
    /// Sends, without waiting. Returns why it cannot, if that is known at once.
    func send(_ bytes: [UInt8], to peer: SocketAddress, for session: Session) -> UnderlyingError?
    /// From now on there is only this peer.
    func settle(on peer: SocketAddress)
    /// The session is over.
    func close(_ session: Session, peer: SocketAddress?, now: Instant)
}

/// A client's transport: a connected socket for each address that is tried, so that the kernel lets only the peer's datagrams
/// through and tells what the peer's host reports.
final class ClientTransport: SessionTransport {
    private let loop: EventLoop
    private var engines: [SocketAddress: DatagramEngine] = [:]

    init(loop: EventLoop) { self.loop = loop }

    func send(_ bytes: [UInt8], to peer: SocketAddress, for session: Session) -> UnderlyingError? {
        do throws(UnderlyingError) {
            let engine = try engine(to: peer, for: session)
            // What finds no room is lost, as on any link: the rules repeat it.
            _ = unsafe bytes.withUnsafeBytes { unsafe engine.enqueue($0, route: DatagramRoute(nil)) }
            return nil
        } catch {
            return error
        }
    }

    private func engine(to peer: SocketAddress, for session: Session) throws(UnderlyingError) -> DatagramEngine {
        if let engine = engines[peer] { return engine }
        let engine = try DatagramEngine(family: peer.family, options: .sessions, loop: loop)
        try engine.descriptor.connect(to: peer)
        engine.setClient(WeakClient(session))
        // First, so that the session knows whom it is about if the loop cannot watch it.
        engines[peer] = engine
        engine.resumeReading()
        return engine
    }

    deinit { for engine in engines.values { close(engine) } }

    func settle(on peer: SocketAddress) {
        for (address, engine) in engines where address != peer {
            engines[address] = nil
            close(engine)
        }
    }

    func close(_ session: Session, peer: SocketAddress?, now: Instant) {
        for engine in engines.values { close(engine) }
        engines = [:]
    }

    /// What was said last leaves before.
    private func close(_ engine: DatagramEngine) {
        if loop.isOnLoop { engine.flush() }
        engine.shutDown()
    }

    /// The peer that a socket is connected to; nil if it was given up meanwhile.
    func peer(of engine: DatagramEngine) -> SocketAddress? { engines.first { $0.value === engine }?.key }
}

/// A server's transport: the listener's socket, shared with all its other sessions.
final class ListenerTransport: SessionTransport {
    private weak let listener: SessionListener?

    init(listener: SessionListener) { self.listener = listener }

    func send(_ bytes: [UInt8], to peer: SocketAddress, for session: Session) -> UnderlyingError? {
        listener?.assumeIsolated { $0.transmit(bytes, to: peer) }
        return nil
    }

    func settle(on peer: SocketAddress) {}

    func close(_ session: Session, peer: SocketAddress?, now: Instant) {
        guard let peer else { return }
        listener?.assumeIsolated { $0.ended(session, with: peer, now: now) }
    }
}
