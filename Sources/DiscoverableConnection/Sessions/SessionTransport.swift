internal import DiscoverableCore
internal import DiscoverableRuntime

/// How a session's datagrams leave. Confined to the session.
protocol SessionTransport: AnyObject {
    /// Sends, without waiting. Returns what the peer's host has reported, if that came to light.
    func send(_ bytes: [UInt8], to peer: SocketAddress, for session: Session) -> SessionMachine.PeerRejection?
    /// From now on there is only this peer.
    func settle(on peer: SocketAddress)
    /// The session is over.
    func close(peer: SocketAddress?, now: Instant)
}

/// A client's transport: a connected socket for each address that is tried, so that the kernel lets only the peer's datagrams
/// through and tells what the peer's host reports.
final class ClientTransport: SessionTransport {
    private let loop: EventLoop
    private var channels: [SocketAddress: DatagramChannel] = [:]

    init(loop: EventLoop) { self.loop = loop }

    func send(_ bytes: [UInt8], to peer: SocketAddress, for session: Session) -> SessionMachine.PeerRejection? {
        do throws(UnderlyingError) {
            let error = try channel(to: peer, for: session).post(bytes, to: nil, handler: session)
            return error.flatMap(SessionMachine.PeerRejection.init)
        } catch {
            // No socket and no route now: the next repetition tries again.
            return SessionMachine.PeerRejection(error) ?? .unreachable
        }
    }

    private func channel(to peer: SocketAddress, for session: Session) throws(UnderlyingError) -> DatagramChannel {
        if let channel = channels[peer] { return channel }
        let channel = try DatagramChannel(family: peer.family, loop: loop)
        try channel.connect(to: peer)
        try channel.watch(.readable, handler: session)
        channels[peer] = channel
        return channel
    }

    func settle(on peer: SocketAddress) { channels = channels.filter { $0.key == peer } }

    func close(peer: SocketAddress?, now: Instant) { channels = [:] }

    /// The channel that an event is for, with its peer; nil if it was closed meanwhile.
    func channel(for registration: Registration) -> (SocketAddress, DatagramChannel)? {
        channels.first { $0.value.owns(registration) }.map { ($0.key, $0.value) }
    }
}

/// A server's transport: the listener's socket, shared with all its other sessions.
final class ListenerTransport: SessionTransport {
    private weak let listener: SessionListener?

    init(listener: SessionListener) { self.listener = listener }

    func send(_ bytes: [UInt8], to peer: SocketAddress, for session: Session) -> SessionMachine.PeerRejection? {
        listener?.assumeIsolated { $0.transmit(bytes, to: peer) }
        return nil
    }

    func settle(on peer: SocketAddress) {}

    func close(peer: SocketAddress?, now: Instant) {
        guard let peer else { return }
        listener?.assumeIsolated { $0.sessionEnded(with: peer, now: now) }
    }
}

extension SessionMachine.PeerRejection {
    init?(_ error: UnderlyingError) {
        switch error.condition {
        case .refused: self = .refused
        case .unreachable, .addressUnavailable, .familyUnsupported, .permissionDenied: self = .unreachable
        case .addressInUse, .tooLarge, .outOfResources, .noSuchInterface, .other: return nil
        }
    }
}
