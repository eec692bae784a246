internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime

/// A publication of the app's: the machine that Avahi's entry groups are driven by, with the script in place of the daemon.
struct StagedPublication: Sendable {
    var advertisement: Advertisement
    var machine: PublicationMachine
    let record: PublicationRecord
    /// Its services that are on the network now.
    var held: [ServiceInstance] = []

    init(_ advertisement: Advertisement, _ record: PublicationRecord) {
        self.advertisement = advertisement
        self.record = record
        machine = PublicationMachine(advertisement)
    }

    /// Its services under these names, as they are on the network.
    func services(named names: [ServiceName], in scenery: Scenery) -> [ScriptedService] {
        zip(advertisement.services, names).map { service, name in
            let domain = service.domain ?? .local
            let instance = ServiceInstance(name: name, type: service.type, domain: domain)
            var staged = ScriptedService(
                instance,
                host: service.host?.text ?? "this-host.local",
                port: service.port,
                address: .v4(IPv4Address(192, 0, 2, 254)),
                txt: service.txt
            )
            staged.subtypes = Set(service.subtypes)
            staged.flags = [.local, .own]
            staged.paths = StagedScope(scope: service.scope).places(in: scenery)
            return staged
        }
    }
}

extension StagedScope {
    /// Where something is told that is published in the scope.
    func places(in scenery: Scenery) -> [ServicePath] {
        let interface: InterfaceIndex? =
            switch scope.interface {
            case .any: ServicePath.scripted.interface
            case .index(let index): index
            case .name(let name): scenery.interfaces[name]
            case .loopback: scenery.interfaces["lo"]
            }
        return interface.map { [ServicePath(interface: $0, family: scope.family ?? .ipv4)] } ?? []
    }
}

// MARK: - Steps

extension Stage.State {
    /// Carries out what a publication's machine wants, and what follows from it. Time that it would wait passes at once.
    mutating func perform(_ action: PublicationMachine.Action, ofPublication id: UInt64) -> [Delivery] {
        guard var publication = publications[id] else { return [] }
        var deliveries: [Delivery] = []
        var next: PublicationMachine.Action? = action
        while let action = next {
            next = carryOut(action, &publication, id, &deliveries)
            deliveries.append(publication.stateDelivery)
        }
        publications[id] = publication.machine.state.isFinal ? nil : publication
        return deliveries
    }

    /// Returns what the machine wants next; nil where it waits for the script.
    private mutating func carryOut(
        _ action: PublicationMachine.Action,
        _ publication: inout StagedPublication,
        _ id: UInt64,
        _ deliveries: inout [Delivery]
    ) -> PublicationMachine.Action? {
        switch action {
        case .none: return nil
        case .look: return publication.machine.namesAreFree(now: clock)
        case .register(let names):
            deliveries += leave(&publication)
            if let publishingError {
                let action = publication.machine.registrationFailed(publishingError, now: clock)
                // What is to be tried again waits until the script takes the error back.
                return action == .end ? action : nil
            }
            if !establishesAtOnce { return nil }
            return enter(&publication, names, id, &deliveries)
        case .change:
            deliveries += tell(publication.services(named: publication.machine.names, in: scenery))
            return nil
        case .unregister:
            deliveries += leave(&publication)
            return passTime(&publication)
        case .end:
            deliveries += leave(&publication)
            return nil
        }
    }

    private mutating func enter(
        _ publication: inout StagedPublication,
        _ names: [ServiceName],
        _ id: UInt64,
        _ deliveries: inout [Delivery]
    ) -> PublicationMachine.Action? {
        let services = publication.services(named: names, in: scenery)
        if let taken = services.firstIndex(where: { scenery.services[$0.instance] != nil }) {
            return publication.machine.groupCollided(at: taken, now: clock)
        }
        publication.held = services.map(\.instance)
        for instance in publication.held { owners[instance] = id }
        deliveries += tell(services)
        publication.machine.groupEstablished(now: clock)
        return passTime(&publication)
    }

    /// Lets the time pass that the machine waits for.
    private mutating func passTime(_ publication: inout StagedPublication) -> PublicationMachine.Action? {
        guard let deadline = publication.machine.nextDeadline else { return nil }
        clock = max(clock, deadline)
        return publication.machine.deadlineReached(now: clock)
    }

    private mutating func leave(_ publication: inout StagedPublication) -> [Delivery] {
        let gone = publication.held.filter { owners[$0] != nil }.compactMap { instance in
            owners[instance] = nil
            return scenery.services.removeValue(forKey: instance)
        }
        publication.held = []
        return gone.flatMap { tellBrowses(of: $0) }
    }

    private mutating func tell(_ services: [ScriptedService]) -> [Delivery] {
        for service in services { scenery.services[service.instance] = service }
        return services.flatMap { tellBrowses(of: $0) }
    }
}

extension StagedPublication {
    fileprivate var stateDelivery: Delivery {
        let (state, names) = (machine.state, machine.names)
        return { [record] in record.become(state, names: names) }
    }
}

// MARK: - What happens to publications

extension Stage.State {
    /// Somebody else has a name now that a publication held.
    mutating func nameTaken(_ instance: ServiceInstance) -> [Delivery] {
        guard let id = owners.removeValue(forKey: instance), var publication = publications[id] else { return [] }
        let position = publication.held.firstIndex(of: instance)
        publication.held.removeAll { $0 == instance }
        // Away from the daemon it is seen when the daemon returns.
        let action = daemon.isReachable ? publication.machine.groupCollided(at: position, now: clock) : .none
        publications[id] = publication
        return perform(action, ofPublication: id)
    }

    /// Does something with each publication's machine, in the order in which they were begun.
    mutating func eachPublication(
        _ verb: (inout PublicationMachine, Instant) -> PublicationMachine.Action
    ) -> [Delivery] {
        publications.keys.sorted().flatMap { id -> [Delivery] in
            guard var publication = publications[id] else { return [] }
            let action = verb(&publication.machine, clock)
            publications[id] = publication
            return perform(action, ofPublication: id)
        }
    }
}

extension Stage {
    /// Begins a publication and makes what its holder holds.
    func publish(_ advertisement: Advertisement) -> Publication {
        let record = PublicationRecord(advertisement)
        let id = Locked<UInt64>(0)
        perform { state in
            let number = state.makeID()
            id.withLock { $0 = number }
            var publication = StagedPublication(advertisement, record)
            let action = state.daemon.isReachable ? publication.machine.daemonReady(now: state.clock) : .none
            state.publications[number] = publication
            return state.perform(action, ofPublication: number)
        }
        let verbs = PublicationVerbs { [self] txt, position in
            change(txt, ofService: position, id.withLock { $0 })
        } end: { [self] done in
            withdraw(id.withLock { $0 })
            done()
        }
        return Publication(record, verbs)
    }

    private func change(_ txt: TXTRecord, ofService position: Int, _ id: UInt64) {
        perform { state in
            guard var publication = state.publications[id] else { return [] }
            publication.advertisement.services[position].txt = txt
            // The second that has to pass between two changes has passed.
            state.clock = state.clock.advanced(by: PublicationMachine.changeInterval)
            let action = publication.machine.recordsChanged(now: state.clock)
            state.publications[id] = publication
            return state.perform(action, ofPublication: id)
        }
    }

    private func withdraw(_ id: UInt64) {
        perform { state in
            guard var publication = state.publications[id] else { return [] }
            let action = publication.machine.withdraw()
            state.publications[id] = publication
            return state.perform(action, ofPublication: id)
        }
    }
}
