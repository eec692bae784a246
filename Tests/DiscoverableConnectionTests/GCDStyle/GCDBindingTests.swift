import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Foundation
import Glibc
import Testing

@Suite("GCD style: binding, and what a socket says of itself", .timeLimit(.minutes(1)))
struct GCDBindingTests {
    @Test("11: the sockets are made by the first verb that needs them, of the families that are wanted")
    func lazily() throws {
        let fresh = GCDSubject()
        #expect(fresh.exists == [false, false])
        try fresh.socket.enableBroadcast(true)
        #expect(fresh.exists == [true, true])
        for (isIPv4, isIPv6) in [(true, false), (false, true)] {
            let subject = GCDSubject()
            subject.socket.setIPv4Enabled(isIPv4)
            subject.socket.setIPv6Enabled(isIPv6)
            try subject.socket.enableReusePort(true)
            #expect(subject.exists == [isIPv4, isIPv6])
        }
        let ipv4 = try GCDSubject.receiving(on: "127.0.0.1")
        #expect(ipv4.exists == [true, false] && ipv4.socket.isIPv4() && !ipv4.socket.isIPv6())
        let ipv6 = try GCDSubject.receiving(on: "::1")
        #expect(ipv6.exists == [false, true] && !ipv6.socket.isIPv4() && ipv6.socket.isIPv6())
    }

    @Test("12, B17: with port 0 both families get one port", arguments: [nil, "localhost", "loopback", "lo"])
    func onePort(interface: String?) async throws {
        for _ in 0..<20 {
            let subject = try GCDSubject.receiving(on: interface)
            let port = subject.socket.localPort()
            #expect(port != 0 && port == subject.socket.localPort_IPv4() && port == subject.socket.localPort_IPv6())
        }
        let subject = try GCDSubject.receiving(on: interface)
        for family in AddressFamily.allCases {
            let peer = try UDPSocket(family: family)
            try await peer.send(bytes("\(family)"), to: .loopback(family, port: subject.socket.localPort()))
            #expect(try await subject.recorder.text() == "\(family)")
        }
    }

    @Test(
        "13, B17: when IPv6's port is taken all is undone, nothing told, what was set is kept, and it can be tried again"
    )
    func takenPort() async throws {
        let (holder, taken) = try await boundSocket(.ipv6)
        let subject = GCDSubject()
        try subject.socket.enableBroadcast(true)
        let failure = gcdFailure { try subject.socket.bind(toPort: taken.port) }
        #expect(failure == .posix(EADDRINUSE) && failure?.text.isEmpty == false)
        #expect(subject.socket.localPort() == 0 && subject.socket.localAddress() == nil)
        // The port of the other family is free again.
        let other = try UDPSocket(family: .ipv4)
        try await bindSoon(other, to: .loopback(.ipv4, port: taken.port))
        try subject.socket.bind(toPort: 0, interface: "localhost")
        #expect(subject.option(SOL_SOCKET, SO_BROADCAST) == 1)
        subject.settle()
        #expect(subject.recorder.log.isEmpty)
        await holder.close()
    }

    @Test("14: bound to one family, a socket that had both sends in that one only, and lives")
    func deactivated() async throws {
        let (peer, address) = try await boundSocket(.ipv4)
        let subject = GCDSubject()
        try subject.socket.enableReusePort(true)
        try subject.socket.bind(toPort: 0, interface: "127.0.0.1")
        #expect(subject.socket.isIPv4() && !subject.socket.isIPv6())
        #expect(subject.socket.localHost() == "127.0.0.1" && subject.socket.localAddress_IPv6() == nil)
        subject.socket.send(data("six"), toHost: "::1", port: address.port, withTimeout: -1, tag: 6)
        subject.socket.send(data("four"), toHost: "localhost", port: address.port, withTimeout: -1, tag: 4)
        #expect(try await subject.recorder.outcomes(2) == [.notSent(6, .other), .sent(4)])
        #expect(try await peer.text() == "four")
        #expect(!subject.socket.isClosed())
    }

    @Test("15: closed is what has no sockets: before the first use, and after closing")
    func state() async throws {
        let subject = GCDSubject()
        let socket = subject.socket
        #expect(socket.isClosed() && !socket.isConnected() && socket.isIPv4() && socket.isIPv6())
        socket.setIPv6Enabled(false)
        #expect(socket.isIPv4() && !socket.isIPv6())
        socket.setIPv6Enabled(true)
        try socket.bind(toPort: 0, interface: "127.0.0.1")
        #expect(!socket.isClosed() && !socket.isConnected() && socket.isIPv4() && !socket.isIPv6())
        try socket.connect(toAddress: Data(.loopback(.ipv4, port: 9)))
        #expect(try await subject.recorder.change() == .connected(Data(.loopback(.ipv4, port: 9))))
        #expect(!socket.isClosed() && socket.isConnected())
        socket.close()
        #expect(socket.isClosed() && !socket.isConnected() && socket.isIPv4() && socket.isIPv6())
    }

    @Test("16, B17: the local address is IPv4's where there is one, and always the present one")
    func localAddress() async throws {
        let subject = GCDSubject()
        let socket = subject.socket
        #expect(socket.localAddress() == nil && socket.localHost() == nil && socket.localPort() == 0)
        try socket.bind(toPort: 0)
        let port = socket.localPort()
        #expect(socket.localHost() == "0.0.0.0" && socket.localHost_IPv4() == "0.0.0.0")
        #expect(socket.localHost_IPv6() == "::" && socket.localPort_IPv6() == port && port != 0)
        #expect(socket.localAddress() == Data(SocketAddress(.v4(.any), port: port)))
        #expect(socket.localAddress_IPv4() == socket.localAddress())
        #expect(socket.localAddress_IPv6() == Data(SocketAddress(.v6(.any), port: port)))
        try socket.connect(toAddress: Data(.loopback(.ipv4, port: 9)))
        #expect(try await subject.recorder.change() == .connected(Data(.loopback(.ipv4, port: 9))))
        #expect(socket.localHost() == "127.0.0.1" && socket.localPort() == port)
        #expect(socket.localAddress_IPv6() == nil && socket.localHost_IPv6() == nil && socket.localPort_IPv6() == 0)
        socket.close()
        #expect(socket.localAddress() == nil && socket.localHost() == nil && socket.localPort() == 0)
        let ipv6 = try GCDSubject.receiving(on: "::1")
        #expect(ipv6.socket.localHost() == "::1" && ipv6.socket.localAddress_IPv4() == nil)
        #expect(ipv6.socket.localPort() == ipv6.socket.localPort_IPv6() && ipv6.socket.localPort_IPv4() == 0)
    }

    @Test(
        "17, 18: this host by name is both loopback addresses; the preference decides",
        arguments: ["localhost", "loopback"]
    )
    func thisHost(name: String) async throws {
        let server = try GCDSubject.receiving()
        let preferences: [((GCDAsyncUdpSocket) -> Void, AddressFamily)] = [
            ({ _ in }, .ipv4), ({ $0.setPreferIPv6() }, .ipv6), ({ $0.setPreferIPv4() }, .ipv4),
            (
                {
                    $0.setPreferIPv6(); $0.setIPVersionNeutral()
                }, .ipv4
            ),
        ]
        for (prefer, family) in preferences {
            let client = GCDSubject()
            prefer(client.socket)
            client.socket.send(data("x"), toHost: name, port: server.socket.localPort(), withTimeout: -1, tag: 0)
            guard case .received(_, let source, _) = try await server.recorder.arrival() else { return }
            #expect(GCDAsyncUdpSocket.isIPv4Address(source) == (family == .ipv4))
        }
    }

    @Test("18: a preference is one of three")
    func preferences() {
        let socket = GCDAsyncUdpSocket()
        func all() -> [Bool] { [socket.isIPv4Preferred(), socket.isIPv6Preferred(), socket.isIPVersionNeutral()] }
        #expect(all() == [false, false, true])
        socket.setPreferIPv4()
        #expect(all() == [true, false, false])
        socket.setPreferIPv6()
        #expect(all() == [false, true, false])
        socket.setIPVersionNeutral()
        #expect(all() == [false, false, true])
    }

    @Test("18, B6: a disabled family is not chosen where the other has an address", arguments: AddressFamily.allCases)
    func disabledFamily(disabled: AddressFamily) async throws {
        let server = try GCDSubject.receiving()
        let port = server.socket.localPort()
        let client = GCDSubject()
        let (only, foreign) = disabled == .ipv4 ? ("::1", "127.0.0.1") : ("127.0.0.1", "::1")
        if disabled == .ipv4 {
            client.socket.setIPv4Enabled(false)
            client.socket.setPreferIPv4()
        } else {
            client.socket.setIPv6Enabled(false)
            client.socket.setPreferIPv6()
        }
        for (tag, host) in ["localhost", foreign, only].enumerated() {
            client.socket.send(data(host), toHost: host, port: port, withTimeout: -1, tag: tag)
        }
        #expect(try await client.recorder.outcomes(3) == [.sent(0), .notSent(1, .other), .sent(2)])
        #expect(try await server.recorder.texts(2) == ["localhost", only])
        #expect(!client.socket.isClosed())
    }

    @Test("B11: a socket's receive buffer is not smaller than the system's own")
    func receiveBuffer() async throws {
        let plain = try UDPSocket(family: .ipv4)
        let usual = try await plain.receiveBufferSize
        let subject = try GCDSubject.receiving()
        for family in AddressFamily.allCases {
            let size = try #require(subject.option(SOL_SOCKET, SO_RCVBUF, of: family))
            #expect(Int(size) >= usual)
        }
    }

    @Test("B18: no program that the app starts gets the sockets")
    func closedOnExec() throws {
        let subject = try GCDSubject.receiving()
        for descriptor in subject.descriptors {
            #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
        }
    }

    @Test("A port that is shared has to be so in both sockets")
    func reusedPort() throws {
        let first = GCDSubject()
        try first.socket.enableReusePort(true)
        try first.socket.bind(toPort: 0, interface: "localhost")
        let port = first.socket.localPort()
        let stranger = GCDSubject()
        #expect(gcdFailure { try stranger.socket.bind(toPort: port, interface: "localhost") } == .posix(EADDRINUSE))
        let second = GCDSubject()
        try second.socket.enableReusePort(true)
        try second.socket.bind(toPort: port, interface: "localhost")
        #expect(second.socket.localPort() == port)
    }
}
