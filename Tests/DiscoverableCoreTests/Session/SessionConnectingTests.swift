import DiscoverableCore
import Testing

@Suite("Connecting")
struct SessionConnectingTests {
    /// Runs a machine's deadlines until it wants nothing more; what it did, by seconds.
    private func run(_ machine: inout SessionMachine) -> [(Double, SessionMachine.DeadlineAction)] {
        var actions: [(Double, SessionMachine.DeadlineAction)] = []
        while let deadline = machine.nextDeadline, actions.count < 100 {
            actions.append((deadline.at.sinceOrigin / .seconds(1), machine.deadlineReached(now: deadline.at)))
        }
        return actions
    }

    @Test("fault 1: connecting to an address sends a discover at once")
    func discover() {
        var machine = SessionMachine(configuration: SessionConfiguration())
        #expect(machine.connect(to: [peer], now: .origin) == .discover([peer]))
        #expect(machine.state == .connecting)
        #expect(machine.nextDeadline?.at == .seconds(2) && machine.nextDeadline?.reason == .discover)
    }

    @Test("Five discovers, two seconds apart; 10 s after the first it fails")
    func schedule() {
        var machine = SessionMachine(configuration: SessionConfiguration())
        _ = machine.connect(to: [peer], now: .origin)
        let actions = run(&machine)
        #expect(actions.map(\.0) == [2, 4, 6, 8, 10])
        #expect(actions.dropLast().allSatisfy { $0.1 == .discover([peer]) })
        #expect(actions.last?.1 == .fail(.noAnswer))
        #expect(machine.state == .failed(.noAnswer))
    }

    @Test("Addresses follow one another; the first answer wins, the others are strangers from then on")
    func addresses() {
        var machine = SessionMachine(configuration: SessionConfiguration())
        #expect(machine.connect(to: [peer, otherPeer], now: .origin) == .discover([peer]))
        #expect(machine.receive(.shake(text: nil), from: otherPeer, now: .seconds(0.1)) == .ignore(.stranger))
        #expect(machine.nextDeadline?.at == .seconds(0.25))
        #expect(machine.deadlineReached(now: .seconds(0.25)) == .discover([otherPeer]))
        #expect(machine.receive(.shake(text: "x"), from: otherPeer, now: .seconds(0.3)) == .connected(peer: otherPeer))
        #expect(machine.receive(.disconnect, from: peer, now: .seconds(0.4)) == .ignore(.stranger))
        #expect(machine.state == .connected)
    }

    @Test("A refused address brings the next one forward")
    func rejectedAddress() {
        var machine = SessionMachine(configuration: SessionConfiguration())
        _ = machine.connect(to: [peer, otherPeer], now: .origin)
        #expect(machine.peerRejected(.refused, from: peer, now: .seconds(0.01)) == .note)
        #expect(machine.deadlineReached(now: .seconds(0.01)) == .discover([otherPeer]))
    }

    @Test("fault 20: a refused port is a hint, which names the failure after the last repeat")
    func refused() {
        var machine = SessionMachine(configuration: SessionConfiguration())
        _ = machine.connect(to: [peer], now: .origin)
        _ = machine.peerRejected(.refused, from: peer, now: .seconds(0.01))
        #expect(machine.state == .connecting)
        var copy = machine
        #expect(run(&copy).last?.1 == .fail(.refused))
        #expect(machine.receive(.shake(text: nil), from: peer, now: .seconds(3)) == .connected(peer: peer))
    }

    @Test("No way to any address")
    func unreachable() {
        var machine = SessionMachine(configuration: SessionConfiguration())
        _ = machine.connect(to: [peer], now: .origin)
        _ = machine.peerRejected(.unreachable, from: peer, now: .origin)
        #expect(run(&machine).last?.1 == .fail(.unreachable))
    }

    @Test("Acknowledged discovers without handshake fail by their own name")
    func acknowledgedOnly() {
        var machine = SessionMachine(configuration: SessionConfiguration())
        _ = machine.connect(to: [peer], now: .origin)
        #expect(machine.receive(.acknowledgement, from: peer, now: .seconds(0.1)) == .ignore(.redundant))
        #expect(run(&machine).last?.1 == .fail(.noHandshake))
        #expect(machine.strength == nil)
    }

    @Test("A disconnect excludes its address; the connecting fails with the last one")
    func ended() {
        var machine = SessionMachine(configuration: SessionConfiguration())
        _ = machine.connect(to: [peer, otherPeer], now: .origin)
        _ = machine.deadlineReached(now: .seconds(0.25))
        #expect(machine.receive(.disconnect, from: peer, now: .seconds(0.3)) == .ignore(.redundant))
        #expect(machine.deadlineReached(now: .seconds(2.25)) == .discover([otherPeer]))
        #expect(machine.receive(.disconnect, from: otherPeer, now: .seconds(2.3)) == .fail(.endedByPeer))
    }

    @Test("fault 11: messages are refused while connecting, and burn no discover")
    func sendWhileConnecting() {
        var machine = SessionMachine(configuration: SessionConfiguration())
        _ = machine.connect(to: [peer], now: .origin)
        for _ in 0..<10 { #expect(machine.send("x", now: .seconds(1)) == .refuse(.notConnected(.connecting))) }
        #expect(run(&machine).map(\.0) == [2, 4, 6, 8, 10])
    }

    @Test("fault 15: before the handshake too, only the addresses that were asked may answer")
    func strangers() {
        var machine = SessionMachine(configuration: SessionConfiguration())
        _ = machine.connect(to: [peer], now: .origin)
        #expect(machine.receive(.shake(text: nil), from: stranger, now: .origin) == .ignore(.stranger))
        #expect(machine.receive(nil, from: peer, now: .origin) == .ignore(.malformed))
        #expect(machine.receive(.payload("x"), from: peer, now: .origin) == .ignore(.unexpected))
        #expect(machine.ignoredDatagrams == 3)
    }

    @Test("The handshake is a sample of the round-trip time, unless a discover was repeated")
    func roundTripTime() {
        var machine = SessionMachine(configuration: SessionConfiguration())
        _ = machine.connect(to: [peer], now: .origin)
        var repeated = machine
        _ = machine.receive(.shake(text: nil), from: peer, now: .seconds(0.5))
        #expect(machine.roundTripTime == .seconds(0.5))
        _ = repeated.deadlineReached(now: .seconds(2))
        _ = repeated.receive(.shake(text: nil), from: peer, now: .seconds(2.1))
        #expect(repeated.roundTripTime == nil)
    }

    @Test("fault 22: a machine connects once")
    func once() {
        var machine = connectedClient()
        #expect(machine.connect(to: [otherPeer], now: .seconds(1)) == .wait)
        #expect(machine.state == .connected)
    }

    @Test("Without addresses there is nothing to wait for")
    func noAddress() {
        var machine = SessionMachine(configuration: SessionConfiguration())
        #expect(machine.connect(to: [], now: .origin) == .fail(.noAnswer))
        #expect(machine.nextDeadline == nil)
    }

    @Test("Giving up ends it without a datagram, which would stop a classic server")
    func giveUp() {
        var machine = SessionMachine(configuration: SessionConfiguration())
        _ = machine.connect(to: [peer], now: .origin)
        #expect(machine.close(tellingPeer: true, now: .seconds(1)) == .giveUp)
        #expect(machine.state == .closed(.closedLocally) && machine.nextDeadline == nil)
        #expect(machine.receive(.shake(text: nil), from: peer, now: .seconds(2)) == .ignore(.over))
    }
}
