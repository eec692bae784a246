/// Where a publication stands.
public enum PublicationState: Hashable, Sendable {
    /// There is no daemon to publish with; goes on by itself when one comes.
    case waitingForDaemon
    /// The name is being claimed on the network, which takes about a second.
    case registering(ServiceName)
    /// The service is visible under this name.
    case established(ServiceName)
    /// The publication was withdrawn.
    case withdrawn
    /// The publication ended with an error.
    case failed(DiscoveryError)

    /// Whether nothing can follow.
    public var isFinal: Bool {
        switch self {
        case .waitingForDaemon, .registering, .established: false
        case .withdrawn, .failed: true
        }
    }
}

/// One service's way onto the network and back: names, collisions, retries; as a machine.
///
/// Its driver does with the entry group what each action says, reports what the present group says, and tells the consumer
/// `state` whenever it has changed. Each registration has a group of its own, so that what an earlier one still has to say
/// is not taken for an answer to this one.
public struct PublicationMachine: Sendable {
    /// What the driver has to do with the entry group.
    public enum Action: Hashable, Sendable {
        /// Nothing.
        case none
        /// Add the service under this name to a new group and commit that; free an old one first.
        case register(ServiceName)
        /// Free the group; another one follows.
        case unregister
        /// Free the group; nothing follows.
        case end
    }

    /// How long a group may stay in registering before it is committed anew: Avahi 0.8 leaves it there for ever when an
    /// interface goes while it probes.
    public static let registrationLimit = Duration.seconds(10)
    /// After this many collisions in a row the next name waits (RFC 6762 section 9).
    public static let collisionLimit = 15
    /// How long it waits.
    public static let collisionPause = Duration.seconds(5)
    /// How long a service that was visible before waits for room in the daemon.
    public static let quotaPause = Duration.seconds(5)

    private enum Phase {
        /// No daemon takes registrations. Becomes `registering`.
        case suspended
        /// Committed, not yet established; `deadline` commits again. Becomes `established`, `pausing`, `suspended`, `ended`.
        case registering(deadline: Instant)
        /// Waits before the next attempt. Becomes `registering`, `suspended`, `ended`.
        case pausing(until: Instant)
        /// Visible. Becomes `registering` on a late collision, `suspended`, `ended`.
        case established
        /// Over.
        case ended(PublicationState)
    }

    private var phase = Phase.suspended
    private var collisions = 0
    private var wasEstablished = false

    /// The name that is claimed or held: the one that was asked for, or the last one that was found free.
    public private(set) var name: ServiceName

    /// A publication that asks for `name` first.
    public init(name: ServiceName) {
        self.name = name
    }

    /// Where the publication stands, for the consumer.
    public var state: PublicationState {
        switch phase {
        case .suspended: .waitingForDaemon
        case .registering, .pausing: .registering(name)
        case .established: .established(name)
        case .ended(let state): state
        }
    }

    /// When to call `deadlineReached`: the limit of a registration, or the end of a pause.
    public var nextDeadline: Instant? {
        switch phase {
        case .suspended, .established, .ended: nil
        case .registering(let deadline): deadline
        case .pausing(let until): until
        }
    }

    /// The daemon takes registrations.
    public mutating func daemonReady(now: Instant) -> Action {
        switch phase {
        case .suspended: register(now: now)
        case .registering, .pausing, .established, .ended: .none
        }
    }

    /// The daemon claims its host name anew: SRV may need another target.
    public mutating func daemonUnsettled() -> Action {
        switch phase {
        case .suspended, .ended: return .none
        case .registering, .pausing, .established:
            phase = .suspended
            return .unregister
        }
    }

    /// The connection is gone, and the group with it.
    public mutating func connectionLost() {
        switch phase {
        case .suspended, .ended: break
        case .registering, .pausing, .established: phase = .suspended
        }
    }

    /// The group says that the name is ours.
    public mutating func groupEstablished() {
        guard case .registering = phase else { return }
        collisions = 0
        wasEstablished = true
        phase = .established
    }

    /// The name is held by somebody else: seen when adding, while probing, or long after.
    public mutating func groupCollided(now: Instant) -> Action {
        switch phase {
        case .suspended, .pausing, .ended: return .none
        case .registering, .established:
            name = name.alternative
            collisions += 1
            guard collisions < Self.collisionLimit else {
                collisions = 0
                phase = .pausing(until: now.advanced(by: Self.collisionPause))
                return .unregister
            }
            return register(now: now)
        }
    }

    /// The daemon refused the registration for good, or for now.
    public mutating func registrationFailed(_ error: DiscoveryError, now: Instant) -> Action {
        switch phase {
        case .suspended, .pausing, .ended: return .none
        case .registering, .established:
            switch error.failureClass {
            case .tryAgain:
                phase = .pausing(until: now.advanced(by: .seconds(1)))
                return .unregister
            case .freeResources where wasEstablished:
                // It was promised to stay: the daemon that came back has no room for it yet.
                phase = .pausing(until: now.advanced(by: Self.quotaPause))
                return .unregister
            case .freeResources, .chooseAnotherName, .giveUp:
                phase = .ended(.failed(error))
                return .end
            }
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
        return register(now: now)
    }

    private mutating func register(now: Instant) -> Action {
        phase = .registering(deadline: now.advanced(by: Self.registrationLimit))
        return .register(name)
    }
}
