import DiscoverableCore
import Testing

@Suite("Connecting")
struct SessionConnectingTests {
    private let discover = SessionStatement.discover(name: "tests")
    private var session = TestedSession()

    private func asked(_ addresses: SocketAddress...) -> [Told] { addresses.map { .says(discover, to: $0) } }

    @Test("1: connecting to an address sends a discover at once")
    mutating func discovers() {
        #expect(session.connect(to: [peer], at: 0) == [.happened(.connecting(to: peer))] + asked(peer))
        #expect(session.machine.state == .connecting)
        #expect(session.machine.nextDeadline == SessionDeadline(at: .seconds(2), reason: .discover))
    }

    @Test("Five discovers, two seconds apart; 10 s after the first it fails")
    mutating func schedule() {
        _ = session.connect(to: [peer], at: 0)
        let steps = session.run()
        #expect(steps.map(\.at) == [2, 4, 6, 8, 10])
        #expect(steps.dropLast().allSatisfy { $0.told == asked(peer) })
        #expect(steps.last?.told == [.happened(.failed(.noAnswer))])
        #expect(session.machine.state == .failed(.noAnswer))
    }

    @Test("Each timer may be late: there are five discovers all the same")
    mutating func late() {
        _ = session.connect(to: [peer], at: 0)
        var discovers = 1
        for due in [2.0, 4, 6, 8] {
            #expect(session.machine.nextDeadline?.at == .seconds(due))
            discovers += session.reach(due + 0.4).count { $0 == .says(discover, to: peer) }
        }
        #expect(discovers == 5)
        #expect(session.machine.nextDeadline == SessionDeadline(at: .seconds(10), reason: .connectTimeout))
    }

    @Test("Addresses follow one another; the first answer wins, the others are strangers from then on")
    mutating func addresses() {
        _ = session.connect(to: [peer, otherPeer], at: 0)
        #expect(session.reception(of: .shake(text: nil), from: otherPeer, at: 0.1) == .ignored(.stranger))
        #expect(session.machine.nextDeadline?.at == .seconds(0.25))
        #expect(session.reach(0.25) == [.happened(.connecting(to: otherPeer))] + asked(otherPeer))
        #expect(session.hear(.shake(text: "x"), from: otherPeer, at: 0.3) == [.happened(.connected(to: otherPeer))])
        #expect(session.reception(of: .disconnect, from: peer, at: 0.4) == .ignored(.stranger))
        #expect(session.machine.state == .connected)
    }

    @Test("A refused address brings the next one forward")
    mutating func rejectedAddress() {
        _ = session.connect(to: [peer, otherPeer], at: 0)
        #expect(session.reject(.refused, at: 0.01).isEmpty)
        #expect(session.reach(0.01) == [.happened(.connecting(to: otherPeer))] + asked(otherPeer))
    }

    @Test("20: a refused port is a hint, which names the failure after the last repeat")
    mutating func refused() {
        _ = session.connect(to: [peer], at: 0)
        _ = session.reject(.refused, at: 0.01)
        #expect(session.machine.state == .connecting)
        var copy = session
        #expect(copy.run().last?.told == [.happened(.failed(.refused))])
        #expect(session.hear(.shake(text: nil), at: 3).last == .happened(.connected(to: peer)))
    }

    @Test("No way to any address")
    mutating func unreachable() {
        _ = session.connect(to: [peer], at: 0)
        _ = session.reject(.unreachable, at: 0)
        #expect(session.run().last?.told == [.happened(.failed(.unreachable))])
    }

    @Test("Acknowledged discovers without handshake fail by their own name")
    mutating func acknowledgedOnly() {
        _ = session.connect(to: [peer], at: 0)
        #expect(session.hear(.acknowledgement(nil), at: 0.1).isEmpty)
        #expect(session.run().last?.told == [.happened(.failed(.noHandshake))])
        #expect(session.machine.strength == nil)
    }

    @Test("A disconnect excludes its address; the connecting fails with the last one")
    mutating func ended() {
        _ = session.connect(to: [peer, otherPeer], at: 0)
        _ = session.reach(0.25)
        #expect(session.hear(.disconnect, at: 0.3).isEmpty)
        #expect(session.reach(2.25) == asked(otherPeer))
        #expect(session.hear(.disconnect, from: otherPeer, at: 2.3) == [.happened(.failed(.endedByPeer))])
    }

    @Test("11: messages are refused while connecting, and burn no discover")
    mutating func sendWhileConnecting() {
        _ = session.connect(to: [peer], at: 0)
        for _ in 0..<10 { #expect(session.refusal(of: "x", at: 1) == .notConnected(.connecting)) }
        #expect(session.run().map(\.at) == [2, 4, 6, 8, 10])
    }

    @Test("15: before the handshake too, only the addresses that were asked may answer")
    mutating func strangers() {
        _ = session.connect(to: [peer], at: 0)
        #expect(session.reception(of: .shake(text: nil), from: stranger, at: 0) == .ignored(.stranger))
        #expect(session.machine.receive([0xff].span, from: peer, now: .origin) == .ignored(.malformed))
        #expect(session.reception(of: .message(nil, "x"), at: 0) == .ignored(.unexpected))
        #expect(session.machine.ignoredStatements == 3)
        #expect(session.outputs() == [] && session.machine.state == .connecting)
    }

    @Test("The handshake is a sample of the round-trip time, unless a discover was repeated")
    mutating func roundTripTime() {
        _ = session.connect(to: [peer], at: 0)
        var repeated = session
        _ = session.hear(.shake(text: nil), at: 0.5)
        #expect(session.machine.roundTripTime == .seconds(0.5))
        _ = repeated.reach(2)
        _ = repeated.hear(.shake(text: nil), at: 2.1)
        #expect(repeated.machine.state == .connected && repeated.machine.roundTripTime == nil)
    }

    @Test("22: a machine connects once")
    func once() {
        var session = TestedSession.connectedClient()
        #expect(session.connect(to: [otherPeer], at: 1).isEmpty)
        #expect(session.machine.state == .connected)
    }

    @Test("An address that is named twice is one")
    mutating func twice() {
        #expect(session.connect(to: [peer, peer], at: 0) == [.happened(.connecting(to: peer))] + asked(peer))
        #expect(session.reach(0.25).isEmpty)
        #expect(session.hear(.disconnect, at: 0.3) == [.happened(.failed(.endedByPeer))])
    }

    @Test("Without addresses there is nothing to wait for")
    mutating func noAddress() {
        #expect(session.connect(to: [], at: 0) == [.happened(.failed(.noAnswer))])
        #expect(session.machine.nextDeadline == nil)
    }

    @Test("Giving up silently sends nothing, which would stop a classic server; telling tells whoever was asked, once")
    mutating func giveUp() {
        _ = session.connect(to: [peer, otherPeer], at: 0)
        var telling = session
        #expect(session.close(tellingPeer: false, at: 0.1) == [.happened(.closed(.closedLocally))])
        #expect(telling.close(at: 0.1) == disconnects(peer) + [.happened(.closed(.closedLocally))])
        for var session in [session, telling] {
            #expect(session.machine.state == .closed(.closedLocally) && session.machine.nextDeadline == nil)
            #expect(session.reception(of: .shake(text: nil), at: 2) == .ignored(.over))
        }
    }

    @Test("A clock that jumps by an hour ends the connecting at once; one that goes back stands still")
    mutating func clock() {
        _ = session.connect(to: [peer], at: 100)
        var late = session
        #expect(late.reach(3700) == [.happened(.failed(.noAnswer))])
        _ = session.hear(.shake(text: nil), at: 50)
        #expect(session.machine.state == .connected && session.machine.roundTripTime == .zero)
    }
}
