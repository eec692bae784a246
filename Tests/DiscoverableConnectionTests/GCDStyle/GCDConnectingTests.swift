import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Foundation
import Glibc
import Testing

@Suite("GCD style: connecting", .timeLimit(.minutes(1)))
struct GCDConnectingTests {
    @Test("19: connected, the other family's socket is gone, and the peer is known", arguments: AddressFamily.allCases)
    func connected(family: AddressFamily) async throws {
        let (peer, address) = try await boundSocket(family)
        let subject = GCDSubject()
        let socket = subject.socket
        try socket.bind(toPort: 0)
        let port = socket.localPort()
        try socket.connect(toAddress: Data(address))
        #expect(try await subject.recorder.change() == .connected(Data(address)))
        #expect(subject.exists == [family == .ipv4, family == .ipv6])
        #expect(socket.isConnected() && socket.isIPv4() == (family == .ipv4) && socket.isIPv6() == (family == .ipv6))
        #expect(socket.connectedAddress() == Data(address) && socket.connectedPort() == address.port)
        #expect(socket.connectedHost() == (family == .ipv4 ? "127.0.0.1" : "::1"))
        #expect(socket.localPort() == port)
        socket.send(data("hello"), withTimeout: -1, tag: 1)
        let datagram = try await peer.receive()
        #expect(datagram.bytes == bytes("hello") && datagram.source.port == port)
        try socket.beginReceiving()
        try await peer.send(bytes("answer"), to: datagram.source)
        #expect(try await subject.recorder.arrival() == .received(data("answer"), from: Data(address), context: nil))
    }

    @Test("19: by the name of a host", arguments: AddressFamily.allCases)
    func byName(family: AddressFamily) async throws {
        let (peer, address) = try await boundSocket(family)
        let subject = GCDSubject()
        if family == .ipv6 { subject.socket.setPreferIPv6() }
        try subject.socket.connect(toHost: "localhost", onPort: address.port)
        #expect(try await subject.recorder.change() == .connected(Data(address)))
        subject.socket.send(data("hello"), withTimeout: -1, tag: 1)
        #expect(try await peer.text() == "hello")
    }

    @Test("20: connecting stands in the queue of the sends: those before have addresses, those after the peer")
    func inOrder() async throws {
        let (first, firstAddress) = try await boundSocket(.ipv4)
        let (second, secondAddress) = try await boundSocket(.ipv4)
        let subject = GCDSubject()
        subject.socket.perform {
            subject.socket.send(data("name"), toHost: "localhost", port: firstAddress.port, withTimeout: -1, tag: 1)
            subject.socket.send("address", to: firstAddress, tag: 2)
            let failure = gcdFailure { try subject.socket.connect(toHost: "localhost", onPort: secondAddress.port) }
            #expect(failure == nil)
            subject.socket.send(data("peer"), withTimeout: -1, tag: 3)
            subject.socket.send("astray", to: firstAddress, tag: 4)
        }
        #expect(
            try await subject.recorder.outcomes(4) == [.sent(1), .sent(2), .sent(3), .notSent(4, .badConfiguration)]
        )
        #expect(
            subject.recorder.log
                == [.sent(1), .sent(2), .connected(Data(secondAddress)), .sent(3), .notSent(4, .badConfiguration)]
        )
        #expect(try await first.texts(2) == ["name", "address"])
        #expect(try await second.text() == "peer")
    }

    @Test("20: a name that has to be looked up holds up what was sent after it, and nothing overtakes")
    func headOfLine() async throws {
        let (peer, address) = try await boundSocket(.ipv4)
        let subject = GCDSubject()
        subject.socket.send(data("nobody"), toHost: impossibleHost, port: 9, withTimeout: -1, tag: 1)
        subject.socket.send("somebody", to: address, tag: 2)
        #expect(try await subject.recorder.outcomes(2) == [.notSent(1, .nameResolution(EAI_NONAME)), .sent(2)])
        #expect(try await peer.text() == "somebody")
    }

    @Test("21: a connection that fails later is told, and leaves the socket as it was")
    func kernelRefuses() async throws {
        let (peer, address) = try await boundSocket(.ipv4)
        let subject = GCDSubject()
        // The kernel connects nobody to all hosts who may not broadcast, or has no route to them.
        try subject.socket.connect(toAddress: Data(try SocketAddress("255.255.255.255", 9)))
        subject.socket.send(data("x"), withTimeout: -1, tag: 1)
        guard case .notConnected(let failure) = try await subject.recorder.change() else {
            Issue.record("\(subject.recorder.log)")
            return
        }
        #expect(failure == .posix(EACCES) || failure == .posix(ENETUNREACH))
        #expect(try await subject.recorder.outcome() == .notSent(1, .badConfiguration))
        #expect(!subject.socket.isConnected() && !subject.socket.isClosed() && subject.socket.connectedHost() == nil)
        try subject.socket.connect(toAddress: Data(address))
        subject.socket.send(data("hello"), withTimeout: -1, tag: 2)
        #expect(try await subject.recorder.outcome() == .sent(2))
        #expect(try await peer.text() == "hello")
    }

    @Test("21: a name without an address is no connection; the socket can still be bound or connected")
    func noSuchHost() async throws {
        let (_, address) = try await boundSocket(.ipv4)
        let subject = GCDSubject()
        try subject.socket.connect(toHost: impossibleHost, onPort: 9)
        subject.socket.send(data("x"), withTimeout: -1, tag: 1)
        #expect(try await subject.recorder.change() == .notConnected(.nameResolution(EAI_NONAME)))
        #expect(try await subject.recorder.outcome() == .notSent(1, .badConfiguration))
        guard case .notConnected(let failure) = subject.recorder.log.first else { return }
        #expect(!failure.text.isEmpty)
        try subject.socket.bind(toPort: 0)
        try subject.socket.connect(toHost: "localhost", onPort: address.port)
        #expect(try await subject.recorder.change() == .connected(Data(address)))
    }

    @Test("18, 21: a host of a disabled family only is no connection")
    func disabledFamily() async throws {
        let subject = GCDSubject()
        subject.socket.setIPv6Enabled(false)
        try subject.socket.connect(toHost: "::1", onPort: 9)
        #expect(try await subject.recorder.change() == .notConnected(.other))
        #expect(!subject.socket.isConnected())
    }

    @Test("22: closed while connecting, only the end is told")
    func closeWhileConnecting() async throws {
        let subject = GCDSubject()
        let gate = DispatchSemaphore(value: 0)
        let filterQueue = DispatchQueue(label: "filter")
        subject.socket.setSendFilter(
            { _, _, _ in
                gate.wait()
                return true
            },
            with: filterQueue
        )
        // The connection waits behind a datagram that the filter keeps.
        subject.socket.send("lost", to: .loopback(.ipv4, port: 9), tag: 1)
        try subject.socket.connect(toHost: "localhost", onPort: 9)
        #expect(!subject.socket.isConnected())
        subject.socket.close()
        gate.signal()
        filterQueue.sync {}
        #expect(try await subject.recorder.change() == .closed(nil))
        // What was looked up meanwhile means nothing to what the socket does next.
        try subject.socket.connect(toHost: impossibleHost, onPort: 9)
        subject.socket.close()
        try subject.socket.connect(toAddress: Data(.loopback(.ipv4, port: 8)))
        while try await subject.recorder.change() != .connected(Data(.loopback(.ipv4, port: 8))) {}
        #expect(subject.recorder.log.first == .closed(nil) && (3...4).contains(subject.recorder.log.count))
    }

    @Test("38: connected, nothing is heard of others, nor what they sent before", arguments: AddressFamily.allCases)
    func onlyThePeer(family: AddressFamily) async throws {
        let (peer, address) = try await boundSocket(family)
        let (other, _) = try await boundSocket(family)
        let subject = GCDSubject()
        try subject.socket.bind(toPort: 0, interface: "localhost")
        let own = subject.socket.address(family)
        try await other.send(bytes("early"), to: own)
        try await peer.send(bytes("first"), to: own)
        try subject.socket.connect(toAddress: Data(address))
        #expect(try await subject.recorder.change() == .connected(Data(address)))
        try subject.socket.beginReceiving()
        try await other.send(bytes("late"), to: own)
        try await peer.send(bytes("second"), to: own)
        #expect(try await subject.recorder.texts(2) == ["first", "second"])
    }

    @Test("36, B3: a peer that is not there closes nothing: each send ends once, and who comes later is reached")
    func refused() async throws {
        let address = try await closedPort(.ipv4)
        let subject = GCDSubject()
        try subject.socket.connect(toAddress: Data(address))
        try subject.socket.beginReceiving()
        for tag in 0..<50 { subject.socket.send(data("\(tag)"), withTimeout: -1, tag: tag) }
        for (tag, outcome) in try await subject.recorder.outcomes(50).enumerated() {
            switch outcome {
            case .sent(let number): #expect(number == tag)
            case .notSent(let number, let failure): #expect(number == tag && failure == .posix(ECONNREFUSED))
            case .connected, .notConnected, .received, .closed: Issue.record("\(outcome)")
            }
        }
        let server = try UDPSocket(family: .ipv4)
        try await bindSoon(server, to: address)
        subject.socket.send(data("now"), withTimeout: -1, tag: 50)
        let datagram = try await server.receive()
        try await server.send(bytes("answer"), to: datagram.source)
        #expect(try await subject.recorder.text() == "answer")
        #expect(!subject.socket.isClosed() && subject.socket.isConnected())
        #expect(subject.recorder.log.filter { if case .closed = $0 { true } else { false } }.isEmpty)
    }

    @Test("37: of a port where nobody listens a socket without a peer is told nothing")
    func refusedWithoutPeer() async throws {
        let nobody = try await closedPort(.ipv4)
        let (peer, address) = try await boundSocket(.ipv4)
        let subject = GCDSubject()
        try subject.socket.bind(toPort: 0)
        try subject.socket.beginReceiving()
        for tag in 0..<10 { subject.socket.send("x", to: tag.isMultiple(of: 2) ? nobody : address, tag: tag) }
        #expect(try await subject.recorder.outcomes(10) == (0..<10).map { .sent($0) })
        #expect(try await peer.texts(5).count == 5)
        try await peer.send(bytes("answer"), to: subject.socket.address())
        #expect(try await subject.recorder.text() == "answer")
        #expect(subject.recorder.log.count == 11)
    }
}
