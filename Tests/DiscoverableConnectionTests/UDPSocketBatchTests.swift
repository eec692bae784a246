import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Testing

@Suite("Batches, handlers and several consumers", .timeLimit(.minutes(1)))
struct UDPSocketBatchTests {
    /// What arrives when `contents` are sent at once, as one batch or several.
    private func batches(_ contents: [[UInt8]], usesOffloads: Bool) async throws -> [DatagramBatch] {
        var options = UDPSocket.Options()
        options.offloads = usesOffloads ? .all : .none
        options.maximumDatagramSize = 1000
        let server = try UDPSocket(family: .ipv4, options: options)
        try await server.bind(to: .loopback(.ipv4))
        let address = try await server.localAddress
        let client = try UDPSocket(family: .ipv4)
        let outcomes = await client.send(contents.map { OutgoingDatagram(bytes: $0, to: address) })
        #expect(outcomes.allSatisfy { $0 == nil })
        var batches: [DatagramBatch] = []
        while batches.reduce(0, { $0 + $1.count }) < contents.count { batches.append(try await server.receiveBatch()) }
        return batches
    }

    @Test("Read in place is the same as one by one", arguments: [true, false])
    func inPlace(usesOffloads: Bool) async throws {
        let lengths = [100, 100, 100, 37, 0, 100, 1200, 1200, 5, 0, 0, 1000, 1, 1]
        let contents = lengths.enumerated().map { Array(repeating: UInt8($0.offset), count: $0.element) }
        var index = 0
        for batch in try await batches(contents, usesOffloads: usesOffloads) {
            var places: [([UInt8], SocketAddress)] = []
            batch.forEachInPlace { places.append((array($0), $1)) }
            #expect(places.count == batch.count && batch.indices == 0..<batch.count)
            for (place, datagram) in batch.enumerated() {
                let content = contents[index]
                #expect(datagram.bytes == Array(content.prefix(1000)) && datagram.length == content.count)
                #expect(datagram.isTruncated == (content.count > 1000))
                #expect(batch.withBytes(at: place, array) == datagram.bytes)
                #expect(places[place].0 == datagram.bytes && places[place].1 == datagram.source)
                #expect(batch.source(at: place) == datagram.source && batch[place] == datagram)
                let header = batch.header(at: place)
                #expect(header == datagram.header)
                index += 1
            }
            #expect(batch.prefix(2).map(\.bytes) == Array(batch).prefix(2).map(\.bytes))
            #expect(batch.dropFirst(2).map(\.bytes) == Array(batch).dropFirst(2).map(\.bytes))
            #expect(batch.dropFirst(.max).isEmpty && batch.prefix(0).isEmpty && batch.prefix(.max).count == batch.count)
        }
        #expect(index == contents.count)
    }

    @Test("A batch keeps its bytes, whatever arrives later")
    func keeping() async throws {
        let (server, address) = try await boundSocket(.ipv4)
        let client = try UDPSocket(family: .ipv4)
        var kept: [DatagramBatch] = []
        for index in 0..<40 as Range<UInt8> {
            try await client.send(Array(repeating: index, count: 100), to: address)
            kept.append(try await server.receiveBatch())
        }
        for (index, batch) in kept.enumerated() {
            #expect(batch.map(\.bytes) == [Array(repeating: UInt8(index), count: 100)])
        }
    }

    @Test("Chunks of one batch come in order, and one datagram may be taken from it before the rest")
    func mixed() async throws {
        let (server, address) = try await boundSocket(.ipv4)
        let client = try UDPSocket(family: .ipv4)
        for index in 0..<200 as Range<UInt8> { try await client.send([index], to: address) }
        var numbers: [UInt8] = []
        while numbers.count < 200 {
            numbers += try await server.receive().bytes
            guard numbers.count < 200 else { break }
            numbers += try await server.receiveBatch().flatMap(\.bytes)
        }
        #expect(numbers == Array(0..<200))
    }

    @Test("A handler gets everything while it is set, also what waited; then the sequences do")
    func handler() async throws {
        let (server, address) = try await boundSocket(.ipv4)
        let client = try UDPSocket(family: .ipv4)
        try await client.send([0], to: address)
        try await client.send([1], to: address)
        #expect(try await server.receive().bytes == [0])
        for round in 0..<3 as Range<UInt8> {
            let answer = Task { try await server.receive().bytes }
            if round == 0 { #expect(try await answer.value == [1]) }
            await server.onReceive { socket, batch in
                for datagram in batch { try? socket.enqueue(datagram.bytes + [9], to: datagram.source) }
            }
            for index in 0..<50 as Range<UInt8> {
                try await client.send([round, index], to: address)
                #expect(try await client.receive().bytes == [round, index, 9])
            }
            await server.onReceive(nil)
            try await client.send([round, 100], to: address)
            if round > 0 { #expect(try await answer.value == [round, 100]) }
            if round == 0 { #expect(try await server.receive().bytes == [round, 100]) }
        }
    }

    @Test("A handler can end itself, and close its socket")
    func handlerEnds() async throws {
        let (server, address) = try await boundSocket(.ipv4)
        let client = try UDPSocket(family: .ipv4)
        let (ends, ended) = AsyncStream.makeStream(of: Void.self)
        await server.onReceive { socket, _ in
            socket.assumeIsolated { $0.onReceive(nil) }
            ended.yield()
        }
        try await client.send([1], to: address)
        var iterator = ends.makeAsyncIterator()
        await iterator.next()
        try await client.send([2], to: address)
        #expect(try await server.receive().bytes == [2])
        await server.onReceive { socket, _ in socket.assumeIsolated { $0.close() } }
        try await client.send([3], to: address)
        for await _ in server.datagrams {}
        #expect(await socketErrorCode { _ = try await server.receive() } == .closed)
    }

    @Test("Several consumers share the datagrams: each goes to one of them")
    func consumers() async throws {
        let (server, address) = try await boundSocket(.ipv4)
        let client = try UDPSocket(family: .ipv4)
        let counts = Locked(Array(repeating: 0, count: 400))
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        @Sendable func note(_ content: [UInt8]) {
            counts.withLock { $0[Int(content[0]) * 20 + Int(content[1])] += 1 }
            arrived.yield()
        }
        let consumers = (0..<6).map { index in
            Task {
                if index % 2 == 0 {
                    for await datagram in server.datagrams { note(datagram.bytes) }
                } else {
                    for await batch in server.batches { for datagram in batch { note(datagram.bytes) } }
                }
            }
        }
        var events = arrivals.makeAsyncIterator()
        for round in 0..<20 as Range<UInt8> {
            for index in 0..<20 as Range<UInt8> { try await client.send([round, index], to: address) }
            for _ in 0..<20 { await events.next() }
        }
        await server.close()
        for consumer in consumers { await consumer.value }
        #expect(counts.withLock { $0 } == Array(repeating: 1, count: 400))
    }
}

private func array(_ bytes: Span<UInt8>) -> [UInt8] { bytes.indices.map { bytes[$0] } }
