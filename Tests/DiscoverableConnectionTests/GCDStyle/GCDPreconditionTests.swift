import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Foundation
import Glibc
import Testing

@Suite("GCD style: what has to hold first", .timeLimit(.minutes(1)))
struct GCDPreconditionTests {
    /// The verbs that refuse a socket whose delegate or queue is missing.
    enum Verb: CaseIterable, Sendable {
        case bind, bindToInterface, bindToAddress, connect, connectToAddress, join, leave, reuse, broadcast

        func use(_ socket: GCDAsyncUdpSocket) throws {
            switch self {
            case .bind: try socket.bind(toPort: 0)
            case .bindToInterface: try socket.bind(toPort: 0, interface: "localhost")
            case .bindToAddress: try socket.bind(toAddress: Data(.loopback(.ipv4)))
            case .connect: try socket.connect(toHost: "127.0.0.1", onPort: 9)
            case .connectToAddress: try socket.connect(toAddress: Data(.loopback(.ipv4, port: 9)))
            case .join: try socket.joinMulticastGroup("239.1.2.3")
            case .leave: try socket.leaveMulticastGroup("239.1.2.3")
            case .reuse: try socket.enableReusePort(true)
            case .broadcast: try socket.enableBroadcast(true)
            }
        }
    }

    @Test("1: without a delegate, or without its queue, nothing can be set up", arguments: Verb.allCases)
    func delegateMissing(verb: Verb) {
        let recorder = GCDRecorder()
        let queue = DispatchQueue(label: "delegate")
        let withoutDelegate = GCDAsyncUdpSocket(delegate: nil, delegateQueue: queue)
        let withoutQueue = GCDAsyncUdpSocket(delegate: recorder, delegateQueue: nil)
        for socket in [GCDAsyncUdpSocket(), withoutDelegate, withoutQueue] {
            #expect(gcdFailure { try verb.use(socket) } == .badConfiguration)
        }
        withExtendedLifetime(recorder) {}
    }

    @Test("1: a delegate and a queue that are set later count", arguments: [true, false])
    func delegateLater(isTogether: Bool) throws {
        let recorder = GCDRecorder()
        let queue = DispatchQueue(label: "delegate")
        let socket = GCDAsyncUdpSocket()
        if isTogether {
            socket.setDelegate(recorder, delegateQueue: queue)
        } else {
            socket.setDelegateQueue(queue)
            socket.setDelegate(recorder)
        }
        try socket.bind(toPort: 0, interface: "localhost")
        #expect(socket.localPort() != 0)
        socket.close()
    }

    @Test("2: sending needs neither a delegate nor a queue, and is silent; so are pausing and closing")
    func silent() async throws {
        let (peer, address) = try await boundSocket(.ipv4)
        let socket = GCDAsyncUdpSocket()
        socket.pauseReceiving()
        socket.send("hello", to: address)
        #expect(try await peer.text() == "hello")
        try socket.receiveOnce()
        try socket.beginReceiving()
        socket.pauseReceiving()
        socket.closeAfterSending()
        socket.close()
        #expect(socket.isClosed())
    }

    @Test("3: a socket is bound once: explicitly, by its first send, or by connecting")
    func bindTwice() async throws {
        let (_, address) = try await boundSocket(.ipv4)
        let bound = try GCDSubject.receiving()
        let sender = GCDSubject()
        sender.socket.send("x", to: address, tag: 1)
        #expect(try await sender.recorder.outcome() == .sent(1))
        let connected = GCDSubject()
        try connected.socket.connect(toAddress: Data(address))
        #expect(try await connected.recorder.change() == .connected(Data(address)))
        for subject in [bound, sender, connected] {
            let port = subject.socket.localPort()
            #expect(gcdFailure { try subject.socket.bind(toPort: 0) } == .badConfiguration)
            #expect(gcdFailure { try subject.socket.bind(toPort: 0, interface: "lo") } == .badConfiguration)
            #expect(gcdFailure { try subject.socket.bind(toAddress: Data(.loopback(.ipv4))) } == .badConfiguration)
            #expect(subject.socket.localPort() == port && port != 0)
        }
    }

    @Test("3: also a send that the kernel refused has bound the socket")
    func bindAfterRefusedSend() async throws {
        let (_, address) = try await boundSocket(.ipv4)
        let subject = GCDSubject()
        subject.socket.send(Data(count: 65_508), toAddress: Data(address), withTimeout: -1, tag: 1)
        #expect(try await subject.recorder.outcome() == .notSent(1, .posix(EMSGSIZE)))
        #expect(gcdFailure { try subject.socket.bind(toPort: 0) } == .badConfiguration)
    }

    @Test("4: no binding while connecting, nor when connected")
    func bindWhileConnecting() async throws {
        let (_, address) = try await boundSocket(.ipv4)
        let subject = GCDSubject()
        let failures = Locked<[GCDFailure?]>([])
        // On the socket's own queue, where the connection cannot come about meanwhile.
        subject.socket.perform {
            let first = gcdFailure { try subject.socket.connect(toHost: "localhost", onPort: address.port) }
            let second = gcdFailure { try subject.socket.bind(toPort: 0) }
            failures.withLock { $0 = [first, second] }
        }
        #expect(failures.withLock { $0 } == [nil, .badConfiguration])
        #expect(try await subject.recorder.change() == .connected(Data(address)))
        #expect(gcdFailure { try subject.socket.bind(toPort: 0) } == .badConfiguration)
    }

    @Test("5: with both families disabled nothing can be set up, and each send is told so")
    func bothDisabled() async throws {
        let subject = GCDSubject()
        subject.socket.setIPv4Enabled(false)
        subject.socket.setIPv6Enabled(false)
        for verb in [Verb.bind, .bindToInterface, .connect, .connectToAddress, .reuse, .broadcast] {
            #expect(gcdFailure { try verb.use(subject.socket) } == .badConfiguration, "\(verb)")
        }
        subject.socket.send("x", to: .loopback(.ipv4, port: 9), tag: 1)
        guard case .notSent(1, _) = try await subject.recorder.outcome() else {
            Issue.record("sent without a family")
            return
        }
        subject.settle()
        #expect(subject.recorder.log.count == 1)
    }

    @Test("6: an interface that is not there, or not of an enabled family")
    func unknownInterface() {
        let subject = GCDSubject()
        for interface in ["nosuchif0", "192.0.2.77", "fd00:77::1", "not an interface"] {
            let failure = gcdFailure { try subject.socket.bind(toPort: 0, interface: interface) }
            #expect(failure == .badParameter, "\(interface)")
        }
        subject.socket.setIPv4Enabled(false)
        #expect(gcdFailure { try subject.socket.bind(toPort: 0, interface: "127.0.0.1") } == .badParameter)
        #expect(gcdFailure { try subject.socket.bind(toAddress: Data(.loopback(.ipv4))) } == .badParameter)
        subject.socket.setIPv4Enabled(true)
        subject.socket.setIPv6Enabled(false)
        #expect(gcdFailure { try subject.socket.bind(toPort: 0, interface: "::1") } == .badParameter)
        #expect(gcdFailure { try subject.socket.bind(toAddress: Data(.loopback(.ipv6))) } == .badParameter)
        // Nothing of all that keeps the socket from being bound.
        #expect(gcdFailure { try subject.socket.bind(toPort: 0, interface: "lo") } == nil)
        #expect(subject.socket.localHost() == "127.0.0.1")
    }

    /// What is no address: empty, cut, of a foreign family.
    static var malformed: [Data] {
        [
            Data(), Data([2]), Data([2, 0, 0, 9]), Data(repeating: 0, count: 16),
            Data([10, 0] + [UInt8](repeating: 0, count: 14)),
            Data([1, 0] + [UInt8](repeating: 47, count: 108)),
        ]
    }

    @Test("6, 7: data that is no address is refused by name, and traps nowhere", arguments: malformed)
    func malformedAddress(address: Data) {
        let subject = GCDSubject()
        #expect(gcdFailure { try subject.socket.bind(toAddress: address) } == .badParameter)
        #expect(gcdFailure { try subject.socket.connect(toAddress: address) } == .badParameter)
        #expect(gcdFailure { try subject.socket.bind(toPort: 0) } == nil)
    }

    @Test("7: a socket is connected once, and a connection that is under way counts")
    func connectTwice() async throws {
        let (_, address) = try await boundSocket(.ipv4)
        let subject = GCDSubject()
        let failures = Locked<[GCDFailure?]>([])
        subject.socket.perform {
            let first = gcdFailure { try subject.socket.connect(toHost: "localhost", onPort: address.port) }
            let second = gcdFailure { try subject.socket.connect(toHost: "localhost", onPort: 9) }
            let third = gcdFailure { try subject.socket.connect(toAddress: Data(address)) }
            failures.withLock { $0 = [first, second, third] }
        }
        #expect(failures.withLock { $0 } == [nil, .badConfiguration, .badConfiguration])
        #expect(try await subject.recorder.change() == .connected(Data(address)))
        #expect(gcdFailure { try subject.socket.connect(toAddress: Data(address)) } == .badConfiguration)
        #expect(subject.socket.connectedPort() == address.port)
    }

    @Test("8: receiving needs sockets, not a port; asking for it again changes nothing")
    func receiveEarly() async throws {
        let fresh = GCDSubject()
        #expect(gcdFailure { try fresh.socket.receiveOnce() } == .badConfiguration)
        #expect(gcdFailure { try fresh.socket.beginReceiving() } == .badConfiguration)
        let setUp: [(GCDAsyncUdpSocket) throws -> Void] = [
            { try $0.enableBroadcast(true) },
            { try $0.enableReusePort(true) },
            { try $0.connect(toHost: "localhost", onPort: 9) },
        ]
        for body in setUp {
            let subject = GCDSubject()
            try body(subject.socket)
            for _ in 0..<2 {
                try subject.socket.receiveOnce()
                try subject.socket.beginReceiving()
                try subject.socket.beginReceiving()
            }
        }
        // What was asked for early holds once there is a port.
        let (peer, address) = try await boundSocket(.ipv4)
        let early = GCDSubject()
        try early.socket.enableBroadcast(true)
        try early.socket.beginReceiving()
        early.socket.send("to", to: address)
        try await peer.send(bytes("fro"), to: try await peer.receive().source)
        #expect(try await early.recorder.text() == "fro")
    }

    @Test("9: groups need a port and no peer; a group is a numeric group address of an enabled family")
    func groups() async throws {
        let unbound = GCDSubject()
        #expect(gcdFailure { try unbound.socket.joinMulticastGroup("239.1.2.3") } == .badConfiguration)
        #expect(gcdFailure { try unbound.socket.leaveMulticastGroup("239.1.2.3") } == .badConfiguration)
        let bound = try GCDSubject.receiving(on: "127.0.0.1")
        for group in ["localhost", "no group", "", "ff02::1234"] {
            #expect(gcdFailure { try bound.socket.joinMulticastGroup(group) } == .badParameter, "\(group)")
            #expect(gcdFailure { try bound.socket.leaveMulticastGroup(group) } == .badParameter, "\(group)")
        }
        let unknown = gcdFailure { try bound.socket.joinMulticastGroup("239.1.2.3", onInterface: "nosuchif0") }
        #expect(unknown == .badParameter)
        let connected = GCDSubject()
        try connected.socket.connect(toAddress: Data(.loopback(.ipv4, port: 9)))
        #expect(try await connected.recorder.change() == .connected(Data(.loopback(.ipv4, port: 9))))
        #expect(gcdFailure { try connected.socket.joinMulticastGroup("239.1.2.3") } == .badConfiguration)
        #expect(gcdFailure { try connected.socket.leaveMulticastGroup("239.1.2.3") } == .badConfiguration)
    }

    @Test("10: broadcasts are IPv4's: a socket of IPv6 alone refuses them")
    func broadcastWithoutIPv4() throws {
        let subject = GCDSubject()
        subject.socket.setIPv4Enabled(false)
        #expect(gcdFailure { try subject.socket.enableBroadcast(true) } != nil)
        #expect(gcdFailure { try subject.socket.bind(toPort: 0) } == nil)
        let both = GCDSubject()
        try both.socket.enableBroadcast(true)
        #expect(both.option(SOL_SOCKET, SO_BROADCAST) == 1)
        try both.socket.enableBroadcast(false)
        #expect(both.option(SOL_SOCKET, SO_BROADCAST) == 0)
    }
}
