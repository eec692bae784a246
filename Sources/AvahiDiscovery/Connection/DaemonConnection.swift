internal import DiscoverableCore
@_spi(Package) internal import DiscoverableRuntime

/// The one owner of everything that Avahi gives us: the client, its objects and the loop that libdbus runs on.
///
/// It lives on an event loop of its own, since Avahi's calls block until the daemon answers, for 25 s where the daemon
/// hangs. Whoever waits for something does not wait on this loop: results come through a `Waiter`, streams through a
/// `Mailbox`, and both can be given up while the loop is blocked.
///
/// Everything happens in turns. A turn begins when a descriptor of libdbus is ready, a deadline has passed or a caller wants
/// something (`submit`). Callbacks meanwhile only fill the inbox, and a call that finds the connection lost only says so:
/// both are acted on at the end of the turn, where no call into Avahi is on the stack.
actor DaemonConnection {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// What others may know while the loop is blocked.
    nonisolated let situation = Locked(DaemonSituation())
    nonisolated let states = StateBroadcast(DaemonState.idle)
    nonisolated let hostStates = StateBroadcast(LocalHostState.waitingForDaemon)
    private nonisolated let lastID = Locked<UInt64>(0)

    let inbox = AvahiInbox()
    let objects = AvahiObjectTable()
    var client: AvahiClient?
    /// A call has shown that the connection is gone, or that nobody knows what the daemon holds for us. Until the end of the
    /// turn, when it is made anew, nothing is asked of it any more.
    var connectionIsLost = false
    /// Lets calls fail, in tests.
    var faults: FaultPlan?
    private(set) var daemonReversesStrings = false
    /// As the daemon itself writes it, while it is reachable.
    private(set) var daemonVersion: String?
    /// Who is told what happens here.
    var diagnostics: DiscoveryDiagnostics?
    var toldState = DaemonState.idle
    /// How many items of the network nobody could read.
    nonisolated let malformedItems = Locked<UInt64>(0)
    private(set) var link = DaemonLink()
    private var poll: AvahiPollAdapter?
    private lazy var readiness = LibdbusReadiness(self)
    private var timer: (deadline: Instant, ScheduledTimer)?

    /// The one table of deadlines; the timer is armed for the earliest.
    var deadlines = DeadlineTable<Deadline>()

    var browses = BrowseTable()
    /// While something is for an interface that is known by its name.
    var linkWatch: LinkWatch?
    var resolutions: [UInt64: ResolveTask] = [:]
    var resolverBudget = ResolverBudget<UInt64>()
    var addressLookups: [String: AddressLookup] = [:]
    var publications: [UInt64: PublishTask] = [:]
    var hostIsFollowed = false
    var hostNameRequests: [UInt64: HostNameRequest] = [:]
    var recordWatches: [RecordQuestion: RecordWatch] = [:]
    var follows: [UInt64: FollowTask] = [:]
    var serviceGroups: [UInt64: ServiceGroup] = [:]
    var followingBudget = FollowingBudget()

    enum Deadline: Hashable {
        case link
        case libdbus
        case resolverBudget
        case browse(UInt64)
        case resolution(UInt64)
        case publication(UInt64)
        case records(RecordQuestion)
        case follow(UInt64)
    }

    init(faults: FaultPlan? = nil, diagnostics: DiscoveryDiagnostics? = nil) throws(UnderlyingError) {
        loop = try EventLoop(name: "avahi-client")
        self.faults = faults
        self.diagnostics = diagnostics
    }

    isolated deinit {
        timer?.1.cancel()
        freeClient()
    }

    /// A number for a request or a handle, never given twice.
    nonisolated func makeID() -> UInt64 {
        lastID.withLock { last in
            last += 1
            return last
        }
    }

    /// Runs `body` in a turn of its own, after those that were submitted before. Never waits.
    nonisolated func submit(_ body: @escaping @Sendable (isolated DaemonConnection) -> Void) {
        onLoop { connection in
            connection.perform(connection.link.start(now: MonotonicClock.now))
            body(connection)
            connection.finishTurn()
        }
    }

    /// Runs `body` on the loop, in the same order, outside of any turn: for what has nothing to do with the daemon.
    nonisolated func onLoop(_ body: @escaping @Sendable (isolated DaemonConnection) -> Void) {
        loop.execute { self.assumeIsolated { body($0) } }
    }

    /// Whether the daemon takes browsers and resolvers.
    var isReachable: Bool { link.daemonState.isReachable && client != nil && !connectionIsLost }
    /// Whether it takes registrations too.
    var isRunning: Bool { link.daemonState == .running && isReachable }
}

// MARK: - Turns

extension DaemonConnection {
    /// Works off what callbacks and failed calls have left and what is due, until there is nothing of it.
    func finishTurn() {
        var now = MonotonicClock.now
        repeat {
            for (handle, event) in inbox.takeAll() { process(event, of: handle, now: now) }
            for deadline in deadlines.due(at: now) { reached(deadline, now: now) }
            if !libdbusHasMore(now: now) { startWaitingResolutions(now: now) }
            if connectionIsLost { perform(link.connectionLost(now: now)) }
            deadlines[.link] = link.nextDeadline
            deadlines[.resolverBudget] = resolverBudget.nextDeadline
            now = MonotonicClock.now
        } while connectionIsLost || !inbox.isEmpty || deadlines.earliest().map { $0 <= now } ?? false
        deadlines[.libdbus] = poll?.nextDeadline
        publishState()
        armTimer()
    }

    /// Whether messages wait that libdbus has read. A call that blocks makes it search through all of them for the answer, so
    /// that what may wait comes after them.
    private func libdbusHasMore(now: Instant) -> Bool {
        poll?.nextDeadline.map { $0 <= now } ?? false
    }

    private func process(_ event: AvahiEvent, of handle: HandleID, now: Instant) {
        if case .client(let report) = event {
            if client?.handle == handle { process(report, now: now) }
            return
        }
        guard let owner = objects.owner(of: handle) else { return }
        if event.isMalformed { countMalformedItem() }
        switch owner {
        case .browse(let id): process(event, ofBrowse: id, now: now)
        case .resolution(let id): process(event, ofResolution: id, now: now)
        case .addresses(let host, let family): process(event, ofAddressesOf: host, family, now: now)
        case .publication(let id): process(event, ofPublication: id, handle, now: now)
        case .records(let question): process(event, ofRecords: question, now: now)
        }
    }

    private func process(_ report: AvahiClientReport, now: Instant) {
        switch report {
        case .waiting: perform(link.clientIsWaiting(now: now))
        case .connected(let state): perform(link.clientReported(state))
        case .failed: connectionIsLost = true
        }
    }

    private func reached(_ deadline: Deadline, now: Instant) {
        deadlines[deadline] = nil
        switch deadline {
        case .link: perform(link.deadlineReached(now: now))
        case .libdbus, .resolverBudget: break
        case .browse(let id): browseDeadlineReached(id, now: now)
        case .resolution(let id): resolutionDeadlineReached(id, now: now)
        case .publication(let id): publicationDeadlineReached(id, now: now)
        case .records(let question): recordDeadlineReached(question, now: now)
        case .follow(let id): followDeadlineReached(id, now: now)
        }
    }

    private func publishState() {
        let state = link.daemonState
        situation.withLock { $0.become(state) }
        states.send(state)
        tellState(state)
    }
}

// MARK: - The client

extension DaemonConnection {
    private func perform(_ action: DaemonLink.Action) {
        switch action {
        case .none: break
        case .openClient: openClient()
        case .closeClient: closeClient()
        case .openObjects:
            learnDaemonVersion()
            openBrowses()
            openRecordWatches()
            suspendPublications()
            learnHost()
        case .openObjectsAndRegister:
            learnDaemonVersion()
            openBrowses()
            openRecordWatches()
            registerPublications()
            learnHost()
        }
    }

    private func openClient() {
        let poll = self.poll ?? AvahiPollAdapter(loop: loop, handler: readiness)
        self.poll = poll
        let handle = HandleID(rawValue: makeID())
        let start = MonotonicClock.now
        do {
            client = try blocking { () throws(AvahiFailure) in
                try AvahiClient(poll: poll, handle: handle, inbox: inbox)
            }
        } catch {
            connectionIsLost = false
            tellFailure(error)
            let now = MonotonicClock.now
            // A bus that is missing says so at once; a daemon that hangs takes its time.
            let busIsMissing = error.isNoBus && start.duration(to: now) < .seconds(1)
            if !busIsMissing { situation.withLock { $0.lastFailure = error } }
            perform(link.clientOpenFailed(busMissing: busIsMissing, now: now))
        }
    }

    /// Drops the client and with it all objects. Requests and streams stay and are carried over to the next client.
    private func closeClient() {
        freeClient()
        connectionIsLost = false
        loseBrowses()
        loseResolutions()
        loseRecordWatches()
        loseFollows(now: MonotonicClock.now)
        losePublications()
        loseHost()
        // Whatever is left in the inbox belongs to handles that nobody knows any more.
    }

    /// The client goes first: it closes the connection, which makes the daemon free everything at once and keeps us from
    /// asking a daemon that may hang to free one object after the other. Then only our own records of the objects are left.
    private func freeClient() {
        client = nil
        daemonVersion = nil
        objects.abandonAll()
    }

    private func learnDaemonVersion() {
        guard isReachable, let version = try? askDaemonVersion() else { return }
        daemonVersion = version
        daemonReversesStrings = AvahiVersion(version)?.reversesStrings ?? false
    }
}

extension DaemonConnection {
    private func askDaemonVersion() throws(AvahiFailure) -> String {
        try blocking { () throws(AvahiFailure) in
            switch client {
            case .some(let client): try client.daemonVersion()
            case .none: throw AvahiFailure.disconnected
            }
        }
    }
}

// MARK: - Waiting

extension DaemonConnection {
    private func armTimer() {
        let earliest = deadlines.earliest()
        guard earliest != timer?.deadline else { return }
        timer?.1.cancel()
        timer = earliest.map { deadline in
            (deadline, loop.schedule(at: deadline) { [weak self] in self?.assumeIsolated { $0.timerFired() } })
        }
    }

    private func timerFired() {
        timer = nil
        dispatchLibdbus { $0.runDueTimeouts() }
    }

    fileprivate func descriptorIsReady(_ registration: Registration, _ readiness: EpollSet.Readiness) {
        dispatchLibdbus { poll in
            poll.descriptorIsReady(registration, readiness)
            poll.runDueTimeouts()
        }
    }

    /// libavahi makes blocking calls in its own callbacks too, when it sees the daemon come.
    private func dispatchLibdbus(_ dispatch: (AvahiPollAdapter) -> Void) {
        let start = MonotonicClock.now
        situation.withLock { $0.callBegins(now: start) }
        if let poll { dispatch(poll) }
        situation.withLock { $0.dispatchEnds(since: start, now: MonotonicClock.now) }
        finishTurn()
    }
}

/// Brings the readiness of libdbus's descriptors into the connection. Not the connection itself, which must not be kept
/// alive by its own loop.
final class LibdbusReadiness: ReadinessHandler {
    private weak let connection: DaemonConnection?

    init(_ connection: DaemonConnection) {
        self.connection = connection
    }

    func becameReady(_ readiness: EpollSet.Readiness, registration: Registration) {
        connection?.assumeIsolated { $0.descriptorIsReady(registration, readiness) }
    }
}
