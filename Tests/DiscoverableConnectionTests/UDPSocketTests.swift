import DiscoverableConnection
import DiscoverableCore
import Testing

@Suite("UDP sockets", .timeLimit(.minutes(1)))
struct UDPSocketTests {
    @Test("Datagrams go both ways, with their source", arguments: AddressFamily.allCases)
    func echo(family: AddressFamily) async throws {
        let (server, address) = try await boundSocket(family)
        let (client, clientAddress) = try await boundSocket(family)
        for index in 0..<100 {
            try await client.send(bytes("question \(index)"), to: address)
            let question = try await server.receive()
            #expect(question.source == clientAddress && !question.isTruncated)
            try await server.send(question.bytes + bytes("!"), to: question.source)
            #expect(try await client.receive().bytes == bytes("question \(index)!"))
        }
    }

    @Test("A connected socket needs no destination, and hears its peer only", arguments: AddressFamily.allCases)
    func connected(family: AddressFamily) async throws {
        let (server, address) = try await boundSocket(family)
        let (stranger, _) = try await boundSocket(family)
        let client = try UDPSocket(family: family)
        try await client.connect(to: address)
        let clientAddress = try await client.localAddress
        try await stranger.send(bytes("forged"), to: clientAddress)
        try await client.send(bytes("a"))
        try await client.send(bytes("b"), to: address)
        try await server.send(bytes("answer"), to: clientAddress)
        let answer = try await client.receive()
        #expect(answer.bytes == bytes("answer") && answer.source == address)
        #expect(try await server.receive().bytes == bytes("a"))
        #expect(try await server.receive().bytes == bytes("b"))
    }

    @Test("5: empty datagrams are sent and received, in order", arguments: AddressFamily.allCases)
    func empty(family: AddressFamily) async throws {
        let (server, address) = try await boundSocket(family)
        let (client, clientAddress) = try await boundSocket(family)
        let contents = ["a", "", "", "", "b"]
        for content in contents { try await client.send(bytes(content), to: address) }
        for content in contents {
            let datagram = try await server.receive()
            #expect(datagram.bytes == bytes(content) && datagram.source == clientAddress)
        }
    }

    @Test("8: a datagram that is too long is cut, and says so", arguments: AddressFamily.allCases)
    func truncation(family: AddressFamily) async throws {
        let (server, address) = try await boundSocket(family, maximumDatagramSize: 100)
        let (client, _) = try await boundSocket(family)
        for length in [200, 100, 0] {
            try await client.send(Array(repeating: 7, count: length), to: address)
            let datagram = try await server.receive()
            #expect(datagram.bytes.count == min(length, 100) && datagram.isTruncated == (length > 100))
            #expect(datagram.length == length)
        }
    }

    @Test("7: the largest datagram passes; a larger one is refused alone", arguments: AddressFamily.allCases)
    func size(family: AddressFamily) async throws {
        let (server, address) = try await boundSocket(family)
        let (client, _) = try await boundSocket(family)
        let largest = family == .ipv4 ? 65_507 : 65_527
        let error = await #expect(throws: SocketError.self) {
            try await client.send(Array(repeating: 1, count: largest + 1), to: address)
        }
        #expect(error?.code == .tooLarge && error?.failureClass == .giveUp)
        try await client.send(Array(repeating: 2, count: largest), to: address)
        #expect(try await server.receive().bytes.count == largest)
    }

    @Test("What a caller does wrong is said, and changes nothing")
    func misuse() async throws {
        let (server, address) = try await boundSocket(.ipv4)
        let client = try UDPSocket(family: .ipv4)
        #expect(await socketErrorCode { try await client.send([1]) } == .notConnected)
        #expect(await socketErrorCode { try await client.send([1], to: .loopback(.ipv6, port: 9)) } == .wrongFamily)
        #expect(await socketErrorCode { try await client.bind(to: .loopback(.ipv6)) } == .wrongFamily)
        #expect(await socketErrorCode { try await client.bind(to: address) } == .addressInUse)
        #expect(await socketErrorCode { try await client.bind(port: 0, interface: "no-such-if") } == .noSuchInterface)
        let foreign = SocketAddress(.v4(IPv4Address(192, 0, 2, 1)), port: 0)
        #expect(await socketErrorCode { try await client.bind(to: foreign) } == .addressUnavailable)
        try await client.connect(to: address)
        #expect(
            await socketErrorCode { try await client.send([1], to: .loopback(.ipv4, port: 9)) } == .alreadyConnected
        )
        try await client.send([1])
        #expect(try await server.receive().bytes == [1])
    }

    @Test("A time-out ends the waiting, also one that is over at once, and loses no datagram")
    func receiveTimeout() async throws {
        let (server, address) = try await boundSocket(.ipv4)
        let (client, _) = try await boundSocket(.ipv4)
        for timeout in [Duration.zero, .zero, .milliseconds(1), .milliseconds(20)] {
            #expect(await socketErrorCode { _ = try await server.receive(timeout: timeout) } == .timedOut)
        }
        try await client.send(bytes("kept"), to: address)
        #expect(try await server.receive(timeout: .seconds(30)).bytes == bytes("kept"))
    }

    @Test("On a socket of both families with a peer, the other family receives nothing until it has none")
    func otherFamily() async throws {
        let socket = try UDPSocket()
        try await socket.bind(port: 0)
        let port = try await socket.localAddress.port
        let (peer, address) = try await boundSocket(.ipv4)
        let (stranger, _) = try await boundSocket(.ipv6)
        try await socket.connect(to: address)
        try await stranger.send(bytes("forged"), to: .loopback(.ipv6, port: port))
        try await peer.send(bytes("mine"), to: .loopback(.ipv4, port: port))
        #expect(try await socket.receive().bytes == bytes("mine"))
        try await socket.disconnect()
        try await stranger.send(bytes("welcome"), to: .loopback(.ipv6, port: port))
        // What came before may still be there.
        var received = try await socket.receive().bytes
        if received == bytes("forged") { received = try await socket.receive().bytes }
        #expect(received == bytes("welcome"))
    }

    @Test("What a socket does not read waits in the kernel, in order")
    func backPressure() async throws {
        let (server, address) = try await boundSocket(.ipv4)
        let (client, _) = try await boundSocket(.ipv4)
        for index in 0..<200 { try await client.send([UInt8(index)], to: address) }
        for index in 0..<200 { #expect(try await server.receive().bytes == [UInt8(index)]) }
    }
}
