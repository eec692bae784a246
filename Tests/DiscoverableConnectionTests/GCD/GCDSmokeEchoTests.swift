import DiscoverableConnection
import DiscoverableCore
import Foundation
import Testing

@Suite("GCD style in short: sending and receiving", .timeLimit(.minutes(1)))
struct GCDSmokeEchoTests {
    @Test("Datagrams arrive in order, with their source, and each tag is told")
    func order() async throws {
        var server = try GCDSmokeEnd.receiving()
        var client = try GCDSmokeEnd.receiving()
        for number in 0..<200 { client.send("\(number)", to: server.port, tag: number) }
        #expect(await client.next(200) == (0..<200).map { .sent($0) })
        let port = client.port
        #expect(await server.next(200) == (0..<200).map { .received("\($0)", from: port) })
    }

    @Test("A delegate answers from inside its call, many at once", arguments: [UDPSocket.Offloads.all, .none])
    func echo(_ offloads: UDPSocket.Offloads) async throws {
        var server = GCDSmokeEnd()
        var client = GCDSmokeEnd()
        for end in [server, client] {
            end.socket.setOffloads(offloads)
            try end.socket.bind(toPort: 0, interface: "localhost")
            try end.socket.beginReceiving()
        }
        server.recorder.onReceive = { socket, data, address in
            socket.send(
                data,
                toAddress: address,
                withTimeout: -1,
                tag: Int(String(decoding: data, as: UTF8.self)) ?? -1
            )
        }
        for number in 0..<100 { client.send("\(number)", to: server.port, tag: number) }
        var heard: [GCDSmokeEvent] = []
        while heard.count < 100, let event = await client.next() {
            if case .received = event { heard.append(event) }
        }
        let port = server.port
        #expect(heard == (0..<100).map { .received("\($0)", from: port) })
        var sent: [GCDSmokeEvent] = []
        while sent.count < 100, let event = await server.next() {
            if case .sent = event { sent.append(event) }
        }
        #expect(sent == (0..<100).map { .sent($0) })
    }

    @Test("Both families have one port")
    func onePort() async throws {
        var end = GCDSmokeEnd()
        try end.socket.bind(toPort: 0)
        try end.socket.beginReceiving()
        #expect(end.socket.localPort_IPv4() == end.socket.localPort_IPv6())
        #expect(end.port != 0)
        let client = GCDSmokeEnd()
        client.socket.send(Data("6".utf8), toHost: "::1", port: end.port, withTimeout: -1, tag: 0)
        guard case .received("6", _)? = await end.next() else { return #expect(Bool(false), "nothing over IPv6") }
        client.send("4", to: end.port)
        guard case .received("4", _)? = await end.next() else { return #expect(Bool(false), "nothing over IPv4") }
    }

    @Test("B2, 23: an empty datagram is received; sending nothing does nothing")
    func empty() async throws {
        var server = try GCDSmokeEnd.receiving()
        var client = try GCDSmokeEnd.receiving()
        for (tag, text) in ["a", "", "b"].enumerated() { client.send(text, to: server.port, tag: tag) }
        #expect(await client.next(2) == [.sent(0), .sent(2)])
        let port = client.port
        #expect(await server.next(2) == ["a", "b"].map { .received($0, from: port) })
        let plain = try UDPSocket(family: .ipv4)
        try await plain.send([], to: SocketAddress(.v4(.loopback), port: server.port))
        let plainPort = try await plain.localAddress.port
        #expect(await server.next(1) == [.received("", from: plainPort)])
        client.send("c", to: server.port, tag: 3)
        #expect(await server.next(1) == [.received("c", from: port)])
    }

    @Test("28, B3: a datagram that is too large fails alone")
    func tooLarge() async throws {
        var server = try GCDSmokeEnd.receiving()
        server.socket.setMaxReceiveIPv4BufferSize(.max)
        var client = try GCDSmokeEnd.receiving()
        client.send("1", to: server.port, tag: 1)
        client.send(String(repeating: "x", count: 65_508), to: server.port, tag: 2)
        client.send("3", to: server.port, tag: 3)
        #expect(await client.next(3) == [.sent(1), .notSent(2, code: Int(EMSGSIZE)), .sent(3)])
        let port = client.port
        #expect(await server.next(2) == [.received("1", from: port), .received("3", from: port)])
    }

    @Test("34: a longer datagram is cut; B4, 24, 25: destinations that do not fit the socket are refused")
    func limits() async throws {
        var server = try GCDSmokeEnd.receiving()
        server.socket.setMaxReceiveIPv4BufferSize(3)
        var client = try GCDSmokeEnd.receiving()
        client.socket.send(Data("x".utf8), withTimeout: -1, tag: 1)
        #expect(await client.next() == .notSent(1, code: 1))
        client.send("abcdef", to: server.port, tag: 2)
        #expect(await client.next() == .sent(2))
        #expect(await server.next() == .received("abc", from: client.port))
        try client.socket.connect(toHost: "localhost", onPort: server.port)
        #expect(await client.next() == .connected(port: server.port))
        client.send("x", to: server.port, tag: 3)
        client.socket.send(Data("x".utf8), toAddress: Data([1, 2]), withTimeout: -1, tag: 4)
        client.socket.send(Data("yes".utf8), withTimeout: -1, tag: 5)
        #expect(await client.next(3) == [.notSent(3, code: 1), .notSent(4, code: 2), .sent(5)])
        #expect(await server.next() == .received("yes", from: client.port))
    }
}
