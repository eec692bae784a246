import DiscoverableCore
import TestSupport
import Testing

/// The moment at which `Situation` gets to where it is.
private let arrival = Instant.seconds(10)

func publishingFailure(_ code: DiscoveryError.Code) -> DiscoveryError {
    DiscoveryError(code, operation: "publishing", explanation: "refused")
}

extension PublicationMachine {
    /// One that asks for services of these names.
    init(_ names: [String], onCollision policy: Advertisement.CollisionPolicy = .rename) throws {
        let services = try names.map { name in
            ServiceAdvertisement(name: try ServiceName(name), type: try ServiceType("_http._tcp"), port: 80)
        }
        self.init(Advertisement(services, onCollision: policy))
    }

    /// One with a service, whose names have to be looked for first.
    static func looking(_ name: String) throws -> PublicationMachine {
        let service = ServiceAdvertisement(name: try ServiceName(name), type: try ServiceType("_http._tcp"), port: 80)
        return PublicationMachine(
            Advertisement([service], aliases: [AliasAdvertisement(name: try DNSName("shop.local"))])
        )
    }
}

func serviceNames(_ names: String...) throws -> [ServiceName] {
    try names.map { name in try ServiceName(name) }
}

@Suite("A publication: every phase and verb")
struct PublicationMachineTests {
    enum Situation: CaseIterable {
        case suspended, looking, registering, pausing, established, withdrawn, failed

        func machine() throws -> PublicationMachine {
            var machine = self == .looking ? try PublicationMachine.looking("X") : try PublicationMachine(["X"])
            if self == .suspended { return machine }
            _ = machine.daemonReady(now: arrival)
            switch self {
            case .suspended, .looking, .registering: break
            case .pausing: _ = machine.registrationFailed(publishingFailure(.daemonError), now: arrival)
            case .established: machine.groupEstablished(now: arrival)
            case .withdrawn: _ = machine.withdraw()
            case .failed: _ = machine.registrationFailed(publishingFailure(.notPermitted), now: arrival)
            }
            return machine
        }

        func state() throws -> PublicationState {
            switch self {
            case .suspended: .waitingForDaemon
            case .looking, .registering, .pausing: .registering(try ServiceName("X"))
            case .established: .established(try ServiceName("X"))
            case .withdrawn: .withdrawn
            case .failed: .failed(publishingFailure(.notPermitted))
            }
        }
    }

    enum Verb: CaseIterable {
        case ready, unsettled, connectionLost, interfacesChanged, namesAreFree, established, collided, failedForNow
        case failedForGood, interfaceIsMissing, recordsChanged, withdraw, deadlineTooEarly, deadline

        func callAsFunction(_ machine: inout PublicationMachine) -> PublicationMachine.Action {
            let now = Instant.seconds(20)
            switch self {
            case .ready: return machine.daemonReady(now: now)
            case .unsettled: return machine.daemonUnsettled()
            case .connectionLost:
                machine.connectionLost()
                return .none
            case .interfacesChanged: return machine.interfacesChanged(now: now)
            case .namesAreFree: return machine.namesAreFree(now: now)
            case .established:
                machine.groupEstablished(now: now)
                return .none
            case .collided: return machine.groupCollided(now: now)
            case .failedForNow: return machine.registrationFailed(publishingFailure(.daemonNotResponding), now: now)
            case .failedForGood: return machine.registrationFailed(publishingFailure(.tooManyObjects), now: now)
            case .interfaceIsMissing: return machine.interfaceIsMissing(now: now)
            case .recordsChanged: return machine.recordsChanged(now: now)
            case .withdraw: return machine.withdraw()
            case .deadlineTooEarly: return machine.deadlineReached(now: arrival)
            case .deadline: return machine.deadlineReached(now: now)
            }
        }
    }

    typealias Outcome = (action: PublicationMachine.Action, state: PublicationState)

    /// What a verb causes; nil where it must change nothing.
    static func outcome(_ situation: Situation, _ verb: Verb) throws -> Outcome? {
        let (names, others) = (try serviceNames("X"), try serviceNames("X #2"))
        let isVisible = situation == .established
        let again: PublicationState = isVisible ? .republishing(names[0]) : .registering(names[0])
        return switch (situation, verb) {
        case (.withdrawn, _), (.failed, _), (_, .deadlineTooEarly): nil
        case (_, .withdraw): (.end, .withdrawn)
        case (.suspended, .ready): (.register(names), .registering(names[0]))
        // There is a daemon after all: it claims its host name.
        case (.suspended, .unsettled): (.none, again)
        case (.suspended, _), (_, .ready): nil
        case (_, .unsettled): (.unregister, again)
        case (_, .connectionLost): (.none, .waitingForDaemon)
        case (.pausing, .deadline): (.register(names), again)
        case (.pausing, _): nil
        case (.looking, .namesAreFree), (.looking, .deadline): (.register(names), again)
        case (.looking, .interfacesChanged), (.looking, .established), (.looking, .collided): nil
        case (.looking, .recordsChanged): nil
        case (_, .namesAreFree): nil
        case (.registering, .established): (.none, .established(names[0]))
        case (_, .established): nil
        // What is registered already is told when it is established.
        case (.registering, .recordsChanged): (.none, again)
        case (_, .recordsChanged): (.change, .established(names[0]))
        case (.registering, .deadline): (.register(names), again)
        case (_, .deadline): nil
        case (_, .interfacesChanged): (.register(names), again)
        case (_, .collided): (.register(others), .renaming(from: names[0], to: others[0]))
        case (_, .failedForNow), (_, .interfaceIsMissing): (.unregister, again)
        case (.established, .failedForGood): (.unregister, again)
        case (_, .failedForGood): (.end, .failed(publishingFailure(.tooManyObjects)))
        }
    }

    @Test(
        "A verb does what the table says, and nothing where it says nothing",
        arguments: Situation.allCases,
        Verb.allCases
    )
    func transition(situation: Situation, verb: Verb) throws {
        var machine = try situation.machine()
        #expect(machine.state == (try situation.state()))
        let deadline = machine.nextDeadline
        let action = verb(&machine)
        guard let outcome = try Self.outcome(situation, verb) else {
            #expect(action == .none)
            #expect(machine.state == (try situation.state()))
            #expect(machine.nextDeadline == deadline)
            return
        }
        #expect(action == outcome.action)
        #expect(machine.state == outcome.state)
    }

    @Test(
        "Only looks, registrations and pauses have a deadline, only the two ends are final",
        arguments: Situation.allCases
    )
    func deadlinesAndEnds(situation: Situation) throws {
        let machine = try situation.machine()
        #expect((machine.nextDeadline != nil) == [.looking, .registering, .pausing].contains(situation))
        #expect(machine.state.isFinal == [.withdrawn, .failed].contains(situation))
    }
}
