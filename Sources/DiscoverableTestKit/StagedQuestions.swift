internal import DiscoverableCore

/// A scope with the scripted network's interfaces.
struct StagedScope: Sendable {
    let scope: DiscoveryScope

    /// The ways of these that lie within the scope.
    func within(_ paths: [ServicePath], of scenery: Scenery) -> [ServicePath] {
        paths.filter { path in
            guard scope.family.map({ $0 == path.family }) ?? true else { return false }
            return switch scope.interface {
            case .any: true
            case .index(let index): path.interface == index
            case .name(let name): path.interface == scenery.interfaces[name]
            case .loopback: path.interface == scenery.interfaces["lo"]
            }
        }
    }
}

/// nil asks the default domain, which is `local` here.
private func isAsked(_ domain: Domain?, of place: Domain) -> Bool { (domain ?? .local) == place }

struct StagedServices: StagedQuestion {
    typealias Found = BrowsedService
    let type: ServiceType
    let subtype: ServiceSubtype?
    let domain: Domain?
    let scope: StagedScope

    func identity(of service: ScriptedService) -> ServiceInstance? {
        service.instance.type == type && isAsked(domain, of: service.instance.domain) ? service.instance : nil
    }

    func seen(
        in scenery: Scenery,
        only identity: ServiceInstance?
    ) -> [ServiceInstance: [ServicePath: SightingFlags]] {
        let candidates = identity.map { [scenery.services[$0]].compactMap { $0 } } ?? Array(scenery.services.values)
        var seen: [ServiceInstance: [ServicePath: SightingFlags]] = [:]
        for service in candidates where self.identity(of: service) != nil {
            if let subtype, !service.subtypes.contains(subtype) { continue }
            let paths = scope.within(service.paths, of: scenery)
            seen[service.instance] = Dictionary(paths.map { ($0, service.flags) }) { first, _ in first }
        }
        return seen
    }
}

struct StagedTypes: StagedQuestion {
    typealias Found = BrowsedServiceType
    let domain: Domain?
    let scope: StagedScope

    func identity(of service: ScriptedService) -> BrowsedServiceType.Identity? {
        guard isAsked(domain, of: service.instance.domain) else { return nil }
        return BrowsedServiceType.Identity(type: service.instance.type, domain: service.instance.domain)
    }

    func seen(
        in scenery: Scenery,
        only identity: BrowsedServiceType.Identity?
    ) -> [BrowsedServiceType.Identity: [ServicePath: SightingFlags]] {
        var seen: [BrowsedServiceType.Identity: [ServicePath: SightingFlags]] = [:]
        for service in scenery.services.values {
            guard let shown = self.identity(of: service), identity.map({ $0 == shown }) ?? true else { continue }
            for path in scope.within(service.paths, of: scenery) {
                seen[shown, default: [:]][path, default: []].formUnion(service.flags)
            }
        }
        return seen
    }
}

struct StagedDomains: StagedQuestion {
    typealias Found = BrowsedDomain
    let kind: DomainKind
    let domain: Domain?
    let scope: StagedScope

    func identity(of service: ScriptedService) -> Domain? { nil }

    func seen(in scenery: Scenery, only identity: Domain?) -> [Domain: [ServicePath: SightingFlags]] {
        guard isAsked(domain, of: .local) else { return [:] }
        let paths = scope.within([.scripted], of: scenery)
        let places = Dictionary(paths.map { ($0, SightingFlags()) }) { first, _ in first }
        return Dictionary(uniqueKeysWithValues: (scenery.domains[kind] ?? []).map { ($0, places) })
    }
}
