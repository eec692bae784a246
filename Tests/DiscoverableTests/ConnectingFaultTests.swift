import Discoverable
import DiscoverableConnection
import DiscoverableCore
import Dispatch
import Testing

@Suite("Connecting by the class", .timeLimit(.minutes(1)))
struct ConnectingFaultTests {
    @Test("1: connecting to a host directly is told as connecting, greets, and gets connected")
    func direct() async throws {
        let server = try await LoopbackServer()
        let (service, recorder, _) = Discoverable.recorded()
        service.connect(to: server.host, on: server.port)
        #expect(service.state == .connecting)
        let (text, client) = try await server.receive()
        #expect(text == "dscv_discover:test device")
        for word in ["dscv_ack", "dscv_shake:127.0.0.1"] { try await server.send(word, to: client) }
        await recorder.wait(for: .connected)
        #expect(service.state == .connected)
        #expect(recorder.told == [.state(.connecting), .state(.connected)])
    }

    @Test("1: a host's name is looked up, and all its addresses are tried")
    func name() async throws {
        let server = try await LoopbackServer()
        let (service, recorder, _) = Discoverable.recorded()
        service.connect(to: "localhost", on: server.port)
        try await server.admit()
        await recorder.wait(for: .connected)
    }

    @Test("11: messages sent while connecting cost no greeting: they wait, and leave in their order")
    func waiting() async throws {
        let server = try await LoopbackServer()
        var configuration = SessionConfiguration.quick
        configuration.discoverInterval = .seconds(60)
        let (service, recorder, _) = Discoverable.recorded(configuration)
        service.connect(to: server.host, on: server.port)
        for number in 1...20 { service.send("\(number)") }
        let (_, client) = try await server.receive()
        #expect(try await server.arrived() == [])
        for word in ["dscv_ack", "dscv_shake"] { try await server.send(word, to: client) }
        for number in 1...20 { #expect(try await server.acknowledge(client) == "\(number)") }
        await recorder.wait { $0.compactMap(\.strength).count == 20 }
        #expect(recorder.strengths == Array(repeating: 100, count: 20))
        #expect(!recorder.told.contains { $0.isFailedSend })
    }

    @Test("11: five greetings, then connectShakeNoResponse, whatever is sent meanwhile; what waited is told")
    func silent() async throws {
        let server = try await LoopbackServer()
        var configuration = SessionConfiguration.quick
        configuration.discoverInterval = .milliseconds(500)
        configuration.discoverAttempts = 5
        let (service, recorder, _) = Discoverable.recorded(configuration)
        service.connect(to: server.host, on: server.port)
        for number in 1...10 { service.send("\(number)") }
        await recorder.wait(for: .failed(.connectShakeNoResponse))
        let waited = (1...10).map { Told.notSent("\($0)", .connectFailed(.noAnswer)) }
        #expect(
            recorder.told == [.state(.connecting)] + waited + [.state(.failed(.connectShakeNoResponse))]
        )
        #expect(try await server.arrived() == Array(repeating: "dscv_discover:test device", count: 5))
    }

    @Test("20: a port that nobody listens on yet is a hint: who comes later is connected to")
    func hint() async throws {
        let port = try await closedPort()
        let (service, recorder, _) = Discoverable.recorded()
        service.connect(to: "127.0.0.1", on: port)
        // The first greeting is refused by the time that another one has been sent: none of it ends the attempt.
        let late = try UDPSocket(family: .ipv4)
        try await late.bind(to: SocketAddress(.v4(.loopback), port: port))
        let client = try await late.receive().source
        try await late.send(Array("dscv_shake".utf8), to: client)
        await recorder.wait(for: .connected)
        #expect(recorder.states == [.connecting, .connected])
    }

    @Test("22: a new attempt replaces the one before, whose server hears nothing and is heard no more")
    func replaced() async throws {
        let (first, second) = (try await LoopbackServer(), try await LoopbackServer())
        var configuration = SessionConfiguration.quick
        configuration.discoverInterval = .seconds(60)
        let (service, recorder, queue) = Discoverable.recorded(configuration)
        service.connect(to: first.host, on: first.port)
        let client = try await first.admit()
        await recorder.wait(for: .connected)
        service.connect(to: second.host, on: second.port)
        let (_, newClient) = try await second.receive()
        for word in ["late", "dscv_disconnect"] { try await first.send(word, to: client) }
        for word in ["dscv_ack", "dscv_shake"] { try await second.send(word, to: newClient) }
        await recorder.wait { $0.compactMap(\.state).count == 4 }
        try await second.send("from the second", to: newClient)
        await recorder.wait(for: .received("from the second"))
        await queue.settle()
        // Neither an answer nor a goodbye.
        #expect(try await first.arrived() == [])
        #expect(recorder.states == [.connecting, .connected, .connecting, .connected])
        #expect(!recorder.told.contains(.received("late")))
    }

    @Test("23: a port that cannot be, and what cannot be sent, is told")
    func refused() async throws {
        let (service, recorder, queue) = Discoverable.recorded()
        let blocked = DispatchSemaphore(value: 0)
        queue.async { blocked.wait() }
        service.send("too early")
        service.connect(to: "127.0.0.1", on: 0)
        #expect(service.state == .failed(.connectAddressUnavailable))
        blocked.signal()
        await queue.settle()
        #expect(
            recorder.told == [
                .notSent("too early", .notConnected), .state(.connecting), .state(.failed(.connectAddressUnavailable)),
            ]
        )
    }

    @Test("23: a prefix that cannot be one is told, and nothing is sent with it")
    func badPrefix() async throws {
        let server = try await LoopbackServer()
        let (service, recorder, queue) = Discoverable.recorded()
        service.prefix = "a:b"
        service.connect(to: server.host, on: server.port)
        #expect(service.state == .failed(.discoverIncorrectConfiguration))
        await queue.settle()
        #expect(recorder.states == [.connecting, .failed(.discoverIncorrectConfiguration)])
        service.prefix = "dscv"
        service.connect(to: server.host, on: server.port)
        _ = try await server.admit()
        await recorder.wait(for: .connected)
        service.close(false)
    }

    @Test("23: a text that cannot be a message is told, once connected")
    func badMessages() async throws {
        let server = try await LoopbackServer()
        let (service, recorder, _) = Discoverable.recorded()
        service.connect(to: server.host, on: server.port)
        let client = try await server.admit()
        await recorder.wait(for: .connected)
        let long = String(repeating: "x", count: 1_025)
        for text in ["", long, "please dscv_disconnect", "good"] { service.send(text) }
        #expect(try await server.acknowledge(client) == "good")
        await recorder.wait(for: .strength(100))
        #expect(
            recorder.told.filter(\.isFailedSend) == [
                .notSent("", .emptyMessage), .notSent(long, .messageTooLong(bytes: 1_025)),
                .notSent("please dscv_disconnect", .messageContainsProtocolWord("dscv_disconnect")),
            ]
        )
        #expect(service.state == .connected)
    }

    @Test("27: a device name may hold a colon; of a long one as much is sent as a datagram holds")
    func deviceName() async throws {
        for (name, expected) in [
            ("a:b", "dscv_discover:a:b"),
            (String(repeating: "é", count: 2_000), "dscv_discover:" + String(repeating: "é", count: 505)),
        ] {
            let server = try await LoopbackServer()
            let service = Discoverable.with(.quick)
            service.deviceName = name
            #expect(service.deviceName == name)
            service.connect(to: server.host, on: server.port)
            #expect(try await server.receive().text == expected)
        }
    }

    @Test("The prefix is the app's: peers of the predecessor are greeted in their words")
    func prefix() async throws {
        let server = try await LoopbackServer()
        let (service, recorder, _) = Discoverable.recorded()
        service.prefix = "astv"
        service.connect(to: server.host, on: server.port)
        let (text, client) = try await server.receive()
        #expect(text == "astv_discover:test device")
        for word in ["astv_ack", "astv_shake"] { try await server.send(word, to: client) }
        await recorder.wait(for: .connected)
    }

    @Test("A peer that ends instead of admitting: disconnected, as is said of any other end by the peer")
    func endedByPeer() async throws {
        let server = try await LoopbackServer()
        let (service, recorder, _) = Discoverable.recorded()
        service.connect(to: server.host, on: server.port)
        let (_, client) = try await server.receive()
        try await server.send("dscv_disconnect", to: client)
        await recorder.wait(for: .disconnected)
        #expect(recorder.states == [.connecting, .disconnected])
    }
}
