import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Testing

/// A socket on the loopback interface that plays the server by hand.
struct LoopbackServer: Sendable {
    let socket: UDPSocket
    let address: SocketAddress

    var host: String { "127.0.0.1" }
    var port: UInt16 { address.port }

    init() async throws {
        socket = try UDPSocket(family: .ipv4)
        try await socket.bind(to: SocketAddress(.v4(.loopback), port: 0))
        address = try await socket.localAddress
    }

    /// The next datagram.
    func receive() async throws -> (text: String, source: SocketAddress) {
        let datagram = try await socket.receive()
        return (String(decoding: datagram.bytes, as: UTF8.self), datagram.source)
    }

    /// The next datagram that is neither a greeting nor an acknowledgement.
    func receiveMessage() async throws -> String {
        while true {
            let text = try await receive().text
            if !text.hasPrefix("dscv_discover"), text != "dscv_ack" { return text }
        }
    }

    func send(_ text: String, to client: SocketAddress) async throws {
        try await socket.send(Array(text.utf8), to: client)
    }

    /// Waits for a greeting and admits its sender.
    @discardableResult
    func admit() async throws -> SocketAddress {
        let (text, client) = try await receive()
        #expect(text.hasPrefix("dscv_discover"))
        for word in ["dscv_ack", "dscv_shake:127.0.0.1"] { try await send(word, to: client) }
        return client
    }

    /// Takes the next message and acknowledges it.
    @discardableResult
    func acknowledge(_ client: SocketAddress) async throws -> String {
        let text = try await receiveMessage()
        try await send("dscv_ack", to: client)
        return text
    }

    /// All that has arrived until now, which is then taken: a mark of our own tells where to stop.
    func arrived() async throws -> [String] {
        let marker = try UDPSocket(family: .ipv4)
        try await marker.send(Array("the mark".utf8), to: address)
        var texts: [String] = []
        while true {
            let text = try await receive().text
            if text == "the mark" { return texts }
            texts.append(text)
        }
    }
}

/// A port of the loopback interface on which nobody listens, and that the kernel gives to no other test.
func closedPort() async throws -> UInt16 {
    while true {
        let socket = try UDPSocket(family: .ipv4)
        let port = UInt16.random(in: 20_000..<30_000)
        guard (try? await socket.bind(to: SocketAddress(.v4(.loopback), port: port))) != nil else { continue }
        await socket.close()
        return port
    }
}
