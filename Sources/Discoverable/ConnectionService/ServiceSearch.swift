internal import DiscoverableCore

/// Looking for the first service of a type that tells where it listens, as a pure value. All that are found are resolved
/// side by side, so that one that is listed but gone holds up no other.
struct ServiceSearch: Sendable {
    /// What the driver has to do.
    enum Action: Hashable, Sendable {
        case none
        case resolve(BrowsedService)
        case finish(Result<ResolvedService, DiscoverableError>)
    }

    private var resolving: Set<ServiceInstance> = []
    private var vanished: Set<ServiceInstance> = []
    private var failure: DiscoverableError?
    private var isBrowsing = true
    private var isOver = false

    /// The browse has told something.
    mutating func browsed(_ event: BrowseEvent<BrowsedService>) -> Action {
        guard !isOver, isBrowsing else { return .none }
        switch event {
        case .added(let service), .updated(let service):
            vanished.remove(service.instance)
            return resolving.insert(service.instance).inserted ? .resolve(service) : .none
        case .removed(let service):
            vanished.insert(service.instance)
            return .none
        case .settled:
            return .none
        }
    }

    /// A resolving has ended.
    mutating func resolved(
        _ instance: ServiceInstance,
        _ result: Result<ResolvedService, DiscoveryError>
    ) -> Action {
        guard !isOver, resolving.remove(instance) != nil else { return .none }
        switch result {
        case .success(let service):
            guard service.addresses.isEmpty else { return finish(.success(service)) }
            return failed(.discoverResolveFailed)
        case .failure(let error):
            let isGone = error.code == .notFound && vanished.contains(instance)
            return failed(isGone ? .discoverResolveServiceNotFound : DiscoverableError(resolving: error.code))
        }
    }

    /// The time to find a service is over; what is being resolved may still succeed.
    mutating func browsingTimedOut() -> Action {
        guard !isOver else { return .none }
        isBrowsing = false
        return finishIfNothingIsLeft()
    }

    /// The browse has failed.
    mutating func browsingFailed(_ error: DiscoveryError) -> Action {
        guard !isOver else { return .none }
        return finish(.failure(DiscoverableError(browsing: error.code)))
    }

    private mutating func failed(_ error: DiscoverableError) -> Action {
        failure = error
        return finishIfNothingIsLeft()
    }

    private mutating func finishIfNothingIsLeft() -> Action {
        guard !isBrowsing, resolving.isEmpty else { return .none }
        return finish(.failure(failure ?? .discoverTimeout))
    }

    private mutating func finish(_ result: Result<ResolvedService, DiscoverableError>) -> Action {
        isOver = true
        return .finish(result)
    }
}
