import DiscoverableCore
import Testing

@Suite("GCD style: how much is received")
struct GCDReceiveMachineTests {
    @Test("Paused reads nothing, and a new mode starts the reading")
    func paused() {
        var machine = GCDReceiveMachine()
        #expect(machine.hasRoom(hasLeftovers: false) == false)
        #expect(machine.take(hasFilter: false) == .nothing)
        #expect(machine.starts(hasLeftovers: false) == false)
        #expect(machine.change(to: .continuous) == true)
        #expect(machine.change(to: .continuous) == false)
        #expect(machine.starts(hasLeftovers: true) == false)
        #expect(machine.starts(hasLeftovers: false) == true)
        #expect(machine.starts(hasLeftovers: false) == false)
        #expect(machine.hasRoom(hasLeftovers: false) == true)
    }

    @Test("One at a time: the first ends it")
    func once() {
        var machine = GCDReceiveMachine()
        #expect(machine.change(to: .once) == true)
        #expect(machine.take(hasFilter: false) == .one)
        #expect(machine.mode == .paused)
        #expect(machine.take(hasFilter: false) == .nothing)
    }

    @Test("One at a time: what was on its way before comes first, since some of it may come back")
    func onceAfterContinuous() {
        var machine = GCDReceiveMachine()
        _ = machine.change(to: .continuous)
        #expect(machine.take(hasFilter: false) == .all)
        _ = machine.change(to: .once)
        #expect(machine.take(hasFilter: false) == .nothing)
        #expect(machine.hasRoom(hasLeftovers: false) == false)
        machine.arrived()
        #expect(machine.starts(hasLeftovers: false) == true)
        #expect(machine.take(hasFilter: false) == .one)
    }

    @Test("40: with a filter, the first that passes ends it, and nothing is read meanwhile")
    func onceFiltered() {
        var machine = GCDReceiveMachine()
        _ = machine.change(to: .once)
        #expect(machine.take(hasFilter: true) == .one)
        #expect(machine.take(hasFilter: true) == .nothing)
        #expect(machine.hasRoom(hasLeftovers: false) == false)
        machine.filtered(passed: 0)
        #expect(machine.mode == .once)
        #expect(machine.starts(hasLeftovers: false) == true)
        #expect(machine.take(hasFilter: true) == .one)
        machine.filtered(passed: 1)
        #expect(machine.mode == .paused)
    }

    @Test("Continuous: only so many batches are on their way")
    func bounded() {
        var machine = GCDReceiveMachine()
        _ = machine.change(to: .continuous)
        for _ in 0..<GCDReceiveMachine.limit {
            #expect(machine.hasRoom(hasLeftovers: false) == true)
            #expect(machine.take(hasFilter: false) == .all)
        }
        #expect(machine.hasRoom(hasLeftovers: false) == false)
        #expect(machine.starts(hasLeftovers: false) == false)
        machine.arrived()
        #expect(machine.starts(hasLeftovers: false) == true)
    }

    @Test("40, 42: answers that come after the mode has changed count for the new one")
    func switched() {
        var machine = GCDReceiveMachine()
        _ = machine.change(to: .continuous)
        #expect(machine.take(hasFilter: true) == .all)
        _ = machine.change(to: .once)
        machine.filtered(passed: 2)
        #expect(machine.mode == .paused)
        _ = machine.change(to: .continuous)
        machine.closed()
        #expect(machine == GCDReceiveMachine())
    }
}
