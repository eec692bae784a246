import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Testing

/// Whatever the kernel joins and cuts on the way, the datagrams are the same.
@Suite("Segmentation and coalescing", .timeLimit(.minutes(1)))
struct OffloadTests {
    /// Both ways to send, with and without offloads on each side.
    struct Combination: Sendable, CustomTestStringConvertible {
        let family: AddressFamily
        let sends: Bool
        let receives: Bool

        static let all = AddressFamily.allCases.flatMap { family in
            [true, false].flatMap { sends in
                [true, false].map { Combination(family: family, sends: sends, receives: $0) }
            }
        }

        var testDescription: String { "\(family), sends with: \(sends), receives with: \(receives)" }
    }

    /// Of its own, so that so much traffic holds nobody up.
    private let loop: EventLoop

    init() throws { loop = try EventLoop() }

    private func socket(_ family: AddressFamily, usesOffloads: Bool, limit: Int = 65_535) async throws -> UDPSocket {
        var options = UDPSocket.Options()
        options.offloads = usesOffloads ? .all : .none
        options.maximumDatagramSize = limit
        let socket = try UDPSocket(family: family, options: options, loop: loop)
        try await socket.bind(to: .loopback(family))
        return socket
    }

    /// Has the datagrams leave together, and returns once the kernel has them.
    private func send(_ contents: [[UInt8]], from socket: UDPSocket, to address: SocketAddress, enqueued: Bool) async {
        if enqueued {
            await Task(executorPreference: socket.taskExecutor) {
                for content in contents { #expect(throws: Never.self) { try socket.enqueue(content, to: address) } }
                socket.flush()
            }.value
        } else {
            let outcomes = await socket.send(contents.map { OutgoingDatagram(bytes: $0, to: address) })
            #expect(outcomes.allSatisfy { $0 == nil })
        }
    }

    /// Lengths that together fit into any receive buffer: equal ones, short last ones, empty ones and mixtures.
    private func lengths(_ window: Int) -> [Int] {
        switch window % 8 {
        case 0: Array(repeating: 1200, count: 48)
        case 1: Array(repeating: 100, count: 64) + [1]
        case 2: (0..<60).map { $0 % 10 == 9 ? 33 : 500 }
        case 3: Array(repeating: 0, count: 20) + Array(repeating: 9, count: 20) + [0] + Array(repeating: 9, count: 20)
        case 4: (0..<60).map { ($0 * $0 * 37 + window) % 800 }
        case 5: (0..<60).map { 600 - 10 * $0 }
        case 6: (0..<60).map { 10 + 10 * $0 }
        default: [1] + Array(repeating: 2, count: 60) + [1, 0, 1]
        }
    }

    @Test("24: thousands of datagrams arrive unchanged and in order", arguments: Combination.all)
    func unchanged(_ combination: Combination) async throws {
        let server = try await socket(combination.family, usesOffloads: combination.receives)
        let client = try await socket(combination.family, usesOffloads: combination.sends)
        let address = try await server.localAddress
        let source = try await client.localAddress
        var number = 0
        for window in 0..<40 {
            let contents = lengths(window).map { length in
                number += 1
                return Array(repeating: UInt8(truncatingIfNeeded: number &* 7), count: length)
            }
            await send(contents, from: client, to: address, enqueued: window % 3 == 0)
            var arrived: [[UInt8]] = []
            while arrived.count < contents.count {
                for datagram in try await server.receiveBatch() {
                    #expect(datagram.source == source && datagram.droppedBefore == 0 && !datagram.isTruncated)
                    arrived.append(datagram.bytes)
                }
            }
            try #require(arrived == contents, "window \(window)")
        }
        #expect(number > 2000)
    }

    @Test("8: datagrams longer than the limit are cut each by itself", arguments: [100, 1, 0], [true, false])
    func limit(limit: Int, usesOffloads: Bool) async throws {
        let server = try await socket(.ipv4, usesOffloads: usesOffloads, limit: limit)
        let client = try await socket(.ipv4, usesOffloads: true)
        let contents = (0..<50 as Range<UInt8>).map { Array(repeating: $0, count: $0 == 49 ? 150 : 200) } + [[], [7]]
        await send(contents, from: client, to: try await server.localAddress, enqueued: false)
        for content in contents {
            let datagram = try await server.receive()
            #expect(datagram.bytes == Array(content.prefix(limit)) && datagram.length == content.count)
            #expect(datagram.isTruncated == (content.count > limit))
        }
    }

    @Test("24: more than the kernel cuts in one go, in segments and in bytes", arguments: AddressFamily.allCases)
    func bounds(family: AddressFamily) async throws {
        let server = try await socket(family, usesOffloads: true)
        try await server.setReceiveBufferSize(1 << 20)
        let client = try await socket(family, usesOffloads: true)
        let address = try await server.localAddress
        for (length, count, last) in [(10, 65, 10), (10, 64, 1), (10, 129, 3), (1400, 60, 9), (16_000, 5, 16_000)] {
            var contents = (0..<count).map { Array(repeating: UInt8($0), count: length) }
            contents[count - 1] = Array(repeating: 255, count: last)
            await send(contents, from: client, to: address, enqueued: false)
            for content in contents { #expect(try await server.receive().bytes == content, "\(count) of \(length)") }
        }
        let largest = Array(repeating: 1 as UInt8, count: family == .ipv4 ? 65_507 : 65_527)
        try await client.send(largest, to: address)
        #expect(try await server.receive().bytes == largest)
    }

    @Test(
        "24: where a link is too narrow for segments, the same datagrams leave one by one",
        .needsNamespaces,
        arguments: AddressFamily.allCases
    )
    func narrowLink(family: AddressFamily) async throws {
        let hosts = try await TwoHosts()
        let address = try SocketAddress(family == .ipv4 ? "192.0.2.2" : "fd00::2", 7)
        let server = try await hosts.second.socket(family, at: address)
        let client = try await hosts.first.socket(family)
        for length in [1600, 1400, 1600] {
            let contents = (0..<20 as Range<UInt8>).map { Array(repeating: $0, count: length) }
            await send(contents, from: client, to: address, enqueued: length == 1400)
            for content in contents { #expect(try await server.receive().bytes == content) }
        }
        // Where fragments are forbidden too, each is refused by itself, and what is small enough passes.
        try await client.setFragmentation(.forbidden)
        let datagrams = [1600, 1600, 1000, 1600].map { length in
            OutgoingDatagram(bytes: Array(repeating: 1, count: length), to: address)
        }
        #expect(await client.send(datagrams).map { $0?.code } == [.tooLarge, .tooLarge, nil, .tooLarge])
        #expect(try await server.receive().length == 1000)
    }

    @Test("24: between two hosts as on one", .needsNamespaces, arguments: [true, false])
    func betweenHosts(usesOffloads: Bool) async throws {
        let hosts = try await TwoHosts()
        let address = try SocketAddress("192.0.2.2", 7)
        var options = UDPSocket.Options()
        options.offloads = usesOffloads ? .all : .none
        let server = try await hosts.second.socket(at: address)
        let client = try await hosts.first.socket(options: options)
        for window in 0..<16 {
            let contents = lengths(window).map { Array(repeating: UInt8(window), count: $0) }
            await send(contents, from: client, to: address, enqueued: window % 2 == 0)
            for content in contents { #expect(try await server.receive().bytes == content) }
        }
    }
}
