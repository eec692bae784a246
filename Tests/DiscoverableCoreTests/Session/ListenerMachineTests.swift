import DiscoverableCore
import Testing

@Suite("Listener")
struct ListenerMachineTests {
    private typealias Action = ListenerMachine.ReceiveAction

    private let format = ClassicFormat(prefix: "dscv")
    private var machine = Self.listener()

    private static func listener(maximumSessions: Int = 64) -> ListenerMachine {
        var configuration = SessionConfiguration()
        configuration.maximumSessions = maximumSessions
        return ListenerMachine(name: "server", configuration: configuration, format: configuration.format)
    }

    private mutating func hear(
        _ statement: SessionStatement,
        from source: SocketAddress = peer,
        room: Bool = true,
        at seconds: Double = 0
    ) -> Action {
        let bytes = format.encode(statement)
        return machine.receive(bytes.span, from: source, roomForSession: room, now: .seconds(seconds))
    }

    private func client(_ number: UInt16) -> SocketAddress { SocketAddress(stranger.ip, port: number) }

    @Test("A discover admits its sender, by name; from then on everything of it goes to its session")
    mutating func admit() {
        #expect(machine.admission == [.acknowledgement(nil), .shake(text: "server")])
        #expect(hear(.discover(name: "a:b")) == .admit(name: "a:b", displacing: nil))
        let statements: [SessionStatement] = [
            .discover(name: "a:b"), .message(nil, "x"), .disconnect, .acknowledgement(nil),
        ]
        for statement in statements { #expect(hear(statement) == .route) }
        #expect(machine.receive([0xff].span, from: peer, now: .origin) == .route)
        #expect(machine.sessionCount == 1)
    }

    @Test("29: clients are told apart by address and port")
    mutating func several() {
        _ = hear(.discover(name: nil))
        let neighbour = SocketAddress(peer.ip, port: 1025)
        #expect(hear(.message(nil, "x"), from: neighbour) == .ignore(.stranger))
        #expect(hear(.discover(name: nil), from: neighbour) == .admit(name: nil, displacing: nil))
        machine.sessionEnded(with: peer, now: .origin)
        #expect(hear(.message(nil, "x"), from: neighbour) == .route)
    }

    @Test("Strangers get no answer to anything but a discover")
    mutating func strangers() {
        let statements: [SessionStatement] = [
            .message(nil, "x"), .message(nil, ""), .acknowledgement(nil), .disconnect, .shake(text: nil),
        ]
        for statement in statements { #expect(hear(statement, from: stranger) == .ignore(.stranger)) }
        #expect(machine.receive([0xff].span, from: stranger, now: .origin) == .ignore(.malformed))
        let cut = format.encode(.discover(name: nil))
        #expect(machine.receive(cut.span, from: stranger, isComplete: false, now: .origin) == .ignore(.malformed))
        #expect(machine.ignoredDatagrams == statements.count + 2)
    }

    @Test("A listener whose app takes no sessions admits nobody")
    mutating func noRoom() {
        #expect(hear(.discover(name: nil), room: false) == .ignore(.noRoom))
        #expect(hear(.discover(name: nil)) != .ignore(.noRoom))
    }

    @Test("When all have spoken, nobody else is admitted; when one leaves, the next is")
    mutating func full() {
        machine = Self.listener(maximumSessions: 1)
        _ = hear(.discover(name: nil))
        #expect(hear(.message(nil, "x")) == .route)
        #expect(hear(.discover(name: nil), from: otherPeer) == .ignore(.noRoom))
        machine.sessionEnded(with: peer, now: .origin)
        #expect(hear(.discover(name: nil), from: otherPeer) == .admit(name: nil, displacing: nil))
    }

    @Test("A new client displaces the one that has been silent for the longest")
    mutating func displaced() {
        machine = Self.listener(maximumSessions: 3)
        for number in 1...3 as ClosedRange<UInt16> { _ = hear(.discover(name: nil), from: client(number)) }
        // A repeated discover proves nothing: it is as easy to forge as the first.
        _ = hear(.discover(name: nil), from: client(2))
        _ = hear(.message(nil, "I am here"), from: client(1))
        #expect(hear(.discover(name: nil), from: client(4)) == .admit(name: nil, displacing: client(2)))
        #expect(hear(.discover(name: nil), from: client(5)) == .admit(name: nil, displacing: client(3)))
        #expect(hear(.message(nil, "who?"), from: client(2)) == .ignore(.stranger))
        #expect(hear(.message(nil, "still here"), from: client(1)) == .route)
        #expect(machine.sessionCount == 3)
    }

    @Test("A client that left and came back waits at the end of the queue")
    mutating func returned() {
        machine = Self.listener(maximumSessions: 2)
        _ = hear(.discover(name: nil), from: client(1))
        _ = hear(.discover(name: nil), from: client(2))
        machine.sessionEnded(with: client(1), now: .origin)
        _ = hear(.discover(name: nil), from: client(1))
        #expect(hear(.discover(name: nil), from: client(3)) == .admit(name: nil, displacing: client(2)))
    }

    @Test("16: the repeated disconnect of a client that has left is acknowledged, for a while")
    mutating func departed() {
        _ = hear(.discover(name: nil))
        machine.sessionEnded(with: peer, now: .seconds(1))
        #expect(hear(.disconnect, at: 1.5) == .answer(format.encode(.acknowledgement(nil))))
        #expect(hear(.message(nil, "x"), at: 1.5) == .ignore(.stranger))
        #expect(hear(.disconnect, at: 2) == .ignore(.stranger))
    }

    @Test("A client may come back from the same port")
    mutating func back() {
        _ = hear(.discover(name: "old"))
        machine.sessionEnded(with: peer, now: .origin)
        #expect(hear(.discover(name: "new"), at: 0.1) == .admit(name: "new", displacing: nil))
    }

    @Test("100,000 forged discovers: memory stays bounded, who has spoken stays, and a real client still gets in")
    mutating func flood() {
        machine = Self.listener(maximumSessions: 16)
        _ = hear(.discover(name: nil))
        _ = hear(.message(nil, "I was here before"))
        for number in 0..<100_000 as Range<UInt32> {
            let forged = SocketAddress(.v4(IPv4Address(rawValue: 0x0a00_0000 + number)), port: 1)
            guard case .admit = hear(.discover(name: nil), from: forged) else {
                Issue.record("a discover was not answered, so that a real one would not be either")
                return
            }
        }
        #expect(machine.sessionCount == 16)
        guard case .admit = hear(.discover(name: "real"), from: otherPeer) else {
            Issue.record("the real client did not get in")
            return
        }
        #expect(hear(.message(nil, "hello"), from: otherPeer) == .route)
        #expect(hear(.message(nil, "still here")) == .route)
    }
}
