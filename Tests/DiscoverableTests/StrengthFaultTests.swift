import DiscoverableConnection
import DiscoverableCore
import Testing

@testable import Discoverable

@Suite("How strong the class says a connection is")
struct StrengthFaultTests {
    private func error(_ code: SessionError.Code) -> SessionError { SessionError(code, "sending a message") }

    private func connected() -> ConnectionMachine {
        var machine = ConnectionMachine()
        _ = machine.begin()
        _ = machine.connected(in: machine.epoch)
        return machine
    }

    @Test("3: the strength is the mean of the last five outcomes, not of all since the beginning")
    func strength() {
        var machine = connected()
        for _ in 0..<1_000 { _ = machine.settled("x", acknowledged: true, in: machine.epoch) }
        #expect(machine.strength == 100)
        for expected in [Float(80), 60, 40, 20, 0] {
            let lost = error(.notAcknowledged)
            #expect(
                machine.settled("x", acknowledged: false, in: machine.epoch)
                    == [.notSent("x", lost), .strength(expected)]
            )
        }
    }

    @Test("2: a new attempt has no strength yet")
    func strengthStartsAnew() {
        var machine = connected()
        _ = machine.settled("x", acknowledged: true, in: machine.epoch)
        #expect(machine.strength == 100)
        _ = machine.close(.disconnected)
        #expect(machine.strength == 100)
        _ = machine.begin()
        #expect(machine.strength == 0)
    }
}
