internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime

extension DaemonConnection {
    func begin(_ publication: PublishTask, id: UInt64) {
        publications[id] = publication
        if !publication.advertisement.interfaceNames.isEmpty {
            do throws(UnderlyingError) {
                try watchLinks()
            } catch {
                publication.obstacle = .noRoomToWatchLinks(error, while: publication.operation)
            }
        }
        if isRunning { perform(publication.machine.daemonReady(now: MonotonicClock.now), publication, id: id) }
    }

    /// The daemon says goodbye for it on the network before this returns.
    func endPublication(_ id: UInt64) {
        guard let publication = publications[id] else { return }
        perform(publication.machine.withdraw(), publication, id: id)
    }

    /// Exchanges the TXT record of a service, at once or as soon as the network takes it.
    func change(_ txt: TXTRecord, ofService position: Int, ofPublication id: UInt64) {
        guard let publication = publications[id] else { return }
        publication.setTXT(txt, ofService: position)
        perform(publication.machine.recordsChanged(now: MonotonicClock.now), publication, id: id)
    }

    func registerPublications() {
        for (id, publication) in publications where isRunning {
            perform(publication.machine.daemonReady(now: MonotonicClock.now), publication, id: id)
        }
    }

    func suspendPublications() {
        for (id, publication) in publications { perform(publication.machine.daemonUnsettled(), publication, id: id) }
    }

    func losePublications() {
        for (id, publication) in publications {
            publication.handle = nil
            publication.look = nil
            publication.published = nil
            publication.machine.connectionLost()
            perform(.none, publication, id: id)
        }
    }

    /// Interfaces have come or gone: what is told on one by its name moves to its new number.
    func moveToNewInterfaces() {
        for (id, publication) in publications where isRunning && publication.hasMovedInterface {
            perform(publication.machine.interfacesChanged(now: MonotonicClock.now), publication, id: id)
        }
    }

    func process(_ event: AvahiEvent, ofPublication id: UInt64, _ handle: HandleID, now: Instant) {
        guard let publication = publications[id] else { return }
        if case .claim(let report) = event { return process(report, ofLook: handle, publication, id: id, now: now) }
        // Of an earlier registration's group.
        guard case .group(let report) = event, publication.handle == handle else { return }
        switch report {
        case .registering: break
        case .established:
            publication.machine.groupEstablished(now: now)
            perform(.none, publication, id: id)
        case .collision: perform(publication.machine.groupCollided(now: now), publication, id: id)
        case .failed(let number):
            failed(publication, id: id, AvahiFailure(number: number, call: "an entry group of avahi-daemon"))
        }
    }

    func publicationDeadlineReached(_ id: UInt64, now: Instant) {
        guard let publication = publications[id] else { return }
        perform(publication.machine.deadlineReached(now: now), publication, id: id)
    }

    func perform(_ action: PublicationMachine.Action, _ publication: PublishTask, id: UInt64) {
        deadlines[.publication(id)] = publication.machine.nextDeadline
        switch action {
        case .none: break
        case .look:
            dropGroup(of: publication)
            look(for: publication, id: id)
        case .register(let names):
            dropGroup(of: publication)
            register(publication, as: names, id: id)
        case .change: change(publication, id: id)
        case .unregister: dropGroup(of: publication)
        case .end:
            publications[id] = nil
            dropGroup(of: publication)
            stopWatchingLinks()
        }
        if let state = publication.tellState() { tell(state, of: publication) }
    }

    private func dropGroup(of publication: PublishTask) {
        publication.published = nil
        endLook(of: publication)
        free(publication.handle.take())
    }

    /// What the daemon refuses in a registration: is it over, or tried again?
    func failed(_ publication: PublishTask, id: UInt64, _ failure: AvahiFailure) {
        if failure.endsConnection { connectionIsLost = true }
        if connectionIsLost { return }
        let error = failure.error(while: publication.operation)
        let action = publication.machine.registrationFailed(
            error,
            roomMayCome: resolverBudget.activeCount > 0,
            now: MonotonicClock.now
        )
        hinder(publication, by: error, action)
        perform(action, publication, id: id)
    }

    /// Notes what stands in the way, and tells it once where it is to be tried again.
    func hinder(_ publication: PublishTask, by obstacle: DiscoveryError, _ action: PublicationMachine.Action) {
        if action == .unregister, publication.obstacle != obstacle {
            tell(.warning, .postponed, "\(obstacle); it is tried again")
        }
        publication.obstacle = obstacle
    }
}

// MARK: - The group

extension DaemonConnection {
    private func register(_ publication: PublishTask, as names: [ServiceName], id: UInt64) {
        // Looked up once: an interface that goes from here on is noticed as one that has moved.
        let interfaces = publication.presentInterfaces
        if let name = publication.advertisement.interfaceNames.first(where: { interfaces[$0] == nil }) {
            let action = publication.machine.interfaceIsMissing(now: MonotonicClock.now)
            hinder(publication, by: publication.absence(ofInterface: name), action)
            return perform(action, publication, id: id)
        }
        do {
            let handle = try make(for: .publication(id)) { client, handle, inbox throws(AvahiFailure) in
                try client.makeEntryGroup(handle: handle, inbox: inbox)
            }
            publication.handle = handle
            let services = publication.advertisement.services
            let scopes = try services.map { service throws(AvahiFailure) in
                try AvahiScope(service.scope, known: interfaces)
            }
            guard try addServices(publication, as: names, on: scopes, to: handle, id: id) else { return }
            try addOthers(publication.advertisement, on: interfaces, to: handle)
            try change(handle) { group throws(AvahiFailure) in try group.commit() }
            publication.published = PublishedGroup(
                services: services,
                names: names,
                interfaces: interfaces,
                scopes: scopes
            )
        } catch {
            failed(publication, id: id, error)
        }
    }

    /// - Returns: false where a name is taken on this host, which has been dealt with.
    private func addServices(
        _ publication: PublishTask,
        as names: [ServiceName],
        on scopes: [AvahiScope],
        to handle: HandleID,
        id: UInt64
    ) throws(AvahiFailure) -> Bool {
        for (position, service) in publication.advertisement.services.enumerated() {
            do throws(AvahiFailure) {
                try add(service, as: names[position], on: scopes[position], to: handle)
            } catch {
                guard error.isCollision else { throw error }
                let action = publication.machine.groupCollided(at: position, now: MonotonicClock.now)
                perform(action, publication, id: id)
                return false
            }
        }
        return true
    }

    private func add(
        _ service: ServiceAdvertisement,
        as name: ServiceName,
        on scope: AvahiScope,
        to handle: HandleID
    ) throws(AvahiFailure) {
        try change(handle) { group throws(AvahiFailure) in
            try group.add(service, as: name, on: scope)
            for subtype in service.subtypes { try group.add(subtype, of: service, as: name, on: scope) }
        }
    }

    private func addOthers(
        _ advertisement: Advertisement,
        on interfaces: [String: InterfaceIndex],
        to handle: HandleID
    ) throws(AvahiFailure) {
        let aliases = try records(of: advertisement.aliases)
        try change(handle) { group throws(AvahiFailure) in
            for host in advertisement.hosts { try group.add(host, on: AvahiScope(host.scope, known: interfaces)) }
            for record in aliases + advertisement.records {
                try group.add(record, on: AvahiScope(record.scope, known: interfaces))
            }
        }
    }

    /// An alias that names no host stands for this one, as it is called now.
    private func records(of aliases: [AliasAdvertisement]) throws(AvahiFailure) -> [RecordAdvertisement] {
        var records: [RecordAdvertisement] = []
        for alias in aliases {
            let target = if let target = alias.target { target } else { try hostIdentity().fullName }
            records.append(
                RecordAdvertisement(
                    DNSRecord(name: alias.name, data: .cname(target)),
                    isUnique: true,
                    timeToLive: alias.timeToLive,
                    scope: alias.scope
                )
            )
        }
        return records
    }

    /// Tells the daemon what has changed since it was told last.
    private func change(_ publication: PublishTask, id: UInt64) {
        guard let handle = publication.handle, let published = publication.published else { return }
        let services = publication.advertisement.services
        do {
            for (position, service) in services.enumerated() where service.txt != published.services[position].txt {
                try change(handle) { group throws(AvahiFailure) in
                    try group.change(service, as: published.names[position], on: published.scopes[position])
                }
            }
            publication.published?.services = services
        } catch {
            failed(publication, id: id, error)
        }
    }
}
