/// What an app needs of discovery, so that its tests can put something else in the place of the daemon: `Discovery` is the real
/// one, `ScriptedDiscovery` of the product DiscoverableTestKit the one that plays what a test says.
///
/// An app that wants to be tested takes `any ServiceDiscovery` where it would take `Discovery`.
public protocol ServiceDiscovery: Sendable {
    /// Where the connection to the daemon stands.
    var state: DaemonState { get }
    /// Where the connection to the daemon stands, from now on; see `Discovery.states`.
    var states: StateSequence<DaemonState> { get }
    /// Why somebody waits in vain, where it is the daemon's doing: an error for `operation` that says what to do about it; nil
    /// where the daemon is there and answers.
    func failure(while operation: String) -> DiscoveryError?

    /// The services of one type or subtype; see `Discovery.browse(_:subtype:domain:on:)`.
    func browse(
        _ type: ServiceType,
        subtype: ServiceSubtype?,
        domain: Domain?,
        on scope: DiscoveryScope
    ) -> ServiceBrowser
    /// The types of which there are services; see `Discovery.browseTypes(domain:on:)`.
    func browseTypes(domain: Domain?, on scope: DiscoveryScope) -> ServiceTypeBrowser
    /// Recommended domains; see `Discovery.browseDomains(_:domain:on:)`.
    func browseDomains(_ kind: DomainKind, domain: Domain?, on scope: DiscoveryScope) -> DomainBrowser

    /// Where a service listens that a browse has told; see `Discovery.resolve(_:timeout:)`.
    func resolve(_ service: BrowsedService, timeout: Duration) async throws(DiscoveryError) -> ResolvedService
    /// Where a service listens that is known by its name; see `Discovery.resolve(_:timeout:)`.
    func resolve(_ instance: ServiceInstance, timeout: Duration) async throws(DiscoveryError) -> ResolvedService

    /// Publishes something as one and returns when it is visible; see `Discovery.publish(_:timeout:)`.
    func publish(_ advertisement: Advertisement, timeout: Duration?) async throws(DiscoveryError) -> Publication
    /// Begins to publish and returns at once; see `Discovery.beginPublishing(_:)`.
    func beginPublishing(_ advertisement: Advertisement) throws(DiscoveryError) -> Publication
}

extension Discovery: ServiceDiscovery {}

// The verbs with what is mostly meant. Each has another signature than the requirement, which it therefore cannot stand in for:
// with the same one, a conformance that forgot a verb would call itself for ever.

extension ServiceDiscovery {
    /// The services of one type or subtype, everywhere where nothing else is said.
    public func browse(
        _ type: ServiceType,
        subtype: ServiceSubtype? = nil,
        domain: Domain? = nil,
        on scope: DiscoveryScope? = nil
    ) -> ServiceBrowser {
        browse(type, subtype: subtype, domain: domain, on: scope ?? .everywhere)
    }

    /// The types of which there are services, everywhere where nothing else is said.
    public func browseTypes(domain: Domain? = nil, on scope: DiscoveryScope? = nil) -> ServiceTypeBrowser {
        browseTypes(domain: domain, on: scope ?? .everywhere)
    }

    /// Recommended domains; for browsing and everywhere where nothing else is said.
    public func browseDomains(
        _ kind: DomainKind = .browse,
        domain: Domain? = nil,
        on scope: DiscoveryScope? = nil
    ) -> DomainBrowser {
        browseDomains(kind, domain: domain, on: scope ?? .everywhere)
    }

    /// Where a service listens that a browse has told, within five seconds.
    public func resolve(_ service: BrowsedService) async throws(DiscoveryError) -> ResolvedService {
        try await resolve(service, timeout: .seconds(5))
    }

    /// Where a service listens that is known by its name, within five seconds.
    public func resolve(_ instance: ServiceInstance) async throws(DiscoveryError) -> ResolvedService {
        try await resolve(instance, timeout: .seconds(5))
    }

    /// Publishes something as one and returns when it is visible, within thirty seconds.
    public func publish(_ advertisement: Advertisement) async throws(DiscoveryError) -> Publication {
        try await publish(advertisement, timeout: .seconds(30))
    }

    /// Publishes a service and returns when it is visible.
    ///
    /// - Parameters:
    ///   - service: the service.
    ///   - policy: what happens where another host holds the name, now or later.
    ///   - timeout: how long to wait until it is visible; nil waits as long as it takes.
    /// - Throws: `DiscoveryError`, as `Discovery.publish(_:timeout:)`.
    public func publish(
        _ service: ServiceAdvertisement,
        onCollision policy: Advertisement.CollisionPolicy = .rename,
        timeout: Duration? = .seconds(30)
    ) async throws(DiscoveryError) -> Publication {
        try await publish(Advertisement([service], onCollision: policy), timeout: timeout)
    }
}
