import DiscoverableCore
import Testing

@Suite("Listener")
struct ListenerMachineTests {
    private let admission: [ClassicDatagram] = [.acknowledgement, .shake(text: "server")]
    private var machine = ListenerMachine(name: "server", configuration: SessionConfiguration())

    @Test("A discover admits its sender, by name; from then on everything of it goes to its session")
    mutating func admit() {
        #expect(
            machine.receive(.discover(name: "a:b"), from: peer, now: .origin) == .admit(name: "a:b", answer: admission)
        )
        for datagram in [ClassicDatagram.discover(name: "a:b"), .payload("x"), .disconnect, .acknowledgement] {
            #expect(machine.receive(datagram, from: peer, now: .origin) == .route)
        }
        #expect(machine.receive(nil, from: peer, now: .origin) == .route)
        #expect(machine.sessionCount == 1)
    }

    @Test("fault 29: clients are told apart by address and port")
    mutating func several() {
        _ = machine.receive(.discover(name: nil), from: peer, now: .origin)
        let neighbour = SocketAddress(peer.ip, port: 1025)
        #expect(machine.receive(.payload("x"), from: neighbour, now: .origin) == .ignore(.stranger))
        #expect(machine.receive(.discover(name: nil), from: neighbour, now: .origin) != .route)
        machine.sessionEnded(with: peer, now: .origin)
        #expect(machine.receive(.payload("x"), from: neighbour, now: .origin) == .route)
    }

    @Test("Strangers get no answer to anything but a discover")
    mutating func strangers() {
        let datagrams: [ClassicDatagram?] = [
            .payload("x"), .payload(""), .acknowledgement, .disconnect, .shake(text: nil), nil,
        ]
        for datagram in datagrams {
            guard case .ignore = machine.receive(datagram, from: stranger, now: .origin) else {
                Issue.record("a stranger was answered")
                continue
            }
        }
        #expect(machine.ignoredDatagrams == datagrams.count)
    }

    @Test("A full listener and one without room for sessions admit nobody")
    mutating func full() {
        var configuration = SessionConfiguration()
        configuration.maximumSessions = 1
        machine = ListenerMachine(name: "server", configuration: configuration)
        let noRoom = machine.receive(.discover(name: nil), from: peer, roomForSession: false, now: .origin)
        #expect(noRoom == .ignore(.noRoom))
        _ = machine.receive(.discover(name: nil), from: peer, now: .origin)
        #expect(machine.receive(.discover(name: nil), from: otherPeer, now: .origin) == .ignore(.noRoom))
        machine.sessionEnded(with: peer, now: .origin)
        #expect(machine.receive(.discover(name: nil), from: otherPeer, now: .origin) != .ignore(.noRoom))
    }

    @Test("fault 16: the repeated disconnect of a client that has left is acknowledged, for a while")
    mutating func departed() {
        _ = machine.receive(.discover(name: nil), from: peer, now: .origin)
        machine.sessionEnded(with: peer, now: .seconds(1))
        #expect(machine.receive(.disconnect, from: peer, now: .seconds(1.5)) == .answer(.acknowledgement))
        #expect(machine.receive(.payload("x"), from: peer, now: .seconds(1.5)) == .ignore(.stranger))
        #expect(machine.receive(.disconnect, from: peer, now: .seconds(2)) == .ignore(.stranger))
    }

    @Test("A client may come back from the same port")
    mutating func back() {
        _ = machine.receive(.discover(name: "old"), from: peer, now: .origin)
        machine.sessionEnded(with: peer, now: .origin)
        let action = machine.receive(.discover(name: "new"), from: peer, now: .seconds(0.1))
        #expect(action == .admit(name: "new", answer: admission))
    }

    @Test("Memory is bounded, whoever sends")
    mutating func bounded() {
        var admitted = 0
        for port in UInt16(1)...5000 {
            let address = SocketAddress(stranger.ip, port: port)
            if case .admit = machine.receive(.discover(name: nil), from: address, now: .origin) { admitted += 1 }
        }
        #expect(admitted == 64 && machine.sessionCount == 64)
    }
}
