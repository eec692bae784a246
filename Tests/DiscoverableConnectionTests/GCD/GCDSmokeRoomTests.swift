import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Foundation
import Testing

@Suite("GCD style in short: no room in the kernel", .timeLimit(.minutes(1)), .needsNamespaces)
struct GCDSmokeRoomTests {
    private let hosts: TwoHosts
    private let server: UDPSocket

    init() async throws {
        hosts = try await TwoHosts()
        try await hosts.stall()
        server = try await hosts.second.socket(at: try SocketAddress("192.0.2.2", 9))
    }

    /// A socket whose datagrams wait in the first host's kernel: room for some of 500 bytes.
    private func blockedEnd() async throws -> GCDSmokeEnd {
        let end = Carrying(GCDSmokeEnd())
        // In one piece, all would find room at once.
        end.value.socket.setOffloads(.none)
        return try await hosts.first.onLoop {
            Result {
                // A socket lives in the namespace of the thread that opens it.
                try end.value.socket.bind(toPort: 0)
                end.value.socket.perform {
                    var size: Int32 = 2304
                    _ = unsafe setsockopt(end.value.socket.socket4FD(), SOL_SOCKET, SO_SNDBUF, &size, 4)
                }
                return end
            }
        }.get().value
    }

    private func send(_ end: GCDSmokeEnd, _ tags: Range<Int>, timeout: (Int) -> TimeInterval) {
        for tag in tags {
            let data = Data([UInt8(tag)] + Array(repeating: 1, count: 499))
            end.socket.send(data, toHost: "192.0.2.2", port: 9, withTimeout: timeout(tag), tag: tag)
        }
    }

    @Test("6, B1: what found no room leaves when there is some, in order")
    func stall() async throws {
        var end = try await blockedEnd()
        send(end, 0..<20) { _ in -1 }
        #expect(await end.next() == .sent(0))
        try await hosts.resume()
        #expect(await end.next(19) == (1..<20).map { .sent($0) })
        for number in 0..<20 { #expect(try await server.receive().bytes[0] == UInt8(number)) }
    }

    @Test("27: a time-out is told to its tag, and the next one follows")
    func timeout() async throws {
        var end = try await blockedEnd()
        send(end, 0..<10) { $0 == 9 ? -1 : 0.05 }
        var sent: [GCDSmokeEvent] = []
        var failed: [GCDSmokeEvent] = []
        while sent.count + failed.count < 9, let event = await end.next() {
            if case .sent = event { sent.append(event) } else { failed.append(event) }
        }
        #expect(sent == (0..<sent.count).map { .sent($0) })
        #expect(!failed.isEmpty)
        #expect(failed == (sent.count..<9).map { .notSent($0, code: 3) })
        try await hosts.resume()
        #expect(await end.next() == .sent(9))
    }

    @Test("43: closing drops what waits, without a word")
    func close() async throws {
        var end = try await blockedEnd()
        send(end, 0..<20) { _ in -1 }
        #expect(await end.next() == .sent(0))
        end.socket.close()
        var last: GCDSmokeEvent?
        while let event = await end.next(), event != .closed(0) { last = event }
        guard case .sent(let tag)? = last else { return }
        #expect(tag < 19)
    }
}

/// A test's own objects on their way to another thread.
private struct Carrying<Value>: @unchecked Sendable {  // safe because one thread uses it at a time
    let value: Value
    init(_ value: Value) { self.value = value }
}
