import DiscoverableCore
import Testing

@Suite("A publication: what stands in its way")
struct PublicationMachineObstacleTests {
    private let collision = publishingFailure(.nameCollision)
    private let limit = Instant.origin.advanced(by: PublicationMachine.registrationLimit)

    private func looking() throws -> PublicationMachine {
        var machine = try PublicationMachine.looking("X")
        #expect(machine.daemonReady(now: .origin) == .look)
        return machine
    }

    @Test("A look that never ends fails where a name was seen to be taken, and goes on where none was")
    func unansweredLook() throws {
        var machine = try looking()
        #expect(machine.lookFound(collision, isComplete: false, now: .seconds(1)) == .none)
        #expect(machine.nextDeadline == limit)
        var other = machine
        #expect(machine.deadlineReached(now: limit) == .end)
        #expect(machine.state == .failed(collision))
        #expect(other.lookFound(nil, isComplete: false, now: .seconds(2)) == .none, "it has gone")
        #expect(other.deadlineReached(now: limit) == .register(try serviceNames("X")))
    }

    @Test("What is in the way when all has been told may be a goodbye that caches still hold: it is given 1.2 s to go")
    func goodbye() throws {
        var machine = try looking()
        #expect(machine.lookFound(collision, isComplete: true, now: .seconds(1)) == .none)
        #expect(machine.lookFound(collision, isComplete: true, now: .milliseconds(1_500)) == .none)
        #expect(machine.nextDeadline == .milliseconds(2_200), "a second sighting gives it no more time")
        var other = machine
        #expect(machine.lookFound(nil, isComplete: true, now: .seconds(2)) == .register(try serviceNames("X")))
        #expect(other.deadlineReached(now: .milliseconds(2_200)) == .end)
        #expect(other.state == .failed(collision))
    }

    @Test("A host that takes another name is no daemon that is missing")
    func hostRename() throws {
        let name = try ServiceName("X")
        var machine = try PublicationMachine(["X"])
        #expect(machine.state == .waitingForDaemon)
        #expect(machine.daemonUnsettled() == .none)
        #expect(machine.state == .registering(name))
        _ = machine.daemonReady(now: .origin)
        machine.groupEstablished(now: .origin)
        #expect(machine.daemonUnsettled() == .unregister)
        #expect(machine.state == .republishing(name))
        #expect(machine.nextDeadline == nil)
        machine.connectionLost()
        #expect(machine.state == .waitingForDaemon)
    }

    @Test("Names that differ stay different, whoever says which was taken")
    func namesStayApart() throws {
        var machine = try PublicationMachine(["X", "X #2", "x"])
        _ = machine.daemonReady(now: .origin)
        #expect(machine.groupCollided(at: 0, now: .origin) == .register(try serviceNames("X #3", "X #2", "x #3")))
        #expect(machine.groupCollided(at: 1, now: .origin) == .register(try serviceNames("X #3", "X #4", "x #3")))
        #expect(machine.groupCollided(now: .origin) == .register(try serviceNames("X #4", "X #5", "x #4")))
    }

    @Test("Where our own resolves take the room, the first registration waits for it")
    func roomMayCome() throws {
        var machine = try PublicationMachine(["X"])
        _ = machine.daemonReady(now: .origin)
        let refusal = publishingFailure(.tooManyObjects)
        #expect(machine.registrationFailed(refusal, roomMayCome: true, now: .origin) == .unregister)
        #expect(machine.deadlineReached(now: .seconds(1)) == .register(try serviceNames("X")))
        let memory = publishingFailure(.outOfResources)
        #expect(machine.registrationFailed(memory, roomMayCome: true, now: .seconds(1)) == .end)
    }
}
