internal import DiscoverableCore
internal import DiscoverableRuntime

/// One resolve.
final class ResolveTask {
    /// Who wants the result.
    enum Output {
        case caller(Waiter<ResolvedService, DiscoveryError>)
        /// A service that is followed by resolving it again and again.
        case follow(UInt64)
    }

    let instance: ServiceInstance
    let output: Output
    /// The daemon's resolver, while this resolve has its turn.
    var handle: HandleID?
    var machine: Resolution
    /// The host whose addresses it follows.
    var host: String?
    private let paths: [ServicePath]

    init(instance: ServiceInstance, paths: [ServicePath], output: Output) {
        self.instance = instance
        self.paths = paths
        self.output = output
        machine = Resolution(instance: instance, paths: paths)
    }

    /// Forgets what an earlier daemon told.
    func startOver() {
        machine = Resolution(instance: instance, paths: paths)
        host = nil
    }
}

/// The address records of one host, followed once for all resolves that wait for them.
final class AddressLookup {
    var handles: [HandleID] = []
    var waiting: Set<UInt64> = []
    private(set) var progress: [AddressFamily: Resolution.Progress] = [:]
    /// The families of the packets that told an address: IPv6 addresses are told over IPv4 too.
    private var tellers: [Resolution.HostAddress: Set<AddressFamily>] = [:]

    var addresses: some Sequence<Resolution.HostAddress> { tellers.keys }

    /// Returns the address where it is new.
    func appeared(_ sighting: Sighting<IPAddress>) -> Resolution.HostAddress? {
        let address = Resolution.HostAddress(sighting)
        tellers[address, default: []].insert(sighting.path.family)
        return tellers[address]?.count == 1 ? address : nil
    }

    /// Returns the address where nobody tells it any more.
    func vanished(_ sighting: Sighting<IPAddress>) -> Resolution.HostAddress? {
        let address = Resolution.HostAddress(sighting)
        tellers[address]?.remove(sighting.path.family)
        guard tellers[address]?.isEmpty ?? false else { return nil }
        tellers[address] = nil
        return address
    }

    func told(_ family: AddressFamily, _ reached: Resolution.Progress) { progress[family] = reached }

    /// The records of a family are followed after all.
    func retract(_ family: AddressFamily) { progress[family] = nil }
}

extension Resolution.HostAddress {
    fileprivate init(_ sighting: Sighting<IPAddress>) {
        self.init(ip: sighting.identity, interface: sighting.path.interface)
    }
}

extension DaemonConnection {
    func begin(_ resolution: ResolveTask, id: UInt64) {
        resolutions[id] = resolution
        resolverBudget.enqueue(id)
    }

    func endResolution(_ id: UInt64) {
        guard let resolution = resolutions.removeValue(forKey: id) else { return }
        resolverBudget.end(id)
        deadlines[.resolution(id)] = nil
        stopFollowingAddresses(resolution, id: id)
        free(resolution.handle.take())
    }

    func startWaitingResolutions(now: Instant) {
        while isReachable, let id = resolverBudget.next(now: now) { open(id, now: now) }
    }

    func loseResolutions() {
        resolverBudget.connectionLost()
        addressLookups = [:]
        for (id, resolution) in resolutions {
            resolution.handle = nil
            resolution.startOver()
            deadlines[.resolution(id)] = nil
        }
    }

    func process(_ event: AvahiEvent, ofResolution id: UInt64, now: Instant) {
        guard case .resolver(let report) = event, let resolution = resolutions[id] else { return }
        switch report {
        case .found(let host, let port, let strings, let address):
            let txt = TXTRecord(unchecked: daemonReversesStrings ? strings.reversed() : strings)
            let action = resolution.machine.serviceFound(host: host, port: port, txt: txt, address: address)
            perform(action, resolution, id: id, now: now)
        case .failed(let number):
            resolverFailed(AvahiFailure(number: number, call: "a resolver of avahi-daemon"), resolution, id: id)
        }
    }

    func resolutionDeadlineReached(_ id: UInt64, now: Instant) {
        guard let resolution = resolutions[id] else { return }
        perform(resolution.machine.deadlineReached(now: now), resolution, id: id, now: now)
    }

    private func open(_ id: UInt64, now: Instant) {
        guard let resolution = resolutions[id] else { return resolverBudget.end(id) }
        do {
            resolution.handle = try make(for: .resolution(id), yields: resolverBudget.activeCount > 1) {
                client,
                handle,
                inbox throws(AvahiFailure) in
                try client.makeServiceResolver(resolution.instance, handle: handle, inbox: inbox)
            }
        } catch {
            if connectionIsLost { return }
            tellPostponed("resolving \(resolution.instance)", error)
            if error.isQuota { return resolverBudget.refused(id, now: now) }
            if error.failureClass == .tryAgain { return resolverBudget.postpone(id, now: now) }
            fail(resolution, id: id, error)
        }
    }

    /// Five seconds without an answer are no end: the service may still come in the caller's time. The resolver stays, unless
    /// others wait for its place.
    private func resolverFailed(_ failure: AvahiFailure, _ resolution: ResolveTask, id: UInt64) {
        if failure.endsConnection {
            connectionIsLost = true
        } else if failure.isTimeout, case .follow(let follow) = resolution.output {
            endResolution(id)
            resolved(nil, forFollow: follow)
        } else if failure.isTimeout {
            guard resolverBudget.yield(id) else { return }
            release(resolution, id: id)
        } else {
            fail(resolution, id: id, failure)
        }
    }

    private func fail(_ resolution: ResolveTask, id: UInt64, _ failure: AvahiFailure) {
        let error = failure.error(while: "resolving \(resolution.instance)")
        tellEnd(error)
        endResolution(id)
        tell(.failure(error), to: resolution.output)
    }

    /// Frees what a resolve has in the daemon, for a later turn of its own.
    private func release(_ resolution: ResolveTask, id: UInt64) {
        deadlines[.resolution(id)] = nil
        stopFollowingAddresses(resolution, id: id)
        free(resolution.handle.take())
        resolution.startOver()
    }

    /// Frees what every resolve has in the daemon: all wait for another turn. Returns whether any object was freed.
    func interruptResolutions(now: Instant) -> Bool {
        let running = resolutions.filter { $0.value.handle != nil || $0.value.host != nil }
        for (id, resolution) in running {
            release(resolution, id: id)
            resolverBudget.refused(id, now: now)
        }
        return !running.isEmpty
    }

    private func perform(_ action: Resolution.Action, _ resolution: ResolveTask, id: UInt64, now: Instant) {
        deadlines[.resolution(id)] = resolution.machine.nextDeadline
        switch action {
        case .none: break
        case .lookUpAddresses(let host):
            stopFollowingAddresses(resolution, id: id)
            followAddresses(of: host, resolution, id: id, now: now)
        case .finish(let service):
            endResolution(id)
            tell(.success(service), to: resolution.output)
        }
    }

    private func tell(_ outcome: Result<ResolvedService, DiscoveryError>, to output: ResolveTask.Output) {
        switch output {
        case .caller(let waiter): waiter.resume(outcome)
        case .follow(let id): resolved(try? outcome.get(), forFollow: id)
        }
    }
}

// MARK: - The addresses of hosts

extension DaemonConnection {
    func process(_ event: AvahiEvent, ofAddressesOf host: String, _ family: AddressFamily, now: Instant) {
        guard case .hostRecord(let report) = event, let lookup = addressLookups[host] else { return }
        switch report {
        case .appeared(let sighting):
            guard let address = lookup.appeared(sighting) else { return }
            tell(lookup, now: now) { $0.addressAppeared(address, now: now) }
        case .vanished(let sighting):
            guard let address = lookup.vanished(sighting) else { return }
            tell(lookup, now: now) { machine in
                machine.addressVanished(address)
                return .none
            }
        case .cacheTold: told(lookup, family, .cacheTold, now: now)
        case .networkTold: told(lookup, family, .networkTold, now: now)
        case .failed(let number):
            let failure = AvahiFailure(number: number, call: "a record browser of avahi-daemon")
            if failure.endsConnection { connectionIsLost = true } else { told(lookup, family, .networkTold, now: now) }
        case .malformed: break
        }
    }

    private func told(
        _ lookup: AddressLookup,
        _ family: AddressFamily,
        _ reached: Resolution.Progress,
        now: Instant
    ) {
        lookup.told(family, reached)
        tell(lookup, now: now) { $0.recordsTold(family, reached) }
    }

    private func tell(_ lookup: AddressLookup, now: Instant, _ verb: (inout Resolution) -> Resolution.Action) {
        for id in lookup.waiting {
            guard let resolution = resolutions[id] else { continue }
            perform(verb(&resolution.machine), resolution, id: id, now: now)
        }
    }

    private func followAddresses(of host: String, _ resolution: ResolveTask, id: UInt64, now: Instant) {
        resolution.host = host
        let lookup = addressLookups[host] ?? openAddressLookup(host, for: resolution)
        lookup.waiting.insert(id)
        for address in lookup.addresses { _ = resolution.machine.addressAppeared(address, now: now) }
        for (family, reached) in lookup.progress {
            let action = resolution.machine.recordsTold(family, reached)
            if action != .none { return perform(action, resolution, id: id, now: now) }
        }
        deadlines[.resolution(id)] = resolution.machine.nextDeadline
    }

    /// The last one who waits for a host's addresses frees the record browsers.
    private func stopFollowingAddresses(_ resolution: ResolveTask, id: UInt64) {
        guard let host = resolution.host.take(), let lookup = addressLookups[host] else { return }
        lookup.waiting.remove(id)
        guard lookup.waiting.isEmpty else { return }
        addressLookups[host] = nil
        for handle in lookup.handles { free(handle) }
    }

    private func openAddressLookup(_ host: String, for resolution: ResolveTask) -> AddressLookup {
        let lookup = AddressLookup()
        addressLookups[host] = lookup
        for family in AddressFamily.allCases {
            while !open(lookup, of: host, family), giveUpResolver(for: resolution) {}
        }
        return lookup
    }

    /// Returns whether it is worth another attempt once there is room for it. Where there is none, the address that the resolver
    /// brought has to do. Where the connection is lost, everything begins anew.
    private func open(_ lookup: AddressLookup, of host: String, _ family: AddressFamily) -> Bool {
        do {
            let handle = try make(for: .addresses(host: host, family), yields: true) {
                client,
                handle,
                inbox throws(AvahiFailure) in
                try client.makeAddressBrowser(host: host, family: family, handle: handle, inbox: inbox)
            }
            lookup.handles.append(handle)
            lookup.retract(family)
            return true
        } catch {
            if connectionIsLost { return true }
            lookup.told(family, .networkTold)
            return !error.isQuota
        }
    }

    /// Frees a resolver for the addresses of a host: that of `resolution`, which has told all, or else one that has told
    /// nothing yet and goes back into the queue. Returns whether one was freed.
    private func giveUpResolver(for resolution: ResolveTask) -> Bool {
        if let handle = resolution.handle.take() {
            free(handle)
            return true
        }
        let other = resolutions.first { $0.value.handle != nil && $0.value.host == nil && $0.value !== resolution }
        guard let (id, victim) = other else { return false }
        release(victim, id: id)
        resolverBudget.refused(id, now: MonotonicClock.now)
        return true
    }
}
