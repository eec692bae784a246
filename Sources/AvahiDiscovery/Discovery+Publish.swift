internal import DiscoverableCore
internal import DiscoverableRuntime

extension Discovery {
    /// Publishes a service and returns when it is visible, which takes about a second. Costs one object of the daemon until
    /// it is withdrawn.
    ///
    /// Where another host holds the name, another one is taken: `publication.name`. From then on it stays published, also
    /// across restarts of the daemon, until `withdraw()` or until the last reference to the publication is gone. Cancelling
    /// the call withdraws what was registered so far.
    ///
    /// - Parameters:
    ///   - service: the service.
    ///   - policy: what happens where another host holds the name, now or later.
    ///   - timeout: how long to wait until it is visible; nil waits as long as it takes, also for a daemon that is not there.
    /// - Throws: `DiscoveryError`, as for several services.
    public func publish(
        _ service: ServiceAdvertisement,
        onCollision policy: Advertisement.CollisionPolicy = .rename,
        timeout: Duration? = .seconds(30)
    ) async throws(DiscoveryError) -> Publication {
        try await publish(Advertisement([service], onCollision: policy), timeout: timeout)
    }

    /// Publishes services, addresses of hosts, aliases and records as one, and returns when they are visible. That takes about
    /// a second, and about one more where there are hosts, aliases or unique records, whose names are looked for first. Costs
    /// one object of the daemon until it is withdrawn, and up to four for each of those names while they are looked for.
    ///
    /// Where another host holds the name of a service, all services of the advertisement get other names, since the daemon
    /// does not say whose was taken; equal names stay equal. From then on it stays published, also across restarts of the
    /// daemon, until `withdraw()` or until the last reference to the publication is gone. Cancelling the call withdraws what
    /// was registered so far.
    ///
    /// - Important: With no usable network interface the daemon calls at once visible what nobody can see yet. When an
    ///   interface comes, it is told there, and a collision may come then.
    /// - Parameters:
    ///   - advertisement: what is to be published.
    ///   - timeout: how long to wait until it is visible; nil waits as long as it takes, also for a daemon that is not there.
    /// - Throws: `DiscoveryError`. Before anything is sent: `invalidName` for a name with control characters (RFC 6763
    ///   section 4.1.1) and for a host name without a domain; `invalidTXTRecord` and `invalidRecord` for records that
    ///   no packet carries, which is about 1,400 bytes on Ethernet; `invalidArgument` for nothing at all, more than 32 entries, and names that contradict each other. From
    ///   the network: `nameCollision` where the name of a host, an alias or a unique record is taken, or that of a service
    ///   which is not to be renamed. From the daemon: `notPermitted` where its configuration forbids publishing,
    ///   `tooManyObjects`, `daemonUnavailable`, `daemonNotResponding`. And `cancelled`.
    public func publish(
        _ advertisement: Advertisement,
        timeout: Duration? = .seconds(30)
    ) async throws(DiscoveryError) -> Publication {
        let publication = try beginPublishing(advertisement)
        // From here on the publication's own end withdraws it, however this call ends.
        try await waitUntilVisible(publication, within: timeout)
        return publication
    }

    /// Begins to publish and returns at once, also where there is no daemon: the publication's states tell how far it is.
    ///
    /// - Throws: `DiscoveryError` for what is refused before anything is sent, as `publish(_:timeout:)`.
    public func beginPublishing(_ advertisement: Advertisement) throws(DiscoveryError) -> Publication {
        try advertisement.check()
        try advertisement.check(fitting: PacketLimit.ofSystem)
        let id = connection.makeID()
        let record = PublicationRecord(advertisement, fitting: PacketLimit.ofSystem)
        let verbs = PublicationVerbs { [connection] txt, position in
            connection.submit { $0.change(txt, ofService: position, ofPublication: id) }
        } end: { [connection] done in
            connection.submit {
                $0.endPublication(id)
                done()
            }
        }
        let publication = Publication(record, verbs)
        connection.submit { $0.begin(PublishTask(advertisement, record: record), id: id) }
        return publication
    }
}

extension ServiceDiscovery {
    /// Waits until a publication is visible. Cancelling ends the waiting; the publication goes on.
    ///
    /// - Parameter timeout: how long to wait; nil for as long as it takes.
    /// - Throws: `DiscoveryError`, as `publish(_:timeout:)`.
    package func waitUntilVisible(
        _ publication: Publication,
        within timeout: Duration?
    ) async throws(DiscoveryError) {
        // The follower must not keep what a cancelled caller lets go of.
        let (states, operation) = (publication.states(keeping: nil), publication.operation)
        let outcome = Waiter<Void, DiscoveryError>()
        let follower = Task {
            for await state in states {
                switch state {
                case .waitingForDaemon, .registering, .renaming, .republishing: continue
                case .established: outcome.resume(.success(()))
                case .failed(let error): outcome.resume(.failure(error))
                case .withdrawn: outcome.resume(.failure(.cancelled(while: operation)))
                }
                return
            }
        }
        defer { follower.cancel() }
        try await outcome.value(within: timeout) { [self] in
            failure(while: operation) ?? publication.obstacle
                ?? DiscoveryError(
                    .daemonNotResponding,
                    operation: operation,
                    explanation: "avahi-daemon did not establish it in time; see its log: journalctl -u avahi-daemon"
                )
        } cancelled: {
            .cancelled(while: operation)
        }
    }
}
