import DiscoverableConnection
import DiscoverableCore
import Foundation
import Testing

@Suite("GCD style in short: closing, queues and delegates", .timeLimit(.minutes(1)))
struct GCDSmokeClosingTests {
    @Test("Closing is told once, without an error, after what was sent before; the port is free")
    func close() async throws {
        var server = try GCDSmokeEnd.receiving()
        var end = try GCDSmokeEnd.receiving()
        let port = end.port
        end.send("last", to: server.port, tag: 7)
        end.socket.close()
        end.socket.close()
        #expect(end.socket.isClosed())
        #expect(end.socket.localPort() == 0)
        #expect(await end.next(2) == [.sent(7), .closed(0)])
        #expect(await server.next() == .received("last", from: port))
        try end.socket.bind(toPort: 0, interface: "localhost")
        end.socket.close()
        #expect(await end.next() == .closed(0))
    }

    @Test("closeAfterSending waits for look-ups and filters before it")
    func closeAfterSending() async throws {
        var server = try GCDSmokeEnd.receiving()
        var end = try GCDSmokeEnd.receiving()
        let port = end.port
        let filter = DispatchQueue(label: "filter")
        filter.suspend()
        end.socket.setSendFilter({ _, _, _ in true }, with: filter)
        for tag in 0..<3 { end.send("\(tag)", to: server.port, tag: tag) }
        end.socket.closeAfterSending()
        filter.resume()
        #expect(await end.next(4) == [.sent(0), .sent(1), .sent(2), .closed(0)])
        #expect(await server.next(3) == (0..<3).map { .received("\($0)", from: port) })
        end.socket.closeAfterSending()
        try end.socket.bind(toPort: 0, interface: "localhost")
        end.socket.closeAfterSending()
        #expect(await end.next() == .closed(0))
    }

    @Test("B14: a socket that nobody refers to closes")
    func abandoned() async throws {
        var end: GCDSmokeEnd? = try GCDSmokeEnd.receiving()
        let port = try #require(end?.port)
        end = nil
        let other = try UDPSocket(family: .ipv4)
        try await bindSoon(other, to: .loopback(.ipv4, port: port))
        await other.close()
    }

    @Test("1a: what cannot be done says why")
    func preconditions() async throws {
        let end = GCDSmokeEnd()
        let socket = end.socket
        let domain = GCDAsyncUdpSocketErrorDomain
        #expect(try #require(gcdSmokeError { try socket.receiveOnce() }) == (domain, 1))
        #expect(try #require(gcdSmokeError { try socket.joinMulticastGroup("239.1.2.3") }) == (domain, 1))
        #expect(try #require(gcdSmokeError { try socket.bind(toPort: 0, interface: "no such") }) == (domain, 2))
        #expect(try #require(gcdSmokeError { try socket.bind(toAddress: Data([1])) }) == (domain, 2))
        try socket.bind(toPort: 0, interface: "lo")
        #expect(try #require(gcdSmokeError { try socket.bind(toPort: 0) }) == (domain, 1))
        #expect(try #require(gcdSmokeError { try socket.joinMulticastGroup("127.0.0.1") }) == (domain, 2))
        let other = GCDSmokeEnd()
        #expect(
            try #require(gcdSmokeError { try other.socket.bind(toPort: socket.localPort(), interface: "lo") })
                == (NSPOSIXErrorDomain, Int(EADDRINUSE))
        )
        other.socket.setDelegate(nil)
        #expect(try #require(gcdSmokeError { try other.socket.bind(toPort: 0) }) == (domain, 1))
        #expect(throws: GCDAsyncUdpSocketError.badConfigError) { try other.socket.enableBroadcast(true) }
    }

    @Test("A host without an address: the socket can be connected again")
    func connectFails() async throws {
        var end = GCDSmokeEnd()
        try end.socket.connect(toHost: "no-such-host.invalid", onPort: 9)
        guard case .notConnected("kCFStreamErrorDomainNetDB", _)? = await end.next() else {
            return #expect(Bool(false), "the look-up's error was expected")
        }
        try end.socket.connect(toHost: "127.0.0.1", onPort: 9)
        #expect(await end.next() == .connected(port: 9))
        #expect(end.socket.connectedHost() == "127.0.0.1")
        #expect(end.socket.isIPv4() && !end.socket.isIPv6())
    }

    @Test("48: perform is exclusive and shows descriptors; a marked queue may call")
    func queues() async throws {
        let target = DispatchQueue(label: "target")
        let queue = DispatchQueue(label: "socket", target: target)
        let end = GCDSmokeEnd(socketQueue: queue)
        end.socket.markSocketQueueTargetQueue(target)
        try end.socket.bind(toPort: 0)
        #expect(end.socket.socketFD() == -1)
        let (port, descriptor, inner) = target.sync { () -> (UInt16, Int32, Int32) in
            var inner: Int32 = -1
            end.socket.perform { inner = end.socket.socket6FD() }
            return (end.socket.localPort(), end.socket.socketFD(), inner)
        }
        #expect(port != 0 && descriptor >= 0 && inner >= 0 && inner != descriptor)
        end.socket.close()
    }

    @Test("Delegates that implement the optional errors, or nothing, are called as well")
    func spellings() async throws {
        final class Older: NSObject, GCDAsyncUdpSocketDelegate {
            let continuation: AsyncStream<String>.Continuation
            init(_ continuation: AsyncStream<String>.Continuation) { self.continuation = continuation }
            func udpSocket(_ sock: GCDAsyncUdpSocket, didNotSendDataWithTag tag: Int, dueToError error: (any Error)?) {
                continuation.yield("not sent \(tag) \((error as NSError?)?.code ?? 0)")
            }
            func udpSocketDidClose(_ sock: GCDAsyncUdpSocket, withError error: (any Error)?) {
                continuation.yield("closed \(error == nil)")
            }
        }
        final class Nothing: NSObject, GCDAsyncUdpSocketDelegate {}
        let (events, continuation) = AsyncStream<String>.makeStream()
        var iterator = events.makeAsyncIterator()
        let older = Older(continuation)
        let socket = GCDAsyncUdpSocket(delegate: older, delegateQueue: DispatchQueue(label: "delegate"))
        socket.send(Data([1]), withTimeout: -1, tag: 5)
        socket.close()
        #expect(await iterator.next() == "not sent 5 1")
        #expect(await iterator.next() == "closed true")
        let nothing = Nothing()
        let queue = DispatchQueue(label: "delegate")
        let silent = GCDAsyncUdpSocket(delegate: nothing, delegateQueue: queue)
        silent.send(Data([1]), withTimeout: -1, tag: 5)
        silent.close()
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }
}
