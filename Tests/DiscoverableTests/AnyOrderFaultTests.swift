import DiscoverableConnection
import DiscoverableCore
import TestSupport
import Testing

@testable import Discoverable

/// Any order of what an app and its attempts can do.
@Suite("What the class decides, in any order")
struct AnyOrderFaultTests {
    /// Carries out steps at random, and keeps what was told.
    private struct World {
        var machine = ConnectionMachine()
        var random: SeededGenerator
        var epochs: [ConnectionMachine.Epoch] = []
        var states: [Discoverable.State] = [.disconnected]
        var sent = 0
        var told = 0
        var taken: [(String, ConnectionMachine.Epoch)] = []

        mutating func step() {
            let epoch = epochs.randomElement(using: &random) ?? machine.epoch
            switch Int.random(in: 0..<8, using: &random) {
            case 0: tell(machine.begin())
            case 1: tell(machine.connected(in: epoch))
            case 2: tell(machine.ended(.failed(.connectHostDown), in: epoch))
            case 3: close()
            case 4, 5: send()
            case 6: take(epoch)
            case _: settle()
            }
            epochs = Array((epochs + [machine.epoch]).suffix(3))
        }

        private mutating func send() {
            sent += 1
            if case .refuse(let notice) = machine.send("\(sent)") { tell([notice]) }
        }

        private mutating func close() {
            if case .end(let last, let notice) = machine.close(.disconnected) {
                #expect(last.count <= sent)
                tell([notice])
            }
        }

        private mutating func take(_ epoch: ConnectionMachine.Epoch) {
            guard let text = machine.takeOutgoing(in: epoch) else { return }
            #expect(epoch == machine.epoch)
            taken.append((text, epoch))
        }

        private mutating func settle() {
            guard let (text, epoch) = taken.popLast() else { return }
            let notices = machine.settled(text, acknowledged: Bool.random(using: &random), in: epoch)
            #expect(epoch == machine.epoch || notices.isEmpty)
            tell(notices)
        }

        private mutating func tell(_ notices: [ConnectionMachine.Notice]) {
            for notice in notices {
                switch notice {
                case .state(let state): states.append(state)
                case .strength(let strength): #expect((0...100).contains(strength))
                case .received, .notSent: told += 1
                }
            }
            #expect(machine.state == states.last)
        }
    }

    private static func isAllowed(_ state: Discoverable.State, after before: Discoverable.State) -> Bool {
        switch (before, state) {
        case (.connecting, _), (_, .connecting): true
        case (.connected, .disconnected), (.connected, .failed): true
        case (.connected, .connected), (.disconnected, _), (.failed, _): false
        }
    }

    @Test("5, 19: the strength stays within 0…100, states follow the table, and what is over tells nothing")
    func schedules() {
        for seed in 0..<300 as Range<UInt64> {
            var world = World(random: SeededGenerator(seed: seed))
            for _ in 0..<200 { world.step() }
            for (before, state) in zip(world.states, world.states.dropFirst()) {
                #expect(Self.isAllowed(state, after: before), "seed \(seed): \(before) became \(state)")
            }
            #expect(world.told <= world.sent)
        }
    }
}
