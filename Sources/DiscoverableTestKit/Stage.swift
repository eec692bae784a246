internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime

/// What a scripted discovery knows, behind a lock. What changes leave to be told is told outside the lock, in the order of the
/// changes, before the call that made the change returns (where two threads script at once, before one of both does).
final class Stage: Sendable {
    typealias ResolveOutcome = Waiter<ResolvedService, DiscoveryError>

    struct State {
        var scenery: Scenery
        var daemon = DaemonState.running
        var settlesAtOnce: Bool
        var browses: [UInt64: any StagedBrowse] = [:]
        var answers: [ServiceInstance: ScriptedAnswer] = [:]
        var resolves: [UInt64: (instance: ServiceInstance, outcome: ResolveOutcome)] = [:]
        var publications: [UInt64: StagedPublication] = [:]
        /// Which publication a service on the network belongs to, where it is the app's own.
        var owners: [ServiceInstance: UInt64] = [:]
        var establishesAtOnce: Bool
        /// What the daemon refuses to publish with.
        var publishingError: DiscoveryError?
        /// Advances by what machines would wait for.
        var clock = Instant.origin
        var lastID: UInt64 = 0
        fileprivate var deliveries: [Delivery] = []
        fileprivate var isDelivering = false

        mutating func makeID() -> UInt64 {
            lastID += 1
            return lastID
        }
    }

    let states = StateBroadcast(DaemonState.running)
    let activity = StateBroadcast(ScriptedActivity())
    private let state: Locked<State>

    init(_ scenery: Scenery, settlesAtOnce: Bool, establishesAtOnce: Bool) {
        state = Locked(State(scenery: scenery, settlesAtOnce: settlesAtOnce, establishesAtOnce: establishesAtOnce))
    }

    /// Changes something and tells what follows from it.
    func perform(_ change: (inout State) -> [Delivery]) {
        let delivers = state.withLock { state in
            state.deliveries += change(&state)
            let activity = ScriptedActivity(
                browses: state.browses.count,
                resolves: state.resolves.count,
                publications: state.publications.count
            )
            state.deliveries.append { [self] in self.activity.send(activity) }
            if state.isDelivering { return false }
            state.isDelivering = true
            return true
        }
        while delivers, let delivery = nextDelivery() { delivery() }
    }

    private func nextDelivery() -> Delivery? {
        state.withLock { state in
            if state.deliveries.isEmpty {
                state.isDelivering = false
                return nil
            }
            return state.deliveries.removeFirst()
        }
    }
}

// MARK: - Browsing

extension Stage {
    /// A sequence over what a question finds here.
    func browser<Question: StagedQuestion>(for question: Question) -> Browser<Question.Found> {
        Browser { [self] output in
            let id = Locked<UInt64>(0)
            perform { state in
                let number = state.makeID()
                id.withLock { $0 = number }
                var browse = ScriptedBrowse(question, output)
                defer { state.browses[number] = browse }
                guard state.daemon.isReachable else { return [] }
                return browse.daemonReturned(to: state.scenery, settles: state.settlesAtOnce)
            }
            return { [self] in
                perform { state in
                    state.browses[id.withLock { $0 }] = nil
                    return []
                }
            }
        }
    }
}

extension Stage.State {
    /// Something on the network is another than before; nobody sees it before the daemon is there.
    mutating func tellBrowses(of service: ScriptedService?) -> [Delivery] {
        guard daemon.isReachable else { return [] }
        return eachBrowse { browse, scenery in
            if let service, !browse.concerns(service) { return [] }
            return browse.look(at: scenery, affectedBy: service)
        }
    }

    /// Does something with each browse, in the order in which they began.
    mutating func eachBrowse(_ body: (inout any StagedBrowse, Scenery) -> [Delivery]) -> [Delivery] {
        var deliveries: [Delivery] = []
        for id in browses.keys.sorted() {
            guard var browse = browses[id] else { continue }
            deliveries += body(&browse, scenery)
            browses[id] = browse
        }
        return deliveries
    }
}

// MARK: - Resolving

extension Stage {
    /// Resolves by what the script says now, or when it says something.
    func resolve(_ instance: ServiceInstance) async throws(DiscoveryError) -> ResolvedService {
        let outcome = ResolveOutcome()
        let id = Locked<UInt64>(0)
        perform { state in
            let number = state.makeID()
            id.withLock { $0 = number }
            state.resolves[number] = (instance, outcome)
            return state.answerResolves(of: instance)
        }
        defer {
            perform { state in
                state.resolves[id.withLock { $0 }] = nil
                return []
            }
        }
        let cancelled: @Sendable () -> DiscoveryError = { .cancelled(while: "resolving \(instance)") }
        return try await outcome.value(within: nil, timedOut: cancelled, cancelled: cancelled)
    }
}

extension Stage.State {
    /// Answers those who wait for a service, where there is an answer.
    mutating func answerResolves(of instance: ServiceInstance) -> [Delivery] {
        guard let result = answer(for: instance) else { return [] }
        let ids = resolves.filter { $0.value.instance == instance }.map(\.key).sorted()
        let waiting = ids.compactMap { resolves.removeValue(forKey: $0)?.outcome }
        return waiting.map { outcome in { outcome.resume(result) } }
    }

    private func answer(for instance: ServiceInstance) -> Result<ResolvedService, DiscoveryError>? {
        let operation = "resolving \(instance)"
        switch answers[instance] ?? .asOnTheNetwork {
        case .nothingYet: return nil
        case .failure(let error): return .failure(error)
        case .asOnTheNetwork:
            if let failure = failure(while: operation) { return .failure(failure) }
            if let service = scenery.services[instance] { return .success(service.resolved) }
            return .failure(
                DiscoveryError(.notFound, operation: operation, explanation: "the script has no such service")
            )
        }
    }

    /// Why somebody waits in vain; nil where the daemon is there.
    func failure(while operation: String) -> DiscoveryError? {
        daemon.absence.map { DiscoveryError(.daemonUnavailable, operation: operation, explanation: $0) }
    }
}

extension Stage {
    func failure(while operation: String) -> DiscoveryError? {
        state.withLock { $0.failure(while: operation) }
    }
}
