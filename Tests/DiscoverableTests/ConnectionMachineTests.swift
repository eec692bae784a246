import DiscoverableConnection
import DiscoverableCore
import Testing

@testable import Discoverable

@Suite("What the class decides")
struct ConnectionMachineTests {
    private func error(_ code: SessionError.Code) -> SessionError { SessionError(code, "sending a message") }

    private func connecting() -> ConnectionMachine {
        var machine = ConnectionMachine()
        _ = machine.begin()
        return machine
    }

    private func connected() -> ConnectionMachine {
        var machine = connecting()
        _ = machine.connected(in: machine.epoch)
        return machine
    }

    @Test("It begins disconnected, without strength")
    func beginning() {
        let machine = ConnectionMachine()
        #expect(machine.state == .disconnected && machine.isOver && machine.strength == 0)
    }

    @Test("An attempt is connecting, then connected, then ends in any state")
    func life() {
        for end in [Discoverable.State.disconnected, .failed(.discoverTimeout), .failed(.connectHostDown)] {
            var machine = ConnectionMachine()
            #expect(machine.begin() == [.state(.connecting)])
            #expect(machine.state == .connecting)
            #expect(machine.connected(in: machine.epoch) == [.state(.connected)])
            #expect(machine.state == .connected)
            #expect(machine.connected(in: machine.epoch) == [])
            #expect(machine.ended(end, in: machine.epoch) == [.state(end)])
            #expect(machine.state == end && machine.isOver)
            #expect(machine.ended(.disconnected, in: machine.epoch) == [])
            #expect(machine.connected(in: machine.epoch) == [])
            #expect(machine.state == end)
        }
    }

    @Test("Messages wait while connecting, and leave in their order")
    func waiting() {
        var machine = connecting()
        #expect(machine.takeOutgoing(in: machine.epoch) == nil)
        for text in ["a", "b"] { #expect(machine.send(text) == .wait) }
        #expect(machine.takeOutgoing(in: machine.epoch) == nil)
        _ = machine.connected(in: machine.epoch)
        #expect(machine.send("c") == .transmit)
        for text in ["a", "b", "c", nil] { #expect(machine.takeOutgoing(in: machine.epoch) == text) }
    }

    @Test("As many as 64 wait; the next one is told as refused")
    func bound() {
        var machine = connecting()
        for number in 0..<64 { #expect(machine.send("\(number)") == .wait) }
        #expect(machine.send("64") == .refuse(.notSent("64", error(.tooManyOutstanding))))
    }

    @Test("A message without a connection is told as such")
    func notConnected() {
        var machine = ConnectionMachine()
        #expect(machine.send("x") == .refuse(.notSent("x", error(.notConnected))))
        _ = machine.begin()
        _ = machine.ended(.failed(.discoverTimeout), in: machine.epoch)
        #expect(machine.send("x") == .refuse(.notSent("x", error(.notConnected))))
    }

    @Test("What an attempt could not send is told before its end")
    func unsent() {
        var machine = connecting()
        _ = machine.send("waits")
        #expect(
            machine.ended(.failed(.discoverTimeout), in: machine.epoch)
                == [.notSent("waits", error(.notConnected)), .state(.failed(.discoverTimeout))]
        )
        machine = connected()
        _ = machine.send("not taken")
        let reason = error(.closed(.lost))
        #expect(
            machine.ended(.disconnected, abandoned: ["left"], because: reason, in: machine.epoch)
                == [.notSent("left", reason), .notSent("not taken", reason), .state(.disconnected)]
        )
    }

    @Test("A new attempt replaces the one before, and tells what that had not sent")
    func replacing() {
        var machine = connecting()
        _ = machine.send("waits")
        let before = machine.epoch
        #expect(machine.begin() == [.notSent("waits", error(.closed(.closedLocally))), .state(.connecting)])
        #expect(machine.epoch != before)
        #expect(machine.connected(in: before) == [] && machine.state == .connecting)
        #expect(machine.ended(.failed(.discoverTimeout), in: before) == [] && machine.state == .connecting)
        #expect(machine.settled("x", acknowledged: true, in: before) == [] && machine.strength == 0)
        #expect(machine.refused("x", error(.emptyMessage), in: before) == [])
        #expect(machine.takeOutgoing(in: before) == nil)
    }

    @Test("Closing ends an attempt in the state given, once, and hands out what has not left")
    func closing() {
        var machine = connected()
        _ = machine.send("bye")
        let before = machine.epoch
        #expect(machine.close(.failed(.connectOther)) == .end(last: ["bye"], .state(.failed(.connectOther))))
        #expect(machine.state == .failed(.connectOther) && machine.epoch != before)
        #expect(machine.close(.disconnected) == .ignore)
        #expect(machine.state == .failed(.connectOther))
    }

    @Test("A connection does not end in a state that goes on", arguments: [Discoverable.State.connected, .connecting])
    func wrongEnd(state: Discoverable.State) {
        var machine = connecting()
        #expect(machine.close(state) == .end(last: [], .state(.disconnected)))
        #expect(machine.state == .disconnected)
    }
}
