import DiscoverableCore
import TestSupport
import Testing

/// The moment at which `Situation` gets to where it is.
private let arrival = Instant.seconds(10)

private func failure(_ code: DiscoveryError.Code) -> DiscoveryError {
    DiscoveryError(code, operation: "publishing", explanation: "refused")
}

@Suite("A publication: every phase and verb")
struct PublicationMachineTests {
    enum Situation: CaseIterable {
        case suspended, registering, pausing, established, withdrawn, failed

        func machine() throws -> PublicationMachine {
            var machine = PublicationMachine(name: try ServiceName("X"))
            if self == .suspended { return machine }
            _ = machine.daemonReady(now: arrival)
            switch self {
            case .suspended, .registering: break
            case .pausing: _ = machine.registrationFailed(failure(.daemonError), now: arrival)
            case .established: machine.groupEstablished()
            case .withdrawn: _ = machine.withdraw()
            case .failed: _ = machine.registrationFailed(failure(.notPermitted), now: arrival)
            }
            return machine
        }

        func state() throws -> PublicationState {
            switch self {
            case .suspended: .waitingForDaemon
            case .registering, .pausing: .registering(try ServiceName("X"))
            case .established: .established(try ServiceName("X"))
            case .withdrawn: .withdrawn
            case .failed: .failed(failure(.notPermitted))
            }
        }
    }

    enum Verb: CaseIterable {
        case ready, unsettled, connectionLost, established, collided, failedForNow, failedForGood, withdraw
        case deadlineTooEarly, deadline

        func callAsFunction(_ machine: inout PublicationMachine) -> PublicationMachine.Action {
            let now = Instant.seconds(20)
            switch self {
            case .ready: return machine.daemonReady(now: now)
            case .unsettled: return machine.daemonUnsettled()
            case .connectionLost:
                machine.connectionLost()
                return .none
            case .established:
                machine.groupEstablished()
                return .none
            case .collided: return machine.groupCollided(now: now)
            case .failedForNow: return machine.registrationFailed(failure(.daemonNotResponding), now: now)
            case .failedForGood: return machine.registrationFailed(failure(.tooManyObjects), now: now)
            case .withdraw: return machine.withdraw()
            case .deadlineTooEarly: return machine.deadlineReached(now: arrival)
            case .deadline: return machine.deadlineReached(now: now)
            }
        }
    }

    typealias Outcome = (action: PublicationMachine.Action, state: PublicationState)

    /// What a verb causes; nil where it must change nothing.
    static func outcome(_ situation: Situation, _ verb: Verb) throws -> Outcome? {
        let (name, other) = (try ServiceName("X"), try ServiceName("X #2"))
        return switch (situation, verb) {
        case (.withdrawn, _), (.failed, _), (_, .deadlineTooEarly): nil
        case (_, .withdraw): (.end, .withdrawn)
        case (.suspended, .ready): (.register(name), .registering(name))
        case (.suspended, _), (_, .ready): nil
        case (_, .unsettled): (.unregister, .waitingForDaemon)
        case (_, .connectionLost): (.none, .waitingForDaemon)
        case (.registering, .established): (.none, .established(name))
        case (_, .established): nil
        case (.registering, .deadline), (.pausing, .deadline): (.register(name), .registering(name))
        case (_, .deadline): nil
        case (.pausing, .collided), (.pausing, .failedForNow), (.pausing, .failedForGood): nil
        case (_, .collided): (.register(other), .registering(other))
        case (_, .failedForNow): (.unregister, .registering(name))
        case (.established, .failedForGood): (.unregister, .registering(name))
        case (_, .failedForGood): (.end, .failed(failure(.tooManyObjects)))
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

    @Test("Only a registration and a pause have a deadline, only the two ends are final", arguments: Situation.allCases)
    func deadlinesAndEnds(situation: Situation) throws {
        let machine = try situation.machine()
        #expect((machine.nextDeadline != nil) == [.registering, .pausing].contains(situation))
        #expect(machine.state.isFinal == [.withdrawn, .failed].contains(situation))
    }
}

@Suite("A publication: names, pauses and ends")
struct PublicationMachineCourseTests {
    private var machine: PublicationMachine
    private let limit = PublicationMachine.registrationLimit

    init() throws {
        machine = PublicationMachine(name: try ServiceName("X"))
        _ = machine.daemonReady(now: .origin)
    }

    @Test("A registration that does not come to an end is made anew at the limit, again and again, under its name")
    mutating func stuckRegistration() throws {
        var now = Instant.origin
        for _ in 0..<5 {
            #expect(machine.nextDeadline == now.advanced(by: limit))
            #expect(machine.deadlineReached(now: now.advanced(by: limit - .nanoseconds(1))) == .none)
            now = now.advanced(by: limit)
            #expect(machine.deadlineReached(now: now) == .register(try ServiceName("X")))
        }
        machine.groupEstablished()
        #expect(machine.state == .established(try ServiceName("X")))
        #expect(machine.nextDeadline == nil)
    }

    @Test("A collision long after the service was visible takes another name, and the next restart keeps it")
    mutating func lateCollision() throws {
        let other = try ServiceName("X #2")
        machine.groupEstablished()
        #expect(machine.groupCollided(now: .seconds(500)) == .register(other))
        #expect(machine.nextDeadline == Instant.seconds(500).advanced(by: limit))
        machine.groupEstablished()
        machine.connectionLost()
        #expect(machine.daemonReady(now: .seconds(600)) == .register(other))
        machine.groupEstablished()
        #expect(machine.daemonUnsettled() == .unregister)
        #expect(machine.daemonReady(now: .seconds(700)) == .register(other))
        #expect(machine.name == other)
    }

    @Test("After fifteen collisions in a row the next name waits five seconds")
    mutating func manyCollisions() throws {
        for number in 2...15 {
            #expect(machine.groupCollided(now: .origin) == .register(try ServiceName("X #\(number)")))
        }
        #expect(machine.groupCollided(now: .seconds(1)) == .unregister)
        #expect(machine.nextDeadline == .seconds(6))
        #expect(machine.state == .registering(try ServiceName("X #16")))
        #expect(machine.deadlineReached(now: .milliseconds(5_999)) == .none)
        #expect(machine.deadlineReached(now: .seconds(6)) == .register(try ServiceName("X #16")))
        #expect(machine.groupCollided(now: .seconds(6)) == .register(try ServiceName("X #17")), "the count begins anew")
    }

    @Test("A name that was free ends the row of collisions")
    mutating func collisionsInARow() {
        for _ in 0..<10 {
            for _ in 0..<(PublicationMachine.collisionLimit - 1) {
                #expect(machine.groupCollided(now: .origin) != .unregister)
            }
            machine.groupEstablished()
        }
    }

    @Test(
        "What may pass is tried again after a second; what cannot pass ends the publication",
        arguments: [
            .daemonUnavailable, .daemonNotResponding, .notFound, .tooManyObjects, .nameCollision, .invalidName,
            .invalidTXTRecord,
            .invalidArgument, .notPermitted, .cancelled, .daemonError,
        ] as [DiscoveryError.Code]
    )
    mutating func failures(code: DiscoveryError.Code) throws {
        let error = failure(code)
        let action = machine.registrationFailed(error, now: .seconds(3))
        if error.failureClass == .tryAgain {
            #expect(action == .unregister)
            #expect(machine.nextDeadline == .seconds(4))
            #expect(machine.deadlineReached(now: .seconds(4)) == .register(try ServiceName("X")))
        } else {
            #expect(action == .end)
            #expect(machine.state == .failed(error))
            #expect(machine.nextDeadline == nil)
        }
    }

    @Test("A service that was visible waits for room in a daemon that came back without any")
    mutating func quotaAfterRestart() throws {
        machine.groupEstablished()
        machine.connectionLost()
        #expect(machine.daemonReady(now: .seconds(10)) == .register(try ServiceName("X")))
        #expect(machine.registrationFailed(failure(.tooManyObjects), now: .seconds(10)) == .unregister)
        #expect(machine.nextDeadline == .seconds(15))
        #expect(machine.deadlineReached(now: .seconds(15)) == .register(try ServiceName("X")))
        #expect(machine.registrationFailed(failure(.notPermitted), now: .seconds(15)) == .end)
    }

    @Test("Whatever happens, nothing follows the end", arguments: 1...50 as ClosedRange<UInt64>)
    func anySequence(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let verbs = PublicationMachineTests.Verb.allCases
        var machine = PublicationMachine(name: try ServiceName("X"))
        var end: PublicationState?
        var ends = 0
        for _ in 0..<200 {
            // An end comes late enough that there is something before it.
            let isEnding = Int.random(in: 0..<30, using: &generator) == 0
            let verb = try #require(
                verbs.filter { isEnding || ![.withdraw, .failedForGood].contains($0) }.randomElement(using: &generator)
            )
            let action = verb(&machine)
            if action == .end { ends += 1 }
            if let end {
                try #require(action == .none)
                try #require(machine.state == end && machine.nextDeadline == nil)
            } else if machine.state.isFinal {
                try #require(action == .end)
                end = machine.state
            }
            if case .register(let name) = action { try #require(name == machine.name) }
        }
        #expect(ends == (end == nil ? 0 : 1), "the group is freed exactly at the end")
    }
}
