import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Foundation
import Glibc
import Testing

extension NetworkHost {
    /// A socket in the namespace: it belongs to that of the thread on which the first verb is used.
    func subject(
        _ subject: GCDSubject = GCDSubject(),
        by setUp: @escaping @Sendable (GCDAsyncUdpSocket) throws -> Void = { try $0.bind(toPort: 0) }
    ) async throws -> GCDSubject {
        try await onLoop { Result { try setUp(subject.socket) } }.get()
        return subject
    }
}

@Suite("GCD style: waiting for room in the kernel", .timeLimit(.minutes(1)), .needsNamespaces)
struct GCDRoomTests {
    private let hosts: TwoHosts
    private let server: UDPSocket
    private let destination: SocketAddress
    private let subject: GCDSubject

    /// A socket whose datagrams wait in the kernel for a hardware address that nobody tells.
    init() async throws {
        hosts = try await TwoHosts()
        try await hosts.stall()
        destination = try SocketAddress("192.0.2.2", 9)
        var roomy = UDPSocket.Options()
        roomy.receiveBufferSize = 1 << 20
        server = try await hosts.second.socket(at: destination, options: roomy)
        // One datagram a message, so that each needs room of its own.
        subject = try await hosts.first.subject { socket in
            socket.setOffloads(.none)
            try socket.bind(toPort: 0)
        }
        subject.socket.perform { [socket = subject.socket] in
            var size: Int32 = 2304
            let length = socklen_t(MemoryLayout<Int32>.size)
            #expect(unsafe setsockopt(socket.socket4FD(), SOL_SOCKET, SO_SNDBUF, &size, length) == 0)
        }
    }

    private var socket: GCDAsyncUdpSocket { subject.socket }
    private var recorder: GCDRecorder { subject.recorder }

    private func send(_ tags: Range<Int>, timeout: TimeInterval = -1) {
        for tag in tags {
            let content = Data([UInt8(tag)]) + Data(count: 499)
            socket.send(content, toAddress: Data(destination), withTimeout: timeout, tag: tag)
        }
    }

    private func arrivals(_ count: Int) async throws -> [Int] {
        var numbers: [Int] = []
        for _ in 0..<count { numbers.append(Int(try await server.receive().bytes.first ?? 0)) }
        return numbers
    }

    @Test("27, B1: without a time-out sends wait for room however long, and then all go, in order")
    func wait() async throws {
        send(0..<40)
        // A send that waits holds up those behind it, and nothing else: the socket still answers.
        socket.perform {}
        #expect(!socket.isClosed())
        #expect(try await recorder.outcome() == .sent(0))
        subject.settle()
        #expect(recorder.log.count < 40)
        try await hosts.resume()
        #expect(try await recorder.outcomes(39) == (1..<40).map { .sent($0) })
        #expect(try await arrivals(40) == Array(0..<40))
        // And once more, when it has had no room before.
        send(40..<42)
        #expect(try await recorder.outcomes(2) == [.sent(40), .sent(41)])
    }

    @Test(
        "27: the time of a send runs from when it finds no room; over, it has not been sent, and the next has its own"
    )
    func timeout() async throws {
        send(0..<20, timeout: 0.1)
        let begin = MonotonicClock.now
        var sent: [Int] = []
        var late = 0
        for tag in 0..<20 {
            switch try await recorder.outcome() {
            case .sent(tag): sent.append(tag)
            case .notSent(tag, .timeout): late += 1
            case let other: Issue.record("\(other)")
            }
        }
        #expect(sent == Array(0..<sent.count) && late > 0 && sent.count > 0)
        // Each waited for its own time, one after the other.
        #expect(MonotonicClock.now >= begin.advanced(by: .milliseconds(100 * (late - 1))))
        #expect(!socket.isClosed())
        try await hosts.resume()
        send(99..<100)
        #expect(try await recorder.outcome() == .sent(99))
        #expect(try await arrivals(sent.count + 1) == sent + [99])
    }

    @Test("27: a time-out of nothing means: now or not at all")
    func noTime() async throws {
        send(0..<20, timeout: 0)
        var sent: [Int] = []
        for tag in 0..<20 {
            let outcome = try await recorder.outcome()
            if outcome == .sent(tag) { sent.append(tag) } else { #expect(outcome == .notSent(tag, .timeout)) }
        }
        #expect(sent == Array(0..<sent.count) && (1..<20).contains(sent.count))
        try await hosts.resume()
        send(99..<100)
        #expect(try await recorder.outcome() == .sent(99))
        #expect(try await arrivals(sent.count + 1) == sent + [99])
    }

    @Test("27: neither a filter's time nor the time in the queue counts")
    func timeBefore() async throws {
        let gate = DispatchSemaphore(value: 0)
        socket.setSendFilter(
            { _, _, tag in
                if tag == 0 { gate.wait() }
                return true
            },
            with: DispatchQueue(label: "filter")
        )
        try await hosts.resume()
        send(0..<3, timeout: 0.05)
        // Longer than their time: a timer of the same kind has fired.
        await withCheckedContinuation { continuation in
            EventLoop.shared.schedule(after: .milliseconds(150)) { continuation.resume() }
        }
        gate.signal()
        #expect(try await recorder.outcomes(3) == (0..<3).map { .sent($0) })
    }

    @Test("43: closing discards what waits for room, silently, and sends it no more")
    func close() async throws {
        send(0..<40)
        socket.close()
        #expect(try await recorder.change() == .closed(nil))
        subject.settle()
        let sent = recorder.log.count - 1
        #expect(recorder.log == (0..<sent).map { .sent($0) } + [.closed(nil)])
        #expect((1..<40).contains(sent))
        try await hosts.resume()
        let direct = try await hosts.first.socket()
        try await direct.send([200], to: destination)
        // What the kernel had taken is not lost with the socket.
        #expect(try await arrivals(sent + 1) == Array(0..<sent) + [200])
    }

    @Test("44: closing after sending waits for room, and for time-outs")
    func closeAfterSending() async throws {
        send(0..<10, timeout: 0.02)
        socket.closeAfterSending()
        #expect(try await recorder.change() == .closed(nil))
        let ends = recorder.log.dropLast().enumerated().map { tag, event in
            event == .sent(tag) || event == .notSent(tag, .timeout)
        }
        #expect(ends == Array(repeating: true, count: 10))
    }

    @Test("20, B16: a connection that is queued behind a send without room comes about when there is room")
    func connectBehind() async throws {
        let peer = destination
        send(0..<20)
        try socket.connect(toAddress: Data(peer))
        socket.send(data("c"), withTimeout: -1, tag: 20)
        #expect(try await recorder.outcome() == .sent(0))
        #expect(!socket.isConnected())
        try await hosts.resume()
        #expect(try await recorder.change() == .connected(Data(peer)))
        #expect(try await recorder.outcomes(20) == (1...20).map { .sent($0) })
        let place = recorder.log.firstIndex(of: .connected(Data(peer)))
        #expect(place == 20)
        #expect(try await arrivals(21) == Array(0..<20) + [99])
    }

    @Test("While sends wait for room, receiving goes on")
    func receiveMeanwhile() async throws {
        try socket.beginReceiving()
        send(0..<40)
        #expect(try await recorder.outcome() == .sent(0))
        let local = try await hosts.first.socket()
        try await local.send(bytes("meanwhile"), to: socket.address())
        #expect(try await recorder.text() == "meanwhile")
    }
}

@Suite("GCD style: ways to other hosts", .timeLimit(.minutes(1)), .needsNamespaces)
struct GCDLinkTests {
    @Test("28, B3: a host to which no way leads fails that send alone")
    func noRoute() async throws {
        let hosts = try await TwoHosts()
        let server = try await hosts.second.socket(at: try SocketAddress("192.0.2.2", 9))
        let subject = try await hosts.first.subject()
        subject.socket.send("far", to: try SocketAddress("203.0.113.1", 9), tag: 1)
        subject.socket.send("far", to: try SocketAddress("2001:db8::1", 9), tag: 2)
        subject.socket.send("near", to: try SocketAddress("192.0.2.2", 9), tag: 3)
        #expect(
            try await subject.recorder.outcomes(3)
                == [.notSent(1, .posix(ENETUNREACH)), .notSent(2, .posix(ENETUNREACH)), .sent(3)]
        )
        #expect(try await server.text() == "near")
        #expect(!subject.socket.isClosed())
        // Connecting there is refused, and told.
        try subject.socket.connect(toAddress: Data(try SocketAddress("203.0.113.1", 9)))
        #expect(try await subject.recorder.change() == .notConnected(.posix(ENETUNREACH)))
    }

    @Test("6, B10: an interface by name, also where another has no address", arguments: AddressFamily.allCases)
    func interfaceWithoutAddress(family: AddressFamily) async throws {
        let hosts = try await TwoHosts()
        try await hosts.first.ip("tuntap add dev tun7 mode tun")
        let subject = try await hosts.first.subject { socket in
            if family == .ipv4 { socket.setIPv6Enabled(false) } else { socket.setIPv4Enabled(false) }
            #expect(gcdFailure { try socket.bind(toPort: 0, interface: "tun7") } == .badParameter)
            try socket.bind(toPort: 0, interface: "lan0")
        }
        #expect(subject.socket.localHost() == (family == .ipv4 ? "192.0.2.1" : "fd00::1") || family == .ipv6)
        try subject.socket.beginReceiving()
        let peer = try await hosts.second.socket(family)
        let own = family == .ipv4 ? "192.0.2.1" : try #require(subject.socket.localHost())
        guard !own.hasPrefix("fe80") else { return }
        try await peer.send(bytes("x"), to: try SocketAddress(own, subject.socket.localPort()))
        #expect(try await subject.recorder.text() == "x")
    }

    @Test("A link-local address that a datagram came from can be answered as it is")
    func linkLocal() async throws {
        let hosts = try await TwoHosts()
        let subject = try await hosts.second.subject()
        try subject.socket.beginReceiving()
        let peer = try await hosts.first.socket(.ipv6)
        let port = subject.socket.localPort()
        try await peer.send(bytes("who"), to: try await hosts.first.address("[fe80::2%lan1]:\(port)"))
        guard case .received(let content, let source, _) = try await subject.recorder.arrival() else { return }
        #expect(content == data("who"))
        subject.socket.send(data("me"), toAddress: source, withTimeout: -1, tag: 1)
        let answer = try await peer.receive()
        #expect(answer.bytes == bytes("me") && answer.source.port == port)
    }
}
