internal import DiscoverableCore
internal import DiscoverableRuntime

/// One publication: what is published, where it stands, and the daemon's entry group while there is one.
final class PublishTask {
    let advertisement: ServiceAdvertisement
    let states: StateBroadcast<PublicationState>
    var machine: PublicationMachine
    var object: AvahiObject?

    init(_ advertisement: ServiceAdvertisement, states: StateBroadcast<PublicationState>) {
        self.advertisement = advertisement
        self.states = states
        machine = PublicationMachine(name: advertisement.name)
    }

    /// Adds the service to the group and commits it.
    func claim(_ name: ServiceName) throws(AvahiFailure) {
        switch object {
        case .some(let group):
            try group.add(advertisement, as: name)
            try group.commit()
        case .none: preconditionFailure("a name is claimed without a group")
        }
    }

    var operation: String { "publishing \"\(machine.name)\" (\(advertisement.type))" }
}

extension DaemonConnection {
    func begin(_ publication: PublishTask, id: UInt64) {
        publications[id] = publication
        if isRunning { perform(publication.machine.daemonReady(now: MonotonicClock.now), publication, id: id) }
    }

    /// The daemon says goodbye for it on the network before this returns.
    func endPublication(_ id: UInt64) {
        guard let publication = publications[id] else { return }
        perform(publication.machine.withdraw(), publication, id: id)
    }

    func registerPublications() {
        for (id, publication) in publications {
            perform(publication.machine.daemonReady(now: MonotonicClock.now), publication, id: id)
        }
    }

    func suspendPublications() {
        for (id, publication) in publications { perform(publication.machine.daemonUnsettled(), publication, id: id) }
    }

    func losePublications() {
        for (id, publication) in publications {
            publication.machine.connectionLost()
            perform(.none, publication, id: id)
        }
    }

    func process(_ event: AvahiEvent, ofPublication id: UInt64, now: Instant) {
        guard case .group(let report) = event, let publication = publications[id] else { return }
        switch report {
        case .registering: break
        case .established:
            publication.machine.groupEstablished()
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

    private func perform(_ action: PublicationMachine.Action, _ publication: PublishTask, id: UInt64) {
        deadlines[.publication(id)] = publication.machine.nextDeadline
        switch action {
        case .none: break
        case .register(let name): register(publication, as: name, id: id)
        case .unregister: free(&publication.object)
        case .end:
            publications[id] = nil
            free(&publication.object)
        }
        publication.states.send(publication.machine.state)
        if publication.machine.state.isFinal { publication.states.finish() }
    }

    private func register(_ publication: PublishTask, as name: ServiceName, id: UInt64) {
        free(&publication.object)
        let handle = HandleID(rawValue: makeID())
        owners[handle] = .publication(id)
        do {
            try withClient { client throws(AvahiFailure) in
                publication.object = try client.makeEntryGroup(handle: handle, inbox: inbox)
                try publication.claim(name)
            }
        } catch {
            if publication.object == nil { owners[handle] = nil }
            failed(publication, id: id, error)
        }
    }

    private func failed(_ publication: PublishTask, id: UInt64, _ failure: AvahiFailure) {
        let now = MonotonicClock.now
        if failure.isCollision { return perform(publication.machine.groupCollided(now: now), publication, id: id) }
        if failure.endsConnection && !failure.isBadState { return connectionFailed() }
        let error = failure.error(while: publication.operation)
        perform(publication.machine.registrationFailed(error, now: now), publication, id: id)
    }
}
