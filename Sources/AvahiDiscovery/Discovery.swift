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
    private let browseDomains: [Domain]

    /// A connection to the daemon of its own. Nothing is asked of the daemon before it is used.
    ///
    /// - Parameter diagnostics: who is told what it does with the daemon; nil for nobody.
    /// - Throws: `DiscoveryError` with code `outOfResources` where the process can have no further thread or descriptor.
    public convenience init(diagnostics: DiscoveryDiagnostics? = nil) throws(DiscoveryError) {
        try self.init(faults: nil, diagnostics: diagnostics)
    }

    /// One whose calls to the daemon fail as planned.
    /// - Parameter browseDomains: what the environment names, separated by colons.
    init(
        faults: FaultPlan?,
        diagnostics: DiscoveryDiagnostics? = nil,
        browseDomains: String? = Environment.value(of: "AVAHI_BROWSE_DOMAINS")
    ) throws(DiscoveryError) {
        self.browseDomains = browseDomains.map(DomainQuestion.domains(listedIn:)) ?? []
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

    /// Why somebody waits in vain, where it is the daemon's doing: an error for `operation` that says what to do about it; nil
    /// where the daemon is there and answers.
    public func failure(while operation: String) -> DiscoveryError? {
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
    /// The services of one type, as they come and go. Costs one object of the daemon while anybody iterates:
    /// all who ask the same question through one `Discovery` share it.
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
        browser(for: ServiceQuestion(type: type, subtype: subtype, domain: domain, scope: scope))
    }

    /// The types of which there are services, as the first instance of each comes and the last one goes (RFC 6763 section
    /// 9). Costs one object of the daemon while anybody iterates.
    ///
    /// - Parameters:
    ///   - domain: the domain; nil for the daemon's default, which is `local`.
    ///   - scope: the part of the network to look on.
    public func browseTypes(domain: Domain? = nil, on scope: DiscoveryScope = .everywhere) -> ServiceTypeBrowser {
        browser(for: TypeQuestion(domain: domain, scope: scope))
    }

    /// The domains that are recommended for browsing or publishing (RFC 6763 section 11). On most networks there are none.
    /// For browsing the daemon's own `browse-domains` are told too, and those that the environment variable
    /// `AVAHI_BROWSE_DOMAINS` of this process lists, separated by colons. Costs one object of the daemon while somebody iterates.
    ///
    /// - Parameters:
    ///   - kind: what the domains are for.
    ///   - domain: the domain that is asked; nil for the daemon's default, which is `local`.
    ///   - scope: the part of the network to look on.
    public func browseDomains(
        _ kind: DomainKind = .browse,
        domain: Domain? = nil,
        on scope: DiscoveryScope = .everywhere
    ) -> DomainBrowser {
        let configured = kind == .browse && domain == nil ? browseDomains : []
        return browser(for: DomainQuestion(kind: kind, domain: domain, scope: scope, configured: configured))
    }

    private func browser<Question: BrowseQuestion>(for question: Question) -> Browser<Question.Found> {
        Browser { [connection] output in
            let consumer = connection.makeID()
            connection.submit { $0.follow(question, consumer, output) }
            return { connection.submit { $0.unfollow(consumer) } }
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
        let output = Waiter<ResolvedService, DiscoveryError>()
        let operation = "resolving \(instance)"
        connection.submit { $0.begin(ResolveTask(instance: instance, paths: paths, output: .caller(output)), id: id) }
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
