import DiscoverableConnection
import DiscoverableCore
import Glibc
import Testing

@Suite("Connecting sessions", .timeLimit(.minutes(1)))
struct SessionConnectTests {
    private var hasty: SessionConfiguration {
        var configuration = SessionConfiguration.quick
        configuration.discoverInterval = .milliseconds(10)
        configuration.discoverAttempts = 20
        return configuration
    }

    private func failure(of addresses: [SocketAddress]) async -> SessionError.Code? {
        await sessionErrorCode { _ = try await Session.connect(to: addresses, configuration: hasty) }
    }

    @Test("A closed port is called refused, after the last repeat", arguments: AddressFamily.allCases)
    func refused(family: AddressFamily) async throws {
        #expect(await failure(of: [try await closedPort(family)]) == .connectFailed(.refused))
    }

    @Test("A peer that says nothing: no answer, to discovers with the device's name")
    func silent() async throws {
        let (peer, address) = try await boundSocket(.ipv4)
        #expect(await failure(of: [address]) == .connectFailed(.noAnswer))
        #expect(try await peer.receive().bytes == bytes("dscv_discover:test device"))
    }

    @Test("A peer that only acknowledges")
    func acknowledgesOnly() async throws {
        let (peer, address) = try await boundSocket(.ipv4)
        // On the loop's thread: busy tests elsewhere must not delay the acknowledgement.
        let task = Task(executorPreference: peer.taskExecutor) {
            for await datagram in peer.datagrams { try? await peer.send(bytes("dscv_ack"), to: datagram.source) }
        }
        var configuration = hasty
        configuration.discoverInterval = .milliseconds(200)
        let code = await sessionErrorCode {
            _ = try await Session.connect(to: [address], configuration: configuration)
        }
        #expect(code == .connectFailed(.noHandshake))
        await peer.close()
        await task.value
    }

    @Test("No address at all, and one of a network without a way")
    func nowhere() async throws {
        #expect(await failure(of: []) == .connectFailed(.noAnswer))
        let linkLocal = SocketAddress(.v6(IPv6Address(high: 0xfe80 << 48, low: 1)), port: 1024)
        #expect(await failure(of: [linkLocal]) == .connectFailed(.unreachable))
    }

    @Test("A server with several addresses answers from the one that was asked")
    func addressAsked() async throws {
        let wildcard = SocketAddress(.v4(.any), port: 0)
        let listener = try await SessionListener.bind(to: [wildcard], configuration: .quick)
        let second = SocketAddress(.v4(IPv4Address(127, 0, 0, 2)), port: listener.port)
        // The client's socket hears nobody but the address that it has asked.
        let session = try await Session.connect(to: [second], configuration: .quick)
        try await session.send("hello")
        await session.close(endingPeer: false)
        await listener.close()
    }

    @Test("All addresses are tried; a refused one does not hold up the next")
    func addresses() async throws {
        let (listener, address) = try await loopbackListener(.ipv6)
        let addresses = [try await closedPort(.ipv4), try await closedPort(.ipv6), address]
        let session = try await Session.connect(to: addresses, configuration: .quick)
        #expect(await session.peerAddress == address)
        await listener.close()
    }

    @Test("The discover is repeated until its answer gets through")
    func lostDiscovers() async throws {
        let (peer, address) = try await boundSocket(.ipv4)
        let task = Task {
            for _ in 0..<3 { _ = try await peer.receive() }
            let source = try await peer.receive().source
            for word in ["dscv_ack", "dscv_shake:127.0.0.1", "dscv_shake:127.0.0.1"] {
                try await peer.send(bytes(word), to: source)
            }
        }
        let session = try await Session.connect(to: [address], configuration: .quick)
        #expect(await session.state == .connected)
        try await task.value
    }

    @Test(
        "A configuration that cannot work is refused before anything is sent, and says what would be right",
        arguments: ["", "a:b", "dscv ", "käse", String(repeating: "x", count: 33)]
    )
    func invalidConfiguration(prefix: String) async throws {
        var configuration = SessionConfiguration.quick
        configuration.prefix = prefix
        let rules = configuration
        let address = try await closedPort(.ipv4)
        for call in [
            { _ = try await Session.connect(to: [address], configuration: rules) },
            { _ = try await SessionListener.bind(port: 0, configuration: rules) },
        ] as [@Sendable () async throws -> Void] {
            guard case .invalidConfiguration(let problem)? = await sessionErrorCode(call) else {
                Issue.record("\(prefix) was taken")
                continue
            }
            #expect(problem.contains("1 to 32 letters"))
        }
    }

    @Test("Cancelling ends the connecting at once")
    func cancel() async throws {
        let (peer, address) = try await boundSocket(.ipv4)
        let task = Task {
            _ = try await Session.connect(to: [address], configuration: SessionConfiguration())
        }
        _ = try await peer.receive()
        task.cancel()
        #expect(await sessionErrorCode { try await task.value } == .cancelled)
    }

    @Test("25: an error says what was being done, what went wrong and what to do")
    func description() async throws {
        let address = try await closedPort(.ipv4)
        let error = await #expect(throws: SessionError.self) {
            _ = try await Session.connect(to: [address], configuration: hasty)
        }
        let expected = "connecting to \(address): nobody listens on the peer's port; start the peer or check the port"
        let description = try #require(error?.description)
        #expect(description.hasPrefix(expected) && description.contains("Connection refused"))
        #expect(error?.failureClass == .tryAgain && error?.underlying?.number == ECONNREFUSED)
    }

    @Test("A taken port is reported, and both families share a port")
    func listening() async throws {
        let listener = try await SessionListener.bind(port: 0, configuration: .quick)
        let taken = await sessionErrorCode { _ = try await SessionListener.bind(port: listener.port) }
        #expect(taken == .socket(.addressInUse))
        var sessions: [Session] = []
        for family in AddressFamily.allCases {
            let address = SocketAddress.loopback(family, port: listener.port)
            sessions.append(try await Session.connect(to: [address], configuration: .quick))
        }
        #expect(await listener.sessionCount == 2)
        for session in sessions { await session.close() }
        #expect(await listener.sessionCount == 0)
        await listener.close()
    }
}
