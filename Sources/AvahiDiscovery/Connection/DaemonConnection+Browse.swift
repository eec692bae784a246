internal import DiscoverableCore
internal import DiscoverableRuntime

/// One consumer's browse: what it asks for, what is known, and the daemon's object while there is one.
protocol BrowseTask: AnyObject {
    /// The daemon's browser, while there is one.
    var handle: HandleID? { get set }
    /// When to look again: at what nobody confirmed, or whether the daemon now has room.
    var nextDeadline: Instant? { get }
    func makeBrowser(
        _ client: borrowing AvahiClient,
        _ handle: HandleID,
        _ inbox: AvahiInbox
    ) throws(AvahiFailure) -> AvahiObject
    func process(_ event: AvahiEvent, now: Instant) -> BrowseTaskOutcome
    func connectionLost()
    func deadlineReached(now: Instant)
    /// What is being done, for errors and diagnostics.
    var operation: String { get }
    /// Ends the stream with an error; what waits is still delivered.
    func fail(_ failure: AvahiFailure)
}

enum BrowseTaskOutcome {
    case goesOn
    /// The daemon ended the browser; nothing follows from it.
    case browserFailed(AvahiFailure)
}

final class Browse<Found: Browsed>: BrowseTask {
    typealias Output = Mailbox<BrowseBacklog<Found>, DiscoveryError>
    typealias Make = @Sendable (borrowing AvahiClient, HandleID, AvahiInbox) throws(AvahiFailure) -> AvahiObject
    typealias Report = AvahiListReport<Sighting<Found.Identity>>

    var handle: HandleID?
    let operation: String
    private let output: Output
    private let make: Make
    private let report: @Sendable (AvahiEvent) -> Report?
    private var merger = PathMerger<Found>()

    init(
        operation: String,
        output: Output,
        make: @escaping Make,
        report: @escaping @Sendable (AvahiEvent) -> Report?
    ) {
        self.operation = operation
        self.output = output
        self.make = make
        self.report = report
    }

    var nextDeadline: Instant? { merger.nextDeadline }

    func makeBrowser(
        _ client: borrowing AvahiClient,
        _ handle: HandleID,
        _ inbox: AvahiInbox
    ) throws(AvahiFailure) -> AvahiObject {
        try make(client, handle, inbox)
    }

    func process(_ event: AvahiEvent, now: Instant) -> BrowseTaskOutcome {
        guard let report = report(event) else { return .goesOn }
        switch report {
        case .appeared(let sighting): tell(merger.appeared(sighting))
        case .vanished(let sighting): tell(merger.vanished(sighting))
        case .networkTold: tell(merger.allForNow(now: now))
        case .cacheTold, .malformed: break
        case .failed(let number): return .browserFailed(AvahiFailure(number: number, call: "a browser of avahi-daemon"))
        }
        return .goesOn
    }

    func connectionLost() { merger.connectionLost() }

    func deadlineReached(now: Instant) {
        for event in merger.deadlineReached(now: now) { output.push(event) }
    }

    func fail(_ failure: AvahiFailure) { output.finish(throwing: failure.error(while: operation)) }

    private func tell(_ event: BrowseEvent<Found>?) {
        if let event { output.push(event) }
    }
}

extension DaemonConnection {
    func begin(_ browse: some BrowseTask, id: UInt64) {
        browses[id] = browse
        open(browse, id: id)
    }

    /// Frees the daemon's object. The stream's own end is its consumer's affair.
    func endBrowse(_ id: UInt64) {
        guard let browse = browses.removeValue(forKey: id) else { return }
        deadlines[.browse(id)] = nil
        free(browse.handle.take())
    }

    func openBrowses() {
        for (id, browse) in browses { open(browse, id: id) }
    }

    func loseBrowses() {
        for (id, browse) in browses {
            browse.handle = nil
            browse.connectionLost()
            deadlines[.browse(id)] = browse.nextDeadline
        }
    }

    func process(_ event: AvahiEvent, ofBrowse id: UInt64, now: Instant) {
        guard let browse = browses[id] else { return }
        switch browse.process(event, now: now) {
        case .goesOn: deadlines[.browse(id)] = browse.nextDeadline
        case .browserFailed(let failure):
            free(browse.handle.take())
            browse.connectionLost()
            failed(browse, id: id, failure, now: now)
        }
    }

    func browseDeadlineReached(_ id: UInt64, now: Instant) {
        guard let browse = browses[id] else { return }
        browse.deadlineReached(now: now)
        deadlines[.browse(id)] = browse.nextDeadline
        open(browse, id: id)
    }

    private func open(_ browse: some BrowseTask, id: UInt64) {
        guard isReachable, browse.handle == nil else { return }
        do {
            browse.handle = try make(for: .browse(id)) { client, handle, inbox throws(AvahiFailure) in
                try browse.makeBrowser(client, handle, inbox)
            }
        } catch {
            failed(browse, id: id, error, now: MonotonicClock.now)
        }
    }

    /// What may pass by itself is tried again after a second, with the next client where this one is lost; anything else
    /// ends the stream.
    private func failed(_ browse: some BrowseTask, id: UInt64, _ failure: AvahiFailure, now: Instant) {
        if failure.endsConnection { connectionIsLost = true }
        if connectionIsLost { return }
        switch failure.failureClass {
        case .tryAgain:
            deadlines[.browse(id)] = now.advanced(by: .seconds(1))
            tellPostponed(browse.operation, failure)
        case .freeResources, .chooseAnotherName, .giveUp:
            browses[id] = nil
            browse.fail(failure)
            tellEnd(failure.error(while: browse.operation))
        }
    }
}
