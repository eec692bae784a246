import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Foundation
import Glibc
import Testing

@Suite("GCD style: sending", .timeLimit(.minutes(1)))
struct GCDSendingTests {
    private let subject = GCDSubject()
    private let peer: UDPSocket
    private let address: SocketAddress

    init() async throws {
        (peer, address) = try await boundSocket(.ipv4)
    }

    private var socket: GCDAsyncUdpSocket { subject.socket }
    private var recorder: GCDRecorder { subject.recorder }

    @Test("23: nothing to send is no send: nobody is told, and nothing leaves")
    func empty() async throws {
        socket.send(Data(), toAddress: Data(address), withTimeout: -1, tag: 1)
        socket.send(Data(), toHost: "localhost", port: address.port, withTimeout: -1, tag: 2)
        socket.send(Data(), withTimeout: -1, tag: 3)
        socket.send("x", to: address, tag: 4)
        #expect(try await recorder.outcome() == .sent(4))
        #expect(try await peer.text() == "x")
        #expect(recorder.log == [.sent(4)])
    }

    @Test("24: a send without a destination needs a peer")
    func noDestination() async throws {
        socket.send(data("x"), withTimeout: -1, tag: 1)
        socket.send("y", to: address, tag: 2)
        #expect(try await recorder.outcomes(2) == [.notSent(1, .badConfiguration), .sent(2)])
        #expect(try await peer.text() == "y")
    }

    @Test("25, B4: with a peer, a send to somebody else is refused, and reaches nobody")
    func otherThanThePeer() async throws {
        let (other, otherAddress) = try await boundSocket(.ipv4)
        try socket.connect(toAddress: Data(address))
        socket.send("to address", to: otherAddress, tag: 1)
        socket.send(data("to host"), toHost: "localhost", port: otherAddress.port, withTimeout: -1, tag: 2)
        socket.send(data("to peer"), withTimeout: -1, tag: 3)
        #expect(
            try await recorder.outcomes(3)
                == [.notSent(1, .badConfiguration), .notSent(2, .badConfiguration), .sent(3)]
        )
        #expect(try await peer.text() == "to peer")
        let direct = try UDPSocket(family: .ipv4)
        try await direct.send(bytes("end"), to: otherAddress)
        #expect(try await other.text() == "end")
    }

    @Test("26: a send whose host has no address fails alone")
    func noSuchHost() async throws {
        socket.send("first", to: address, tag: 1)
        socket.send(data("x"), toHost: impossibleHost, port: 9, withTimeout: 5, tag: 2)
        socket.send(data("last"), toHost: "localhost", port: address.port, withTimeout: -1, tag: 3)
        #expect(try await recorder.outcomes(3) == [.sent(1), .notSent(2, .nameResolution(EAI_NONAME)), .sent(3)])
        #expect(try await peer.texts(2) == ["first", "last"])
    }

    @Test("28, B3: too large, or not permitted, fails alone, and the queue goes on", arguments: [true, false])
    func refused(isConnected: Bool) async throws {
        if isConnected { try socket.connect(toAddress: Data(address)) }
        func send(_ content: Data, _ tag: Int) {
            if isConnected {
                socket.send(content, withTimeout: -1, tag: tag)
            } else {
                socket.send(content, toAddress: Data(address), withTimeout: -1, tag: tag)
            }
        }
        send(data("before"), 1)
        send(Data(count: 65_508), 2)
        send(data("between"), 3)
        send(Data(count: 1_000_000), 4)
        send(Data(count: 65_507), 5)
        #expect(
            try await recorder.outcomes(5)
                == [.sent(1), .notSent(2, .posix(EMSGSIZE)), .sent(3), .notSent(4, .posix(EMSGSIZE)), .sent(5)]
        )
        var lengths: [Int] = []
        for _ in 0..<3 { lengths.append(try await peer.receive().length) }
        #expect(lengths == [6, 7, 65_507])
        if !isConnected {
            // Broadcasts have not been allowed.
            socket.send("all", to: try SocketAddress("127.255.255.255", 9), tag: 6)
            #expect(try await recorder.outcome() == .notSent(6, .posix(EACCES)))
        }
        #expect(!socket.isClosed())
    }

    @Test("28, B3: the text of an error says what it was")
    func errorText() async throws {
        socket.send(Data(count: 65_508), toAddress: Data(address), withTimeout: -1, tag: 2)
        guard case .notSent(_, let failure) = try await recorder.outcome() else {
            Issue.record("\(recorder.log)")
            return
        }
        #expect(failure.text.contains("Message too long"), "\(failure)")
    }

    @Test("28, B3: a socket that is broken beyond repair still tells each tag, once")
    func broken() async throws {
        try socket.bind(toPort: 0)
        socket.perform { [socket] in
            // Something that is no socket, under the same number.
            let other = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
            #expect(dup2(other, socket.socket4FD()) >= 0)
            #expect(Glibc.close(other) == 0)
            for tag in 0..<5 { socket.send("x", to: address, tag: tag) }
        }
        for tag in 0..<5 {
            guard case .notSent(tag, _) = try await recorder.outcome() else {
                Issue.record("\(recorder.log)")
                return
            }
        }
    }

    @Test("29: sent is what the kernel has accepted, whether anybody listens or not")
    func accepted() async throws {
        socket.send("x", to: try await closedPort(.ipv4), tag: 1)
        #expect(try await recorder.outcome() == .sent(1))
    }

    @Test("30: the first send gives the socket a port, in the family that it used")
    func implicitPort() async throws {
        socket.send("x", to: address, tag: 1)
        let source = try await peer.receive().source
        #expect(socket.localPort() == source.port && socket.localPort_IPv4() == source.port)
        #expect(socket.localPort_IPv6() == 0)
        try socket.beginReceiving()
        try await peer.send(bytes("answer"), to: source)
        #expect(try await recorder.text() == "answer")
    }

    @Test("31: a call that waits comes after the sends before it")
    func callAfterSends() async throws {
        socket.send("x", to: address, tag: 1)
        #expect(gcdFailure { try socket.bind(toPort: 0) } == .badConfiguration)
        #expect(socket.localPort() != 0)
        #expect(try await peer.text() == "x")
    }

    @Test("31: what is sent to an address right before closing has left")
    func closeAfterSends() async throws {
        socket.send("goodbye", to: address, tag: 1)
        socket.close()
        #expect(try await peer.text() == "goodbye")
        #expect(try await recorder.change() == .closed(nil))
    }

    @Test("32: a send after closing opens the socket again, on another port")
    func sendAfterClose() async throws {
        socket.send("first", to: address, tag: 1)
        let first = try await peer.receive().source
        socket.close()
        // The port cannot be given a second time.
        let holder = try UDPSocket(family: .ipv4)
        try await bindSoon(holder, to: SocketAddress(.v4(.any), port: first.port))
        socket.send("second", to: address, tag: 2)
        let second = try await peer.receive()
        #expect(second.bytes == bytes("second") && second.source.port != first.port)
        #expect(!socket.isClosed() && socket.localPort() == second.source.port)
    }

    @Test(
        "B5: an address of a family that is not there, or none at all, fails that send alone",
        arguments: [true, false]
    )
    func impossibleAddress(isBound: Bool) async throws {
        socket.setIPv6Enabled(false)
        if isBound { try socket.bind(toPort: 0) }
        socket.send("six", to: .loopback(.ipv6, port: address.port), tag: 0)
        for (index, malformed) in GCDPreconditionTests.malformed.enumerated() {
            socket.send(data("x"), toAddress: malformed, withTimeout: -1, tag: index + 1)
        }
        socket.send("four", to: address, tag: 99)
        for tag in 0...GCDPreconditionTests.malformed.count {
            guard case .notSent(tag, let failure) = try await recorder.outcome() else {
                Issue.record("\(recorder.log)")
                return
            }
            #expect(failure.domain == GCDAsyncUdpSocketErrorDomain && !failure.text.isEmpty, "\(failure)")
        }
        #expect(try await recorder.outcome() == .sent(99))
        #expect(try await peer.text() == "four")
        #expect(!socket.isClosed())
    }

    @Test("B13: a long queue is sent in order, each told once, and overflows no stack")
    func longQueue() async throws {
        let count = 50_000
        let nobody = try await closedPort(.ipv4)
        socket.perform { [socket] in
            for tag in 0..<count {
                // Every other one fails, so that the queue goes on without the kernel.
                if tag.isMultiple(of: 2) {
                    socket.send("x", to: nobody, tag: tag)
                } else {
                    socket.send(data("x"), withTimeout: -1, tag: tag)
                }
            }
        }
        for tag in 0..<count {
            let outcome = try await recorder.outcome()
            guard outcome == (tag.isMultiple(of: 2) ? .sent(tag) : .notSent(tag, .badConfiguration)) else {
                Issue.record("\(outcome) for \(tag)")
                return
            }
        }
    }

    @Test("46: the ends of sends are told in the order of the sends")
    func order() async throws {
        for tag in 0..<200 {
            switch tag % 4 {
            case 0: socket.send("x", to: address, tag: tag)
            case 1: socket.send(data("x"), toHost: impossibleHost, port: 9, withTimeout: -1, tag: tag)
            case 2: socket.send(data("x"), withTimeout: -1, tag: tag)
            default: socket.send(Data(count: 65_508), toAddress: Data(address), withTimeout: -1, tag: tag)
            }
        }
        let tags = try await recorder.outcomes(200).map { event in
            switch event {
            case .sent(let tag), .notSent(let tag, _): tag
            case .connected, .notConnected, .received, .closed: -1
            }
        }
        #expect(tags == Array(0..<200))
    }
}
