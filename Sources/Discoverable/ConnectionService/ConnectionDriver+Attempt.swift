internal import AvahiDiscovery
internal import DiscoverableConnection
internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime

/// Whom an attempt is to reach.
enum ConnectionTarget: Sendable {
    /// The first service of a type; the port replaces the one that it tells.
    case service(ServiceType, port: UInt16?)
    /// A host by name or address.
    case host(String, port: UInt16)
}

extension ConnectionDriver {
    /// One attempt, from the search to the end of the session. Cancelled where it is replaced or closed.
    func run(_ target: ConnectionTarget, _ configuration: SessionConfiguration, _ epoch: Epoch) async {
        defer { content.withLock { _ = $0.farewells.remove(epoch) } }
        switch await addresses(of: target) {
        case .failure(let error): tell(in: epoch) { $0.ended(.failed(error), in: epoch) }
        case .success(let addresses):
            // Whom nobody has greeted needs no farewell.
            guard content.withLock({ $0.machine.epoch == epoch }) else { return }
            await greet(addresses, configuration, epoch)
        }
    }

    /// Begins the session, and follows it to its end. Where the app has closed the attempt while the peer was being greeted, the
    /// session does at once what it would have done then.
    func greet(_ addresses: [SocketAddress], _ configuration: SessionConfiguration, _ epoch: Epoch) async {
        let session = await Session.begin(connectingTo: addresses, configuration: configuration, loop: loop)
        guard adopt(session, epoch) else {
            let tellsPeer = content.withLock { $0.farewells.contains(epoch) }
            return await session.close(endingPeer: tellsPeer)
        }
        await follow(session, epoch)
    }

    private func addresses(of target: ConnectionTarget) async -> Result<[SocketAddress], DiscoverableError> {
        switch target {
        case .service(let type, let port):
            let outcome = await ServiceSearcher.first(of: type, within: times.discover, discovery ?? .shared)
            return outcome.map { $0.addresses(port: port) }
        case .host(let host, let port):
            do throws(SocketError) {
                return .success(try await SocketAddress.resolve(host: host, port: port, timeout: times.lookUp))
            } catch {
                return .failure(DiscoverableError(lookingUp: error.code))
            }
        }
    }

    private func adopt(_ session: Session, _ epoch: Epoch) -> Bool {
        content.withLock { content in
            guard content.machine.epoch == epoch else { return false }
            content.running.session = session
            return true
        }
    }

    /// Hands in what the session tells, until its end.
    private func follow(_ session: Session, _ epoch: Epoch) async {
        var reader: Task<Void, Never>?
        var abandoned: [String] = []
        for await event in session.events {
            switch event {
            case .connecting, .sent, .strengthChanged, .received: break
            case .connected:
                tell(in: epoch) { $0.connected(in: epoch) }
                reader = Task { await self.read(session, epoch) }
                transmit(to: session, epoch)
            case .acknowledged(_, let text, _): tell(in: epoch) { $0.settled(text, acknowledged: true, in: epoch) }
            case .lost(_, let text): tell(in: epoch) { $0.settled(text, acknowledged: false, in: epoch) }
            case .abandoned(_, let text): abandoned.append(text)
            case .closed(let reason):
                await reader?.value
                let error = SessionError(.closed(reason), "sending a message")
                tell(in: epoch) { $0.ended(.disconnected, abandoned: abandoned, because: error, in: epoch) }
            case .failed(let failure):
                let state = Discoverable.State(failure, underlying: await session.connectError?.underlying)
                let error = SessionError(.connectFailed(failure), "sending a message")
                tell(in: epoch) { $0.ended(state, because: error, in: epoch) }
            }
        }
    }

    /// Tells message after message, each when the one before has been told: what the app is too slow for is not acknowledged.
    private func read(_ session: Session, _ epoch: Epoch) async {
        for await text in session.messages {
            let done = SingleAnswer<Void>()
            content.withLock { $0.notices.append(.received(text), epoch, done: done) }
            deliver()
            await done.wait()
        }
    }

    /// Has the session take what is to be sent, in the order in which the app has sent it.
    func transmit(to session: Session, _ epoch: Epoch) {
        loop.execute { session.assumeIsolated { self.transmitAll(to: $0, epoch) } }
    }

    private func transmitAll(to session: isolated Session, _ epoch: Epoch) {
        while let text = content.withLock({ $0.machine.takeOutgoing(in: epoch) }) {
            do throws(SessionError) {
                try session.enqueue(text)
            } catch {
                tell(in: epoch) { $0.refused(text, error, in: epoch) }
            }
        }
    }

    private func tell(in epoch: Epoch, _ verb: (inout ConnectionMachine) -> [ConnectionMachine.Notice]) {
        content.withLock { content in
            content.tell(verb(&content.machine))
            if content.machine.isOver { content.running = Running() }
        }
        deliver()
    }
}

extension ResolvedService {
    /// Where to greet it: at the caller's port, else at the one that it tells, else at the classic one.
    func addresses(port: UInt16?) -> [SocketAddress] {
        let port = port ?? (self.port == 0 ? 1024 : self.port)
        return addresses.map { SocketAddress($0.ip, port: port, scope: $0.scope) }
    }
}
