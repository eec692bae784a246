internal import DiscoverableCore
internal import DiscoverableRuntime

/// What a scripted discovery answers to whoever resolves a service.
public enum ScriptedAnswer: Hashable, Sendable {
    /// What is on the network: the service, or `notFound` where it is not there; `daemonUnavailable` where the daemon is away.
    case asOnTheNetwork
    /// An error.
    case failure(DiscoveryError)
    /// Nothing, until the script says something else: whoever resolves waits, or is cancelled.
    case nothingYet
}

// MARK: - Services and domains

extension ScriptedDiscovery {
    /// A service appears on the network, or changes to this: other paths are an update for those who browse, another host,
    /// port, address or TXT record is what those find who resolve it.
    ///
    /// Where the app has published a service of that name, this one collides with it: the app's is renamed or fails.
    public func appear(_ service: ScriptedService) {
        stage.perform { state in
            state.scenery.services[service.instance] = service
            return state.tellBrowses(of: service) + state.nameTaken(service.instance)
        }
    }

    /// Changes a service that is on the network; does nothing where it is not.
    public func change(_ instance: ServiceInstance, _ body: (inout ScriptedService) -> Void) {
        stage.perform { state in
            guard var service = state.scenery.services[instance] else { return [] }
            body(&service)
            state.scenery.services[instance] = nil
            state.scenery.services[service.instance] = service
            let gone = service.instance == instance ? [] : state.tellBrowses(of: ScriptedService(instance))
            return gone + state.tellBrowses(of: service)
        }
    }

    /// A service goes from the network, with all its paths. Not one that the app has published: that goes when the app
    /// withdraws it.
    public func vanish(_ instance: ServiceInstance) {
        stage.perform { state in
            guard state.owners[instance] == nil, let service = state.scenery.services.removeValue(forKey: instance)
            else { return [] }
            return state.tellBrowses(of: service)
        }
    }

    /// A domain is recommended from now on.
    public func recommend(_ domain: Domain, as kind: DomainKind) {
        stage.perform { state in
            state.scenery.domains[kind, default: []].insert(domain)
            return state.tellBrowses(of: nil)
        }
    }

    /// A domain is recommended no longer.
    public func stopRecommending(_ domain: Domain, as kind: DomainKind) {
        stage.perform { state in
            state.scenery.domains[kind]?.remove(domain)
            return state.tellBrowses(of: nil)
        }
    }

    /// All browses that run now settle: what is there has been told. Those that have settled are not told again.
    public func settle() {
        stage.perform { state in
            state.daemon.isReachable ? state.eachBrowse { browse, _ in browse.settle() } : []
        }
    }

    /// All browses that run now end with an error, as where the daemon has no room for them.
    public func failBrowses(with error: DiscoveryError) {
        stage.perform { state in
            defer { state.browses = [:] }
            return state.eachBrowse { browse, _ in browse.fail(error) }
        }
    }
}

// MARK: - Resolving

extension ScriptedDiscovery {
    /// Says what whoever resolves a service gets from now on; those who wait for it already get it at once.
    public func answer(resolving instance: ServiceInstance, with answer: ScriptedAnswer) {
        stage.perform { state in
            state.answers[instance] = answer
            return state.answerResolves(of: instance)
        }
    }
}

// MARK: - What the app is doing

/// What an app is doing with a scripted discovery at a moment.
public struct ScriptedActivity: Hashable, Sendable {
    /// How many browses run: iterators that were begun and not ended.
    public var browses = 0
    /// How many calls of resolve wait for an answer.
    public var resolves = 0
    /// How many publications have neither been withdrawn nor failed.
    public var publications = 0
}

extension ScriptedDiscovery {
    /// What the app is doing now.
    public var activity: ScriptedActivity { stage.activity.current }

    /// Waits until the app has come so far: for a test whose script goes on once the app listens. Returns early when the task is
    /// cancelled.
    public func wait(until fits: (ScriptedActivity) -> Bool) async {
        for await activity in StateSequence(stage.activity) {
            if fits(activity) { return }
        }
    }
}

// MARK: - The daemon

extension ScriptedDiscovery {
    /// The daemon goes: nothing is told any more, and nothing is believed lost for that. What happens on the network
    /// meanwhile is found when the daemon returns.
    ///
    /// - Parameter state: where the connection then stands; one of those in which the daemon is not reachable.
    public func daemonGoes(_ state: DaemonState = .waitingForDaemon) {
        precondition(!state.isReachable, "\(state) is no state in which the daemon is away")
        stage.perform { stageState in
            stageState.daemon = state
            let published = stageState.eachPublication { machine, _ in
                machine.connectionLost()
                return .none
            }
            let told = stageState.eachBrowse { browse, _ in
                browse.daemonWent()
                return []
            }
            return published + told + [{ [states = stage.states] in states.send(state) }]
        }
    }

    /// The daemon returns and tells what is on the network: consumers hear what truly changed meanwhile.
    public func daemonReturns() {
        stage.perform { state in
            if state.daemon.isReachable { return [] }
            // Browses look when all is published again: what comes back under its name has never been away.
            let published = state.eachPublication { machine, now in machine.daemonReady(now: now) }
            state.daemon = .running
            let settles = state.settlesAtOnce
            let told = state.eachBrowse { browse, scenery in
                browse.daemonReturned(to: scenery, settles: settles)
            }
            return [{ [states = stage.states] in states.send(.running) }] + published + told
        }
    }
}
