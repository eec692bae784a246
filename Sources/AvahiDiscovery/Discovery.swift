internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime

/// Finding, resolving and publishing services on the local network, over avahi-daemon.
///
/// It may be made before the daemon or even D-Bus runs: it connects when they appear, and again whenever they return. A
/// process needs one, since each has a D-Bus connection and a thread of its own: `Discovery.shared`, or one that the app
/// makes and hands on. All methods may be called from any task and any thread; none blocks, also while the daemon hangs.
public final class Discovery: Sendable {
    /// The one that is used where an app names none.
    public static let shared: Discovery = {
        do throws(DiscoveryError) {
            return try Discovery()
        } catch {
            fatalError("\(error)")  // safe because no peer reaches it: the process is out of threads or descriptors
        }
    }()

    let connection: DaemonConnection

    /// A connection to the daemon of its own. Nothing is asked of the daemon before it is used.
    ///
    /// - Parameter diagnostics: who is told what it does with the daemon; nil for nobody.
    /// - Throws: `DiscoveryError` with code `outOfResources` where the process can have no further thread or descriptor.
    public convenience init(diagnostics: DiscoveryDiagnostics? = nil) throws(DiscoveryError) {
        try self.init(faults: nil, diagnostics: diagnostics)
    }

    /// One whose calls to the daemon fail as planned.
    init(faults: FaultPlan?, diagnostics: DiscoveryDiagnostics? = nil) throws(DiscoveryError) {
        do throws(UnderlyingError) {
            connection = try DaemonConnection(faults: faults, diagnostics: diagnostics)
        } catch {
            throw DiscoveryError(
                .outOfResources,
                operation: "preparing to talk to avahi-daemon",
                explanation: "the process can have no further thread or descriptor; close some, or raise `ulimit -n`",
                underlying: error
            )
        }
    }

    /// Why somebody waited in vain, where it is the daemon's doing; nil where it is not.
    package func failure(while operation: String) -> DiscoveryError? {
        let now = MonotonicClock.now
        return connection.situation.withLock { $0.failure(while: operation, now: now) }
    }

    /// Where the connection to the daemon stands: for an app to show. Nothing is connected before something is asked for.
    public var state: DaemonState { connection.states.current }

    /// Where the connection to the daemon stands, from now on. Any number of consumers; each finds the newest state.
    public var states: StateSequence<DaemonState> { StateSequence(connection.states) }
}

// MARK: - Browsing

extension Discovery {
    /// The services of one type, as they come and go. Costs one object of the daemon for each iterator.
    ///
    /// - Parameters:
    ///   - type: the service type, such as `_http._tcp`.
    ///   - subtype: the narrower kind to look for; what is found is told under the type itself. nil for all of the type.
    ///   - domain: the domain; nil for the daemon's default, which is `local`.
    ///   - scope: the part of the network to look on.
    public func browse(
        _ type: ServiceType,
        subtype: ServiceSubtype? = nil,
        domain: Domain? = nil,
        on scope: DiscoveryScope = .everywhere
    ) -> ServiceBrowser {
        let name = subtype?.fullText(of: type) ?? type.text
        return ServiceBrowser(connection: connection, operation: "browsing for \(name)") {
            client,
            handle,
            inbox throws(AvahiFailure) in
            let scope = try AvahiScope(scope)
            return try client.makeServiceBrowser(name, domain: domain, on: scope, handle: handle, inbox: inbox)
        } report: { event in
            if case .serviceBrowser(let report) = event { report } else { nil }
        }
    }

    /// The types of which there are services, as the first instance of each comes and the last one goes (RFC 6763 section
    /// 9). Costs one object of the daemon for each iterator.
    ///
    /// - Parameters:
    ///   - domain: the domain; nil for the daemon's default, which is `local`.
    ///   - scope: the part of the network to look on.
    public func browseTypes(domain: Domain? = nil, on scope: DiscoveryScope = .everywhere) -> ServiceTypeBrowser {
        ServiceTypeBrowser(connection: connection, operation: "browsing for service types") {
            client,
            handle,
            inbox throws(AvahiFailure) in
            let scope = try AvahiScope(scope)
            return try client.makeTypeBrowser(domain: domain, on: scope, handle: handle, inbox: inbox)
        } report: { event in
            if case .typeBrowser(let report) = event { report } else { nil }
        }
    }
}

// MARK: - Resolving

extension Discovery {
    /// Finds out where a service listens that a browse has told.
    ///
    /// Costs one object of the daemon while it runs, and two more for each host that is being looked up. Where the daemon has
    /// no more objects, resolves wait their turn; where it has none for the look-up, the result has one address only.
    /// Cancelling frees what it has.
    ///
    /// - Parameters:
    ///   - service: the service; its paths tell which addresses are to be waited for.
    ///   - timeout: how long to wait in all.
    /// - Throws: `DiscoveryError`: `notFound` where nobody answers for the service in time; `daemonUnavailable` and
    ///   `daemonNotResponding` where it is the daemon that does not; `cancelled`.
    public func resolve(
        _ service: BrowsedService,
        timeout: Duration = .seconds(5)
    ) async throws(DiscoveryError) -> ResolvedService {
        try await resolve(service.instance, paths: service.paths, timeout: timeout)
    }

    /// Finds out where a service listens that is known by its name. Takes a second, since nobody knows how many addresses
    /// to wait for; apart from that like `resolve(_:timeout:)` of a browsed service.
    ///
    /// - Parameters:
    ///   - instance: the service.
    ///   - timeout: how long to wait in all.
    /// - Throws: `DiscoveryError`, as for a browsed service.
    public func resolve(
        _ instance: ServiceInstance,
        timeout: Duration = .seconds(5)
    ) async throws(DiscoveryError) -> ResolvedService {
        try await resolve(instance, paths: [], timeout: timeout)
    }

    private func resolve(
        _ instance: ServiceInstance,
        paths: [ServicePath],
        timeout: Duration
    ) async throws(DiscoveryError) -> ResolvedService {
        let id = connection.makeID()
        let output = ResolveTask.Output()
        let operation = "resolving \(instance)"
        connection.submit { $0.begin(ResolveTask(instance: instance, paths: paths, output: output), id: id) }
        defer { connection.submit { $0.endResolution(id) } }
        return try await output.value(within: timeout) { [self] in
            failure(while: operation)
                ?? DiscoveryError(
                    .notFound,
                    operation: operation,
                    explanation: "nobody answered for it within \(timeout); see with `dscv browse` whether it is there"
                )
        } cancelled: {
            .cancelled(while: operation)
        }
    }
}

// MARK: - Publishing

extension Discovery {
    /// Publishes a service of this host and returns when it is visible, which takes about a second. Costs one object of the
    /// daemon until it is withdrawn.
    ///
    /// Where another host holds the name, another one is taken: `publication.name`. From then on it stays published, also
    /// across restarts of the daemon, until `withdraw()` or until the last reference to the publication is gone. Cancelling
    /// the call withdraws what was registered so far.
    ///
    /// - Parameters:
    ///   - advertisement: the service.
    ///   - timeout: how long to wait until it is visible; nil waits as long as it takes, also for a daemon that is not there.
    /// - Throws: `DiscoveryError`: `invalidName` for a name with control characters (RFC 6763 section 4.1.1), `notPermitted`
    ///   where the daemon's configuration forbids publishing, `tooManyObjects`, `daemonUnavailable`,
    ///   `daemonNotResponding`, `cancelled`.
    public func publish(
        _ advertisement: ServiceAdvertisement,
        timeout: Duration? = .seconds(30)
    ) async throws(DiscoveryError) -> Publication {
        let publication = try beginPublishing(advertisement)
        // From here on the publication's own end withdraws it, however this call ends.
        try await waitUntilVisible(publication, advertisement, within: timeout)
        return publication
    }

    /// Begins to publish a service and returns at once, also where there is no daemon: the publication's states tell how far
    /// it is.
    ///
    /// - Throws: `DiscoveryError` with code `invalidName` for a name with control characters.
    package func beginPublishing(_ advertisement: ServiceAdvertisement) throws(DiscoveryError) -> Publication {
        if advertisement.name.hasControlCharacters {
            throw DiscoveryError(
                .invalidName,
                operation: advertisement.operation,
                explanation:
                    "the name holds ASCII control characters, which RFC 6763 section 4.1.1 forbids; remove them"
            )
        }
        let id = connection.makeID()
        let record = PublicationRecord(name: advertisement.name)
        let publication = Publication(connection: connection, id: id, record: record)
        connection.submit { $0.begin(PublishTask(advertisement, record: record), id: id) }
        return publication
    }

    /// Waits until a publication of an advertisement is visible. Cancelling ends the waiting; the publication goes on.
    ///
    /// - Parameter timeout: how long to wait; nil for as long as it takes.
    /// - Throws: `DiscoveryError`, as `publish(_:timeout:)`.
    package func waitUntilVisible(
        _ publication: Publication,
        _ advertisement: ServiceAdvertisement,
        within timeout: Duration?
    ) async throws(DiscoveryError) {
        let (states, operation) = (publication.states, advertisement.operation)
        let outcome = Waiter<Void, DiscoveryError>()
        let follower = Task {
            for await state in states {
                switch state {
                case .waitingForDaemon, .registering: continue
                case .established: outcome.resume(.success(()))
                case .failed(let error): outcome.resume(.failure(error))
                case .withdrawn: outcome.resume(.failure(.cancelled(while: operation)))
                }
                return
            }
        }
        defer { follower.cancel() }
        try await outcome.value(within: timeout) { [self] in
            failure(while: operation)
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

extension ServiceAdvertisement {
    /// What is being done where publishing it fails.
    fileprivate var operation: String { "publishing \"\(name)\" (\(type))" }
}
