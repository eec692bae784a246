internal import DiscoverableCore
internal import DiscoverableRuntime

/// What happens on a client's own sockets.
extension Session: DatagramEngineClient {
    nonisolated func hasRoom(on engine: DatagramEngine) -> Bool { true }

    nonisolated func received(_ batch: DatagramBatch, on engine: DatagramEngine) {
        assumeIsolated { session in
            // The socket is connected: whatever it delivers is the peer's, by the address that was tried.
            guard let peer = (session.transport as? ClientTransport)?.peer(of: engine) else { return }
            for datagram in batch { session.receive(datagram, from: peer, now: MonotonicClock.now) }
        }
    }

    nonisolated func failed(_ failure: DatagramFailure, on engine: DatagramEngine) {
        guard let error = failure.error.underlying else { return }
        assumeIsolated { $0.engineReported(error, engine) }
    }

    nonisolated func stopped(_ error: UnderlyingError, on engine: DatagramEngine) {
        // Nothing comes through that socket any more: the same as no way.
        assumeIsolated { $0.engineReported(error, engine, otherwise: .unreachable) }
    }

    private func engineReported(
        _ error: UnderlyingError,
        _ engine: DatagramEngine,
        otherwise fallback: PeerRejection? = nil
    ) {
        guard let peer = (transport as? ClientTransport)?.peer(of: engine) else { return }
        peerReported(error, peer, otherwise: fallback)
        carryOut()
    }

    /// Takes a datagram; the listener calls it for its sessions.
    func receive(_ datagram: Datagram, from source: SocketAddress, now: Instant) {
        machine.receive(
            datagram.bytes.span,
            from: source,
            isComplete: !datagram.isTruncated,
            roomForMessage: unreadMessages < configuration.maximumUnreadMessages,
            now: now
        )
        carryOut()
    }

    /// - Parameter fallback: what an error means that says nothing about the peer; nil for nothing.
    /// How much waits for whoever takes messages. An app that only follows the events has them there.
    private var unreadMessages: Int {
        let followsEventsOnly = eventBroadcast.hasConsumers && !messageBroadcast.hasConsumers
        return followsEventsOnly ? eventBroadcast.unread : messageBroadcast.unread
    }

    func peerReported(_ error: UnderlyingError, _ peer: SocketAddress, otherwise fallback: PeerRejection? = nil) {
        guard let rejection = PeerRejection(error) ?? fallback else { return }
        reports[rejection] = error
        machine.peerRejected(rejection, from: peer, now: MonotonicClock.now)
    }
}

extension PeerRejection {
    /// nil for what says nothing about the peer.
    fileprivate init?(_ error: UnderlyingError) {
        switch error.condition {
        case .refused: self = .refused
        case .unreachable, .addressUnavailable, .familyUnsupported, .permissionDenied, .invalidArgument:
            self = .unreachable
        case .wouldBlock, .interrupted, .noBufferSpace, .inputOutput, .addressInUse, .tooLarge: return nil
        case .outOfResources, .noSuchInterface, .notASocket, .other: return nil
        }
    }
}
