import DiscoverableConnection
import DiscoverableCore
import Testing

@Suite("A listener and those who mean no good", .timeLimit(.minutes(2)))
struct SessionCrowdTests {
    /// Sends datagrams from many addresses of the loopback network, none of which listens.
    private struct Forger {
        let socket: UDPSocket
        let target: SocketAddress
        /// A client of its own, whose answer says that the listener has taken all that came before.
        let marker: UDPSocket

        init(_ target: SocketAddress) async throws {
            self.target = target
            (socket, _) = try await boundAnywhere()
            (marker, _) = try await boundSocket(.ipv4)
            try await marker.send(bytes("dscv_discover:marker"), to: target)
            for _ in 0..<2 { _ = try await marker.receive() }
            try await settle()
        }

        /// Forged discovers, each in the name of another address: 127.1.0.0 and on.
        func discover(_ numbers: Range<UInt32>) async throws {
            for number in numbers {
                let source = IPAddress.v4(IPv4Address(rawValue: 0x7f01_0000 + number))
                try await socket.send(bytes("dscv_discover"), to: target, options: SendOptions(source: source))
                // Never more than the listener's socket holds.
                if number % 64 == 63 { try await settle() }
            }
            try await settle()
        }

        private func settle() async throws {
            // Empty, which is acknowledged however much waits unread.
            try await marker.send([], to: target)
            #expect(try await marker.receive().bytes == bytes("dscv_ack"))
        }
    }

    private func crowded(_ configuration: SessionConfiguration) async throws -> (SessionListener, SocketAddress) {
        let listener = try await SessionListener.bind(
            to: [SocketAddress(.v4(.any), port: 0)],
            configuration: configuration
        )
        return (listener, .loopback(.ipv4, port: listener.port))
    }

    /// A machine alone takes 100,000 in the tests of the core; over real sockets it is that many with `DISCOVERABLE_SOAK=1`.
    private static let forgedCount: UInt32 = SoakTests.isWanted ? 100_000 : 10_000

    @Test("Thousands of discovers from forged addresses: memory is bounded, who spoke stays, a real client gets in")
    func forgedDiscovers() async throws {
        var configuration = SessionConfiguration.quick
        configuration.maximumSessions = 64
        let (listener, address) = try await crowded(configuration)
        let old = try await Session.connect(to: [address], configuration: .quick)
        try await old.send("I was here before")
        let forger = try await Forger(address)
        // The first of them fill all places, and all pools.
        try await forger.discover(0..<2_000)
        let before = ProcessState.current
        try await forger.discover(2_000..<Self.forgedCount)
        let after = ProcessState.current
        #expect(await listener.sessionCount == 64)
        if !ProcessState.isSanitized {
            let growth = after.memory - before.memory
            #expect(growth < 8 << 20, "\(Self.forgedCount) forged discovers cost \(growth) bytes")
        }
        let new = try await Session.connect(to: [address], configuration: .quick)
        try await new.send("hello")
        try await forger.discover(0..<200)
        for session in [old, new] { try await session.send("still here") }
        #expect(await new.strength == 100)
        await new.close()
        await listener.close()
    }

    @Test("A displaced client's session ends by that name, and what the app has not seen of it yet it never sees")
    func displaced() async throws {
        var configuration = SessionConfiguration.quick
        configuration.maximumSessions = 2
        let (listener, address) = try await crowded(configuration)
        let (silent, _) = try await boundSocket(.ipv4)
        try await silent.send(bytes("dscv_discover:silent"), to: address)
        let session = try #require(try await first(of: listener.sessions))
        let forger = try await Forger(address)
        try await forger.discover(0..<1)
        #expect(await session.events.last() == .closed(.displaced))
        try await forger.discover(1..<500)
        let real = try await Session.connect(to: [address], configuration: .quick)
        try await real.send("hello")
        var names: [String?] = []
        for await session in listener.sessions {
            names.append(session.peerName)
            if session.peerName == "test device" { break }
        }
        #expect(names == ["marker", "test device"])
        await listener.close()
    }

    @Test("A flood from one client: another is served meanwhile, and the flood takes no more memory than is its due")
    func flood() async throws {
        var configuration = SessionConfiguration.quick
        configuration.maximumUnreadMessages = 100
        let (listener, address) = try await loopbackListener(configuration: configuration)
        let (flooder, _) = try await boundSocket(.ipv4)
        try await flooder.send(bytes("dscv_discover:flood"), to: address)
        let flooded = try #require(try await first(of: listener.sessions))
        var rules = SessionConfiguration.quick
        rules.acknowledgementTimeout = .milliseconds(200)
        rules.lostBelowStrength = 0
        let session = try await Session.connect(to: [address], configuration: rules)
        let flooding = Task {
            for number in 0..<40_000 {
                try? flooder.enqueue(bytes("flood \(number)"), to: address)
                if number % 100 == 0 { await Task.yield() }
            }
        }
        // What the kernel drops while its queue is full is lost, whoever sent it; the listener itself prefers nobody.
        var served = 0
        while served < 20 {
            if await sessionErrorCode({ try await session.send("among the flood") }) == nil { served += 1 }
        }
        await flooding.value
        try await session.send("after the flood")
        #expect(await session.state == .connected)
        await flooded.close(endingPeer: false)
        var unread = 0
        for await _ in flooded.messages { unread += 1 }
        #expect(unread == 100)
        await listener.close()
    }
}

/// A socket that may send from every address of the host.
private func boundAnywhere() async throws -> (UDPSocket, SocketAddress) {
    let socket = try UDPSocket(family: .ipv4)
    try await socket.bind(to: SocketAddress(.v4(.any), port: 0))
    return (socket, try await socket.localAddress)
}
