internal import DiscoverableCore
internal import DiscoverableRuntime

/// One caller's resolve.
final class ResolveTask {
    typealias Output = Waiter<ResolvedService, DiscoveryError>

    let instance: ServiceInstance
    let output: Output
    /// The daemon's resolver, while this resolve has its turn.
    var object: AvahiObject?
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
    var ipv4: AvahiObject?
    var ipv6: AvahiObject?
    var waiting: Set<UInt64> = []
    private(set) var addresses: Set<Resolution.HostAddress> = []
    private(set) var progress: [AddressFamily: Resolution.Progress] = [:]

    func open(
        _ family: AddressFamily,
        of host: String,
        _ client: borrowing AvahiClient,
        handle: HandleID,
        inbox: AvahiInbox
    ) throws(AvahiFailure) {
        switch family {
        case .ipv4: ipv4 = try client.makeAddressBrowser(host: host, family: family, handle: handle, inbox: inbox)
        case .ipv6: ipv6 = try client.makeAddressBrowser(host: host, family: family, handle: handle, inbox: inbox)
        }
    }

    func appeared(_ address: Resolution.HostAddress) { addresses.insert(address) }
    func vanished(_ address: Resolution.HostAddress) { addresses.remove(address) }
    func told(_ family: AddressFamily, _ reached: Resolution.Progress) { progress[family] = reached }

    func abandon() {
        ipv4.take()?.abandon()
        ipv6.take()?.abandon()
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
        free(&resolution.object)
    }

    func startWaitingResolutions(now: Instant) {
        while isReachable, let id = resolverBudget.next(now: now) { open(id, now: now) }
    }

    func loseResolutions() {
        resolverBudget.connectionLost()
        addressLookups = [:]
        for (id, resolution) in resolutions {
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
            resolverFailed(AvahiFailure(number: number, call: "a resolver of avahi-daemon"), id: id)
        }
    }

    func resolutionDeadlineReached(_ id: UInt64, now: Instant) {
        guard let resolution = resolutions[id] else { return }
        perform(resolution.machine.deadlineReached(now: now), resolution, id: id, now: now)
    }

    private func open(_ id: UInt64, now: Instant) {
        guard let resolution = resolutions[id] else { return resolverBudget.end(id) }
        let handle = HandleID(rawValue: makeID())
        owners[handle] = .resolution(id)
        do {
            try withClient { client throws(AvahiFailure) in
                resolution.object = try client.makeServiceResolver(resolution.instance, handle: handle, inbox: inbox)
            }
        } catch {
            owners[handle] = nil
            if error.isQuota { return resolverBudget.refused(id, now: now) }
            resolverFailed(error, id: id)
        }
    }

    /// Five seconds without an answer are no end: the resolver stays and may still find the service in the caller's time.
    private func resolverFailed(_ failure: AvahiFailure, id: UInt64) {
        if failure.endsConnection { return connectionFailed() }
        guard let resolution = resolutions[id] else { return }
        let error = failure.error(while: "resolving \(resolution.instance)")
        if error.failureClass == .tryAgain { return }
        resolution.output.resume(.failure(error))
        endResolution(id)
    }

    private func perform(_ action: Resolution.Action, _ resolution: ResolveTask, id: UInt64, now: Instant) {
        deadlines[.resolution(id)] = resolution.machine.nextDeadline
        switch action {
        case .none: break
        case .lookUpAddresses(let host):
            stopFollowingAddresses(resolution, id: id)
            followAddresses(of: host, resolution, id: id, now: now)
        case .finish(let service):
            resolution.output.resume(.success(service))
            endResolution(id)
        }
    }
}

// MARK: - The addresses of hosts

extension DaemonConnection {
    func process(_ event: AvahiEvent, ofAddressesOf host: String, _ family: AddressFamily, now: Instant) {
        guard case .hostRecord(let report) = event, let lookup = addressLookups[host] else { return }
        switch report {
        case .appeared(let address):
            lookup.appeared(address)
            tell(lookup, now: now) { $0.addressAppeared(address, now: now) }
        case .vanished(let address):
            lookup.vanished(address)
            tell(lookup, now: now) { machine in
                machine.addressVanished(address)
                return .none
            }
        case .cacheTold, .networkTold:
            let reached: Resolution.Progress = if case .cacheTold = report { .cacheTold } else { .networkTold }
            lookup.told(family, reached)
            tell(lookup, now: now) { $0.recordsTold(family, reached) }
        case .failed(let number):
            let failure = AvahiFailure(number: number, call: "a record browser of avahi-daemon")
            if failure.endsConnection { return connectionFailed() }
            lookup.told(family, .networkTold)
            tell(lookup, now: now) { $0.recordsTold(family, .networkTold) }
        case .malformed: break
        }
    }

    private func tell(_ lookup: AddressLookup, now: Instant, _ verb: (inout Resolution) -> Resolution.Action) {
        for id in lookup.waiting {
            guard let resolution = resolutions[id] else { continue }
            perform(verb(&resolution.machine), resolution, id: id, now: now)
        }
    }

    private func followAddresses(of host: String, _ resolution: ResolveTask, id: UInt64, now: Instant) {
        resolution.host = host
        let lookup = addressLookups[host] ?? openAddressLookup(host)
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
        free(&lookup.ipv4)
        free(&lookup.ipv6)
    }

    private func openAddressLookup(_ host: String) -> AddressLookup {
        let lookup = AddressLookup()
        addressLookups[host] = lookup
        for family in AddressFamily.allCases { open(lookup, of: host, family) }
        return lookup
    }

    /// Where the daemon has no room for a record browser, the address that the resolver brought has to do.
    private func open(_ lookup: AddressLookup, of host: String, _ family: AddressFamily) {
        let handle = HandleID(rawValue: makeID())
        owners[handle] = .addresses(host: host, family)
        do {
            try withClient { client throws(AvahiFailure) in
                try lookup.open(family, of: host, client, handle: handle, inbox: inbox)
            }
        } catch {
            owners[handle] = nil
            lookup.told(family, .networkTold)
            if error.endsConnection { connectionFailed() }
        }
    }
}
