internal import DiscoverableCore
internal import DiscoverableRuntime

/// A discovery for an app's tests: a network in memory, on which exactly that happens what the test says. No daemon, no D-Bus,
/// no packet.
///
/// The app takes `any ServiceDiscovery`; its tests give it one of these and play the network:
///
/// ```swift
/// import DiscoverableTestKit
/// import Testing
///
/// /// The app's own code: a list of printers that a window shows.
/// actor PrinterList {
///     private(set) var names: Set<String> = []
///
///     func follow(_ discovery: any ServiceDiscovery, untilSettled: Bool = false) async throws {
///         for try await event in discovery.browse(try ServiceType("_ipp._tcp")) {
///             switch event {
///             case .added(let printer): names.insert(printer.instance.name.text)
///             case .removed(let printer): names.remove(printer.instance.name.text)
///             case .updated: break
///             case .settled: if untilSettled { return }
///             }
///         }
///     }
/// }
///
/// @Test func aPrinterThatIsThereIsListed() async throws {
///     let discovery = ScriptedDiscovery()
///     discovery.appear(try ScriptedService("Office", type: "_ipp._tcp"))
///     let list = PrinterList()
///     try await list.follow(discovery, untilSettled: true)
///     #expect(await list.names == ["Office"])
/// }
/// ```
///
/// What a verb of the script causes is told before it returns: it waits in the sequences for whoever iterates them, so a test
/// needs no sleep and no clock. There is none in here either: a call that would wait for its time-out in vain throws at once
/// what it would throw then, and what a daemon does not confirm after its return is removed at once.
///
/// As with the real one, a consumer that does not look meanwhile is not told what came and went.
public final class ScriptedDiscovery: ServiceDiscovery {
    let stage: Stage

    /// An empty network with a running daemon.
    ///
    /// - Parameters:
    ///   - interfaces: the interfaces by name, for browses on one of them; `lo` is the loopback interface.
    ///   - settlesAtOnce: whether a browse settles as soon as it has told what is there; otherwise when `settle()` says so.
    ///   - establishesAtOnce: whether what is published is visible at once; otherwise when `establish()` says so.
    public init(
        interfaces: [String: InterfaceIndex] = [
            "lo": InterfaceIndex(rawValue: 1), "lan0": ServicePath.scripted.interface,
        ],
        settlesAtOnce: Bool = true,
        establishesAtOnce: Bool = true
    ) {
        stage = Stage(
            Scenery(interfaces: interfaces),
            settlesAtOnce: settlesAtOnce,
            establishesAtOnce: establishesAtOnce
        )
    }

    /// Where the connection to the scripted daemon stands.
    public var state: DaemonState { stage.states.current }

    /// Where the connection to the scripted daemon stands, from now on.
    public var states: StateSequence<DaemonState> { StateSequence(stage.states) }

    /// Why somebody waits in vain, where it is the daemon's doing; nil where it is not.
    public func failure(while operation: String) -> DiscoveryError? { stage.failure(while: operation) }
}

// MARK: - What an app does

extension ScriptedDiscovery {
    /// The services of one type or subtype on the scripted network; `domain` nil is `local`.
    public func browse(
        _ type: ServiceType,
        subtype: ServiceSubtype?,
        domain: Domain?,
        on scope: DiscoveryScope
    ) -> ServiceBrowser {
        let scope = StagedScope(scope: scope)
        return stage.browser(for: StagedServices(type: type, subtype: subtype, domain: domain, scope: scope))
    }

    /// The types of which there are services on the scripted network; `domain` nil is `local`.
    public func browseTypes(domain: Domain?, on scope: DiscoveryScope) -> ServiceTypeBrowser {
        stage.browser(for: StagedTypes(domain: domain, scope: StagedScope(scope: scope)))
    }

    /// The domains that the script recommends; `domain` nil is `local`, and no other one recommends any.
    public func browseDomains(_ kind: DomainKind, domain: Domain?, on scope: DiscoveryScope) -> DomainBrowser {
        stage.browser(for: StagedDomains(kind: kind, domain: domain, scope: StagedScope(scope: scope)))
    }

    /// What the script answers: see `answer(resolving:with:)`. By default what is on the network, at once.
    public func resolve(
        _ service: BrowsedService,
        timeout: Duration
    ) async throws(DiscoveryError) -> ResolvedService {
        try await stage.resolve(service.instance)
    }

    /// What the script answers: see `answer(resolving:with:)`. By default what is on the network, at once.
    public func resolve(
        _ instance: ServiceInstance,
        timeout: Duration
    ) async throws(DiscoveryError) -> ResolvedService {
        try await stage.resolve(instance)
    }
}
