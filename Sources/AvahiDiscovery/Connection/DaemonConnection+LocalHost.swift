internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime

/// A name that the host is to get.
final class HostNameRequest {
    let name: String
    let output: LocalHostVerbs.Output
    /// Whether the daemon has taken it and claims it on the network.
    var isClaiming = false

    init(name: String, output: LocalHostVerbs.Output) {
        self.name = name
        self.output = output
    }

    /// Which request is to be sent now: one after the other in their order, so that each learns what became of its own name.
    static func next(of requests: [UInt64: HostNameRequest]) -> UInt64? {
        requests.values.contains(where: \.isClaiming) ? nil : requests.keys.min()
    }
}

extension DaemonConnection {
    /// The host's names; a blocking call after a change of the daemon's state.
    func hostIdentity() throws(AvahiFailure) -> HostIdentity {
        try blocking { () throws(AvahiFailure) in
            switch client {
            case .some(let client): try client.hostIdentity()
            case .none: throw AvahiFailure.disconnected
            }
        }
    }

    /// Somebody wants to know the host's names, from now on.
    func followHost() {
        if hostIsFollowed { return }
        hostIsFollowed = true
        learnHost()
    }

    /// The daemon's state has changed, and with it perhaps its names.
    func learnHost() {
        guard hostIsFollowed else { return }
        guard isReachable, let identity = try? hostIdentity() else { return hostStates.send(.waitingForDaemon) }
        switch link.daemonState {
        case .running:
            hostStates.send(.established(identity))
            endClaims(with: .success(identity))
        case .registering: hostStates.send(.registering(identity))
        case .collision: hostStates.send(.collision(identity))
        case .idle, .noBus, .waitingForDaemon, .retrying: hostStates.send(.waitingForDaemon)
        }
        sendHostNameRequests()
    }

    /// The daemon is gone, and with it the names that it was told.
    func loseHost() {
        guard hostIsFollowed else { return }
        hostStates.send(.waitingForDaemon)
        endClaims(
            with: .failure(
                DiscoveryError(
                    .daemonUnavailable,
                    operation: "naming this host",
                    explanation: "avahi-daemon ended meanwhile, which forgets the name; try again when it is back"
                )
            )
        )
    }
}

// MARK: - Setting the name

extension DaemonConnection {
    func begin(_ request: HostNameRequest, id: UInt64) {
        hostNameRequests[id] = request
        followHost()
        sendHostNameRequests()
    }

    func endHostNameRequest(_ id: UInt64) {
        hostNameRequests[id] = nil
        sendHostNameRequests()
    }

    private func sendHostNameRequests() {
        while isReachable, let id = HostNameRequest.next(of: hostNameRequests), let request = hostNameRequests[id] {
            send(request, id: id)
        }
    }

    private func send(_ request: HostNameRequest, id: UInt64) {
        do {
            try blocking { () throws(AvahiFailure) in
                switch client {
                case .some(let client): try client.setHostName(request.name)
                case .none: throw AvahiFailure.disconnected
                }
            }
            // The daemon withdraws the old name before it answers; that it has the new one comes as a new state.
            request.isClaiming = true
            if let identity = hostStates.current.identity { hostStates.send(.registering(identity)) }
        } catch {
            if connectionIsLost { return }
            hostNameRequests[id] = nil
            let failure = error.error(while: LocalHostVerbs.operation(request.name))
            if error.isNoChange, let identity = hostStates.current.identity {
                request.output.resume(.success(identity))
            } else {
                request.output.resume(.failure(failure))
            }
        }
    }

    private func endClaims(with outcome: LocalHostVerbs.Output.Outcome) {
        for (id, request) in hostNameRequests where request.isClaiming {
            hostNameRequests[id] = nil
            request.output.resume(outcome)
        }
    }
}
