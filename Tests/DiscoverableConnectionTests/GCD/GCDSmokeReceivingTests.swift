import DiscoverableConnection
import DiscoverableCore
import Foundation
import Testing

@Suite("GCD style in short: modes and filters", .timeLimit(.minutes(1)))
struct GCDSmokeReceivingTests {
    @Test("One at a time, then all, and nothing is lost in between")
    func modes() async throws {
        var server = GCDSmokeEnd()
        try server.socket.bind(toPort: 0, interface: "localhost")
        var client = try GCDSmokeEnd.receiving()
        for number in 0..<10 { client.send("\(number)", to: server.port, tag: number) }
        _ = await client.next(10)
        let port = client.port
        for number in 0..<3 {
            try server.socket.receiveOnce()
            #expect(await server.next() == .received("\(number)", from: port))
        }
        try server.socket.beginReceiving()
        #expect(await server.next(7) == (3..<10).map { .received("\($0)", from: port) })
    }

    @Test("What is told of many at once stops where the app says so, and goes on in order")
    func stopInside() async throws {
        var server = GCDSmokeEnd()
        try server.socket.bind(toPort: 0, interface: "localhost")
        var client = try GCDSmokeEnd.receiving()
        for number in 0..<10 { client.send("\(number)", to: server.port, tag: number) }
        _ = await client.next(10)
        server.recorder.onReceive = { socket, data, _ in if data == Data("3".utf8) { socket.pauseReceiving() } }
        try server.socket.beginReceiving()
        let port = client.port
        #expect(await server.next(4) == (0..<4).map { .received("\($0)", from: port) })
        server.recorder.onReceive = nil
        try server.socket.receiveOnce()
        #expect(await server.next() == .received("4", from: port))
        try server.socket.beginReceiving()
        #expect(await server.next(5) == (5..<10).map { .received("\($0)", from: port) })
    }

    @Test("A receive filter lets through what it wants, with what it made of it", arguments: [true, false])
    func receiveFilter(_ isAsynchronous: Bool) async throws {
        var server = GCDSmokeEnd()
        let filter = DispatchQueue(label: "filter")
        server.socket.setReceiveFilter(
            { data, _, context in
                guard let number = Int(String(decoding: data, as: UTF8.self)), number % 3 == 0 else { return false }
                context.pointee = "<\(number)>" as NSString
                return true
            },
            with: filter,
            isAsynchronous: isAsynchronous
        )
        try server.socket.bind(toPort: 0, interface: "localhost")
        var client = try GCDSmokeEnd.receiving()
        for number in 1...9 { client.send("\(number)", to: server.port, tag: number) }
        _ = await client.next(9)
        try server.socket.receiveOnce()
        #expect(await server.next() == .filtered("3", context: "<3>"))
        try server.socket.beginReceiving()
        #expect(await server.next(2) == [.filtered("6", context: "<6>"), .filtered("9", context: "<9>")])
    }

    @Test("33: what a send filter holds back counts as sent", arguments: [true, false])
    func sendFilter(_ isAsynchronous: Bool) async throws {
        var server = try GCDSmokeEnd.receiving()
        var client = try GCDSmokeEnd.receiving()
        client.socket.setSendFilter(
            { _, address, tag in GCDAsyncUdpSocket.isIPv4Address(address) && tag != 2 },
            with: DispatchQueue(label: "filter"),
            isAsynchronous: isAsynchronous
        )
        for tag in 1...3 { client.send("\(tag)", to: server.port, tag: tag) }
        #expect(await client.next(3) == [.sent(1), .sent(2), .sent(3)])
        let port = client.port
        #expect(await server.next(2) == [.received("1", from: port), .received("3", from: port)])
    }

    @Test("41, B19: what a filter says after the socket was closed is not told")
    func lateFilter() async throws {
        var server = GCDSmokeEnd()
        let filter = DispatchQueue(label: "filter")
        let (asked, ask) = AsyncStream<Void>.makeStream()
        let answer = DispatchSemaphore(value: 0)
        server.socket.setReceiveFilter(
            { _, _, _ in
                ask.yield()
                answer.wait()
                return true
            },
            with: filter
        )
        try server.socket.bind(toPort: 0, interface: "localhost")
        try server.socket.beginReceiving()
        let client = GCDSmokeEnd()
        client.send("x", to: server.port)
        var iterator = asked.makeAsyncIterator()
        _ = await iterator.next()
        server.socket.close()
        answer.signal()
        #expect(await server.next() == .closed(0))
        // The filter's queue is empty now: what it says would have been told by the next closing.
        await withCheckedContinuation { continuation in filter.async { continuation.resume() } }
        try server.socket.bind(toPort: 0, interface: "localhost")
        server.socket.close()
        #expect(await server.next() == .closed(0))
    }
}
