import DiscoverableCore
import Testing

@Suite("A publication: names, pauses and ends")
struct PublicationMachineCourseTests {
    private var machine: PublicationMachine
    private let limit = PublicationMachine.registrationLimit

    init() throws {
        machine = try PublicationMachine(["X"])
        _ = machine.daemonReady(now: .origin)
    }

    @Test("A registration that does not come to an end is made anew at the limit, again and again, under its name")
    mutating func stuckRegistration() throws {
        var now = Instant.origin
        for _ in 0..<5 {
            #expect(machine.nextDeadline == now.advanced(by: limit))
            #expect(machine.deadlineReached(now: now.advanced(by: limit - .nanoseconds(1))) == .none)
            now = now.advanced(by: limit)
            #expect(machine.deadlineReached(now: now) == .register(try serviceNames("X")))
        }
        machine.groupEstablished(now: now)
        #expect(machine.state == .established(try ServiceName("X")))
        #expect(machine.nextDeadline == nil)
    }

    @Test("A collision long after the service was visible takes another name, and the next restart keeps it")
    mutating func lateCollision() throws {
        let other = try ServiceName("X #2")
        machine.groupEstablished(now: .origin)
        #expect(machine.groupCollided(now: .seconds(500)) == .register([other]))
        #expect(machine.nextDeadline == Instant.seconds(500).advanced(by: limit))
        machine.groupEstablished(now: .origin)
        machine.connectionLost()
        #expect(machine.daemonReady(now: .seconds(600)) == .register([other]))
        machine.groupEstablished(now: .origin)
        #expect(machine.daemonUnsettled() == .unregister)
        #expect(machine.daemonReady(now: .seconds(700)) == .register([other]))
        #expect(machine.name == other)
    }

    @Test("After fifteen collisions in a row the next name waits five seconds")
    mutating func manyCollisions() throws {
        for number in 2...15 {
            #expect(machine.groupCollided(now: .origin) == .register(try serviceNames("X #\(number)")))
        }
        #expect(machine.groupCollided(now: .seconds(1)) == .unregister)
        #expect(machine.nextDeadline == .seconds(6))
        #expect(machine.state == .renaming(from: try ServiceName("X"), to: try ServiceName("X #16")))
        #expect(machine.deadlineReached(now: .milliseconds(5_999)) == .none)
        #expect(machine.deadlineReached(now: .seconds(6)) == .register(try serviceNames("X #16")))
        #expect(
            machine.groupCollided(now: .seconds(6)) == .register(try serviceNames("X #17")),
            "the count begins anew"
        )
    }

    @Test("A name that was free ends the row of collisions")
    mutating func collisionsInARow() {
        for _ in 0..<10 {
            for _ in 0..<(PublicationMachine.collisionLimit - 1) {
                #expect(machine.groupCollided(now: .origin) != .unregister)
            }
            machine.groupEstablished(now: .origin)
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
        let error = publishingFailure(code)
        let action = machine.registrationFailed(error, now: .seconds(3))
        if error.failureClass == .tryAgain {
            #expect(action == .unregister)
            #expect(machine.nextDeadline == .seconds(4))
            #expect(machine.deadlineReached(now: .seconds(4)) == .register(try serviceNames("X")))
        } else {
            #expect(action == .end)
            #expect(machine.state == .failed(error))
            #expect(machine.nextDeadline == nil)
        }
    }

    @Test("A service that was visible waits for room in a daemon that came back without any")
    mutating func quotaAfterRestart() throws {
        machine.groupEstablished(now: .origin)
        machine.connectionLost()
        #expect(machine.daemonReady(now: .seconds(10)) == .register(try serviceNames("X")))
        #expect(machine.registrationFailed(publishingFailure(.tooManyObjects), now: .seconds(10)) == .unregister)
        #expect(machine.nextDeadline == .seconds(15))
        #expect(machine.deadlineReached(now: .seconds(15)) == .register(try serviceNames("X")))
        #expect(machine.registrationFailed(publishingFailure(.notPermitted), now: .seconds(15)) == .end)
    }
}

@Suite("A publication: several names, looks and changes")
struct PublicationMachineChangeTests {
    @Test("All services get other names, since nobody says whose was taken; equal names stay equal")
    func severalNames() throws {
        var machine = try PublicationMachine(["X", "Y", "x"])
        _ = machine.daemonReady(now: .origin)
        #expect(machine.groupCollided(now: .origin) == .register(try serviceNames("X #2", "Y #2", "x #2")))
        #expect(machine.groupCollided(now: .origin) == .register(try serviceNames("X #3", "Y #3", "x #3")))
    }

    @Test("Where the daemon says whose name was taken, only that one and its equals get another")
    func oneOfSeveralNames() throws {
        var machine = try PublicationMachine(["X", "Y", "x"])
        _ = machine.daemonReady(now: .origin)
        #expect(machine.groupCollided(at: 1, now: .origin) == .register(try serviceNames("X", "Y #2", "x")))
        #expect(machine.state == .registering(try ServiceName("X")), "the first name is still the same")
        #expect(machine.groupCollided(at: 2, now: .origin) == .register(try serviceNames("X #2", "Y #2", "x #2")))
        #expect(machine.state == .renaming(from: try ServiceName("X"), to: try ServiceName("X #2")))
    }

    @Test("One that must not be renamed fails with the collision, at once or after a year")
    func mustNotBeRenamed() throws {
        for isVisible in [false, true] {
            var machine = try PublicationMachine(["X"], onCollision: .fail)
            _ = machine.daemonReady(now: .origin)
            if isVisible { machine.groupEstablished(now: .origin) }
            #expect(machine.groupCollided(now: .seconds(31_536_000)) == .end)
            guard case .failed(let error) = machine.state else {
                Issue.record("\(machine.state)")
                return
            }
            #expect(error.code == .nameCollision)
            #expect(error.operation == "publishing \"X\" (_http._tcp)")
            #expect(error.failureClass == .chooseAnotherName)
        }
    }

    @Test("Hosts are not renamed: their collision is an error")
    func hosts() throws {
        let host = HostAdvertisement(name: try DNSName("shop.local"), address: .v4(IPv4Address(192, 0, 2, 1)))
        var machine = PublicationMachine(Advertisement(hosts: [host]))
        #expect(machine.name.text == "shop.local")
        #expect(machine.daemonReady(now: .origin) == .look)
        #expect(machine.namesAreFree(now: .origin) == .register(machine.names))
        #expect(machine.groupCollided(now: .origin) == .end)
    }

    @Test("After a collision the fixed names are looked for again, before the services take other names")
    func lookAgain() throws {
        var machine = try PublicationMachine.looking("X")
        #expect(machine.daemonReady(now: .origin) == .look)
        #expect(machine.nextDeadline == Instant.origin.advanced(by: PublicationMachine.registrationLimit))
        #expect(machine.namesAreFree(now: .origin) == .register(try serviceNames("X")))
        #expect(machine.groupCollided(now: .seconds(1)) == .look)
        #expect(machine.registrationFailed(publishingFailure(.nameCollision), now: .seconds(2)) == .end)
        #expect(machine.state == .failed(publishingFailure(.nameCollision)))
    }

    @Test("Changes of records are told a second apart, and of several only the last")
    func changes() throws {
        var machine = try PublicationMachine(["X"])
        #expect(machine.recordsChanged(now: .origin) == .none, "nothing is told yet")
        _ = machine.daemonReady(now: .origin)
        machine.groupEstablished(now: .seconds(1))
        #expect(machine.nextDeadline == nil)
        #expect(machine.recordsChanged(now: .milliseconds(1_100)) == .none)
        #expect(machine.recordsChanged(now: .milliseconds(1_500)) == .none)
        #expect(machine.nextDeadline == .seconds(2))
        #expect(machine.deadlineReached(now: .milliseconds(1_999)) == .none)
        #expect(machine.deadlineReached(now: .seconds(2)) == .change)
        #expect(machine.nextDeadline == nil)
        #expect(machine.recordsChanged(now: .milliseconds(2_900)) == .none)
        #expect(machine.nextDeadline == .seconds(3))
        #expect(machine.deadlineReached(now: .seconds(3)) == .change)
        #expect(machine.recordsChanged(now: .seconds(4)) == .change)
        #expect(machine.state == .established(try ServiceName("X")))
    }

    @Test("What changes while it is being registered is told when it is visible")
    func changeWhileRegistering() throws {
        var machine = try PublicationMachine(["X"])
        _ = machine.daemonReady(now: .origin)
        #expect(machine.recordsChanged(now: .origin) == .none)
        machine.groupEstablished(now: .seconds(1))
        #expect(machine.nextDeadline == .seconds(2))
        #expect(machine.deadlineReached(now: .seconds(2)) == .change)
    }

    @Test("A registration after a change has it already")
    func changeBeforeRestart() throws {
        var machine = try PublicationMachine(["X"])
        _ = machine.daemonReady(now: .origin)
        machine.groupEstablished(now: .seconds(1))
        #expect(machine.recordsChanged(now: .milliseconds(1_100)) == .none)
        machine.connectionLost()
        #expect(machine.state == .waitingForDaemon)
        #expect(machine.daemonReady(now: .seconds(5)) == .register(try serviceNames("X")))
        #expect(machine.state == .republishing(try ServiceName("X")))
        machine.groupEstablished(now: .seconds(6))
        #expect(machine.nextDeadline == nil)
    }
}
