/// A publication's way onto the network and back: names, collisions, changes, retries; as a machine.
///
/// Its driver does with the entry group what each action says, reports what the present group says, and tells the consumer
/// `state` whenever it has changed. Each registration has a group of its own, so that what an earlier one still has to say
/// is not taken for an answer to this one.
public struct PublicationMachine: Sendable {
    /// What the driver has to do with the entry group.
    public enum Action: Hashable, Sendable {
        /// Nothing.
        case none
        /// Free the group where there is one, look for the names that cannot be exchanged, then report `namesAreFree` or
        /// `registrationFailed`.
        case look
        /// Add everything, the services under these names, to a new group and commit that; free an old one first.
        case register([ServiceName])
        /// Tell the daemon the TXT records that have changed.
        case change
        /// Free the group; another one follows.
        case unregister
        /// Free the group; nothing follows.
        case end
    }

    /// How long a group may stay in registering before it is committed anew: Avahi 0.8 leaves it there for ever when an
    /// interface goes while it probes. As long may looking for names take.
    public static let registrationLimit = Duration.seconds(10)
    /// After this many collisions in a row the next name waits (RFC 6762 section 9).
    public static let collisionLimit = 15
    /// How long it waits.
    public static let collisionPause = Duration.seconds(5)
    /// How long something that was visible before waits for room in the daemon.
    public static let quotaPause = Duration.seconds(5)
    /// The shortest time between two versions of a record: hosts keep the older one of two that came within a second
    /// (RFC 6762 section 10.2).
    public static let changeInterval = Duration.seconds(1)
    /// How long an interface that does not exist is waited for before it is looked for again.
    public static let interfacePause = Duration.seconds(1)
    /// How long what stands in the way may still go: a record that was withdrawn stays in caches for a second (RFC 6762
    /// section 10.1).
    public static let obstaclePause = Duration.milliseconds(1_200)

    private enum Phase {
        /// No daemon takes registrations; with `hasDaemon` one is there and is still claiming its host name. Becomes
        /// `looking` or `registering`.
        case suspended(hasDaemon: Bool)
        /// Names are being looked for; at `deadline` they count as free, or as taken where there is an obstacle. With
        /// `isComplete` all has been told, and only the obstacle's end is waited for. Becomes `registering`, `pausing`,
        /// `suspended`, `ended`.
        case looking(deadline: Instant, obstacle: DiscoveryError?, isComplete: Bool)
        /// Committed, not yet established; `deadline` begins again. `isStale` where the records have changed since. Becomes
        /// `established`, `looking`, `registering`, `pausing`, `suspended`, `ended`.
        case registering(deadline: Instant, isStale: Bool)
        /// Waits before the next attempt. Becomes `looking`, `registering`, `suspended`, `ended`.
        case pausing(until: Instant)
        /// Visible. The records may change again after `calmUntil`; `isStale` where they are to. Becomes `looking` or
        /// `registering` on a late collision, `pausing`, `suspended`, `ended`.
        case established(calmUntil: Instant, isStale: Bool)
        /// Over.
        case ended(PublicationState)
    }

    private let operation: String
    private let policy: Advertisement.CollisionPolicy
    private let mustLook: Bool
    /// Whether there is a service, and so something that can be renamed.
    private let hasServices: Bool
    /// For each name the place of the first one that it was equal to at first: these stay equal, and no others become so.
    private let leaders: [Int]

    private var phase = Phase.suspended(hasDaemon: false)
    private var collisions = 0
    private var wasEstablished = false
    /// The name before a collision, until the next one is established.
    private var formerName: ServiceName?

    /// The names of the services, in their order, that are claimed or held: those that were asked for, or the last ones that
    /// were found free. Without services one name, which is only a label.
    public private(set) var names: [ServiceName]

    /// A publication that asks for the names of an advertisement first.
    public init(_ advertisement: Advertisement) {
        operation = advertisement.operation
        policy = advertisement.onCollision
        mustLook = advertisement.hasClaims
        hasServices = !advertisement.services.isEmpty
        let names = hasServices ? advertisement.services.map(\.name) : [advertisement.label]
        leaders = names.indices.map { position in names.firstIndex(of: names[position]) ?? position }
        self.names = names
    }

    /// The name of the first service, or what stands for it.
    public var name: ServiceName { names[0] }

    /// Where the publication stands, for the consumer.
    public var state: PublicationState {
        switch phase {
        case .suspended(hasDaemon: false): .waitingForDaemon
        case .suspended, .looking, .registering, .pausing:
            if let formerName {
                .renaming(from: formerName, to: name)
            } else {
                wasEstablished ? .republishing(name) : .registering(name)
            }
        case .established: .established(name)
        case .ended(let state): state
        }
    }

    /// When to call `deadlineReached`: the limit of a registration, the end of a pause, or when records may change again.
    public var nextDeadline: Instant? {
        switch phase {
        case .suspended, .ended, .established(_, isStale: false): nil
        case .looking(let deadline, _, _), .registering(let deadline, _): deadline
        case .pausing(let until), .established(let until, isStale: true): until
        }
    }
}

// MARK: - The daemon

extension PublicationMachine {
    /// The daemon takes registrations.
    public mutating func daemonReady(now: Instant) -> Action {
        switch phase {
        case .suspended: begin(now: now)
        case .looking, .registering, .pausing, .established, .ended: .none
        }
    }

    /// The daemon claims its host name anew: SRV may need another target.
    public mutating func daemonUnsettled() -> Action {
        switch phase {
        case .ended: return .none
        case .suspended:
            phase = .suspended(hasDaemon: true)
            return .none
        case .looking, .registering, .pausing, .established:
            phase = .suspended(hasDaemon: true)
            return .unregister
        }
    }

    /// The connection is gone, and the group with it.
    public mutating func connectionLost() {
        switch phase {
        case .ended: break
        case .suspended, .looking, .registering, .pausing, .established: phase = .suspended(hasDaemon: false)
        }
    }

    /// What is published has to be published anew as it is: an interface has returned under another number.
    public mutating func interfacesChanged(now: Instant) -> Action {
        switch phase {
        case .suspended, .looking, .pausing, .ended: .none
        case .registering, .established: begin(now: now)
        }
    }
}

// MARK: - The group

extension PublicationMachine {
    /// Nobody else has what was looked for.
    public mutating func namesAreFree(now: Instant) -> Action { lookFound(nil, isComplete: true, now: now) }

    /// What the look has found so far.
    ///
    /// - Parameters:
    ///   - obstacle: why a name cannot be had; nil where nothing stands in the way.
    ///   - isComplete: whether the network has told all that it knows.
    public mutating func lookFound(_ obstacle: DiscoveryError?, isComplete: Bool, now: Instant) -> Action {
        guard case .looking(let deadline, _, let wasComplete) = phase else { return .none }
        if obstacle == nil, isComplete { return register(now: now) }
        let isNewlyComplete = isComplete && !wasComplete
        phase = .looking(
            deadline: isNewlyComplete ? now.advanced(by: Self.obstaclePause) : deadline,
            obstacle: obstacle,
            isComplete: isComplete
        )
        return .none
    }

    /// The group says that the names are ours.
    public mutating func groupEstablished(now: Instant) {
        guard case .registering(_, let isStale) = phase else { return }
        collisions = 0
        wasEstablished = true
        formerName = nil
        phase = .established(calmUntil: now.advanced(by: Self.changeInterval), isStale: isStale)
    }

    /// A name is held by somebody else: seen when adding, while probing, or long after.
    ///
    /// - Parameter position: which service's it is; nil where the daemon does not say. Names that are equal stay equal, and
    ///   those that differ stay different.
    public mutating func groupCollided(at position: Int? = nil, now: Instant) -> Action {
        switch phase {
        case .suspended, .looking, .pausing, .ended: return .none
        case .registering, .established:
            guard hasServices, policy == .rename else { return fail(collision) }
            rename(at: position)
            collisions += 1
            guard collisions < Self.collisionLimit else {
                collisions = 0
                phase = .pausing(until: now.advanced(by: Self.collisionPause))
                return .unregister
            }
            return begin(now: now)
        }
    }

    /// The daemon refused something.
    ///
    /// - Parameter roomMayCome: whether other things of ours take room in the daemon that end by themselves.
    public mutating func registrationFailed(
        _ error: DiscoveryError,
        roomMayCome: Bool = false,
        now: Instant
    ) -> Action {
        switch phase {
        case .suspended, .pausing, .ended: return .none
        case .looking, .registering, .established:
            switch error.failureClass {
            case .tryAgain: return pause(until: now.advanced(by: .seconds(1)))
            case .freeResources where roomMayCome && error.code == .tooManyObjects:
                return pause(until: now.advanced(by: .seconds(1)))
            case .freeResources where wasEstablished:
                // It was promised to stay: the daemon that came back has no room for it yet.
                return pause(until: now.advanced(by: Self.quotaPause))
            case .freeResources, .chooseAnotherName, .giveUp: return fail(error)
            }
        }
    }

    /// An interface that is named by its name does not exist now.
    public mutating func interfaceIsMissing(now: Instant) -> Action {
        switch phase {
        case .suspended, .pausing, .ended: return .none
        case .looking, .registering, .established: return pause(until: now.advanced(by: Self.interfacePause))
        }
    }
}

// MARK: - The consumer

extension PublicationMachine {
    /// The consumer has other TXT records. Those before them that were never told are not told any more.
    public mutating func recordsChanged(now: Instant) -> Action {
        switch phase {
        case .suspended, .looking, .pausing, .ended: return .none
        case .registering(let deadline, _):
            phase = .registering(deadline: deadline, isStale: true)
            return .none
        case .established(let calmUntil, _):
            guard calmUntil <= now else {
                phase = .established(calmUntil: calmUntil, isStale: true)
                return .none
            }
            return change(now: now)
        }
    }

    /// The consumer does not want it any more.
    public mutating func withdraw() -> Action {
        if case .ended = phase { return .none }
        phase = .ended(.withdrawn)
        return .end
    }

    /// `nextDeadline` has passed.
    public mutating func deadlineReached(now: Instant) -> Action {
        guard let deadline = nextDeadline, deadline <= now else { return .none }
        switch phase {
        case .suspended, .ended: return .none
        case .looking(_, let obstacle, _): return obstacle.map { fail($0) } ?? register(now: now)
        case .registering, .pausing: return begin(now: now)
        case .established: return change(now: now)
        }
    }
}

// MARK: - Steps

extension PublicationMachine {
    private mutating func begin(now: Instant) -> Action {
        guard mustLook else { return register(now: now) }
        phase = .looking(deadline: now.advanced(by: Self.registrationLimit), obstacle: nil, isComplete: false)
        return .look
    }

    private mutating func register(now: Instant) -> Action {
        phase = .registering(deadline: now.advanced(by: Self.registrationLimit), isStale: false)
        return .register(names)
    }

    private mutating func change(now: Instant) -> Action {
        phase = .established(calmUntil: now.advanced(by: Self.changeInterval), isStale: false)
        return .change
    }

    private mutating func pause(until: Instant) -> Action {
        phase = .pausing(until: until)
        return .unregister
    }

    private mutating func fail(_ error: DiscoveryError) -> Action {
        phase = .ended(.failed(error))
        return .end
    }

    private mutating func rename(at position: Int?) {
        formerName = formerName ?? name
        let renamed = position.map { [leaders[$0]] } ?? Set(leaders)
        var held = Set(leaders.filter { !renamed.contains($0) }.map { names[$0] })
        for leader in renamed.sorted() {
            repeat {
                for position in names.indices where leaders[position] == leader {
                    names[position] = names[position].alternative
                }
            } while held.contains(names[leader])
            held.insert(names[leader])
        }
        if formerName == name { formerName = nil }
    }

    private var collision: DiscoveryError {
        DiscoveryError(
            .nameCollision,
            operation: operation,
            explanation: hasServices
                ? "another host holds the name; choose another one, or let the publication be renamed"
                : "another host holds one of the names; choose others"
        )
    }
}

extension Advertisement {
    /// What it is called where it has no service.
    fileprivate var label: ServiceName {
        let name = hosts.first?.name ?? aliases.first?.name ?? records.first?.record.name
        return (try? ServiceName(truncating: name?.text ?? "")) ?? .unnamed
    }
}
