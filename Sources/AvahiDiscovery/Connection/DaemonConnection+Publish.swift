internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime

/// One publication: what is published, where it stands, and the daemon's entry group while there is one.
final class PublishTask {
    let advertisement: ServiceAdvertisement
    var machine: PublicationMachine
    var handle: HandleID?
    private let record: PublicationRecord

    init(_ advertisement: ServiceAdvertisement, record: PublicationRecord) {
        self.advertisement = advertisement
        self.record = record
        machine = PublicationMachine(name: advertisement.name)
    }

    var operation: String { "publishing \"\(machine.name)\" (\(advertisement.type))" }

    /// Tells the holder; returns the state where it is another than before.
    func tellState() -> PublicationState? {
        let (state, before) = (machine.state, record.states.current)
        record.become(state)
        return state == before ? nil : state
    }
}

/// What the holder of a publication can see of it.
final class PublicationRecord: Sendable {
    let states = StateBroadcast(PublicationState.waitingForDaemon)
    private let lastName: Locked<ServiceName>

    init(name: ServiceName) {
        lastName = Locked(name)
    }

    /// The name that was established last; before that the one that was asked for.
    var name: ServiceName { lastName.withLock { $0 } }

    func become(_ state: PublicationState) {
        if case .established(let name) = state { lastName.withLock { $0 = name } }
        states.send(state)
        if state.isFinal { states.finish() }
    }
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
            publication.machine.connectionLost()
            perform(.none, publication, id: id)
        }
    }

    func process(_ event: AvahiEvent, ofPublication id: UInt64, _ handle: HandleID, now: Instant) {
        guard case .group(let report) = event, let publication = publications[id] else { return }
        // Of an earlier registration's group.
        guard publication.handle == handle else { return }
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
        case .unregister: free(publication.handle.take())
        case .end:
            publications[id] = nil
            free(publication.handle.take())
        }
        if let state = publication.tellState() { tell(state, of: publication) }
    }

    private func register(_ publication: PublishTask, as name: ServiceName, id: UInt64) {
        free(publication.handle.take())
        do {
            let handle = try make(for: .publication(id)) { client, handle, inbox throws(AvahiFailure) in
                try client.makeEntryGroup(handle: handle, inbox: inbox)
            }
            publication.handle = handle
            try change(handle) { [advertisement = publication.advertisement] group throws(AvahiFailure) in
                try group.add(advertisement, as: name)
                try group.commit()
            }
        } catch {
            failed(publication, id: id, error)
        }
    }

    private func failed(_ publication: PublishTask, id: UInt64, _ failure: AvahiFailure) {
        let now = MonotonicClock.now
        if failure.endsConnection { connectionIsLost = true }
        if connectionIsLost { return }
        if failure.isCollision { return perform(publication.machine.groupCollided(now: now), publication, id: id) }
        let error = failure.error(while: publication.operation)
        perform(publication.machine.registrationFailed(error, now: now), publication, id: id)
    }
}
