import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Testing

@Suite("Many datagrams at once", .timeLimit(.minutes(1)))
struct UDPSocketManyTests {
    @Test(
        "Each datagram has a result of its own; what cannot be sent stops no other",
        arguments: AddressFamily.allCases
    )
    func results(family: AddressFamily) async throws {
        let (server, address) = try await boundSocket(family)
        let (client, _) = try await boundSocket(family)
        let foreign = SocketAddress.loopback(family == .ipv4 ? .ipv6 : .ipv4, port: 9)
        let largest = family == .ipv4 ? 65_507 : 65_527
        let datagrams = [
            OutgoingDatagram(bytes: bytes("a"), to: address),
            OutgoingDatagram(bytes: Array(repeating: 1, count: largest + 1), to: address),
            OutgoingDatagram(bytes: [], to: address),
            OutgoingDatagram(bytes: bytes("nowhere")),
            OutgoingDatagram(bytes: bytes("b"), to: foreign),
            OutgoingDatagram(bytes: bytes("c"), to: address),
        ]
        let outcomes = await client.send(datagrams)
        #expect(outcomes.map { $0?.code } == [nil, .tooLarge, nil, .notConnected, .wrongFamily, nil])
        for content in ["a", "", "c"] { #expect(try await server.receive().bytes == bytes(content)) }
        #expect(await client.send([]).isEmpty)
        await client.close()
        #expect(await client.send([datagrams[0]]).map { $0?.code } == [.closed])
    }

    @Test("Datagrams to several peers keep their order at each of them")
    func peers() async throws {
        let (client, _) = try await boundSocket(.ipv4)
        let servers = [try await boundSocket(.ipv4), try await boundSocket(.ipv4), try await boundSocket(.ipv4)]
        let datagrams = (0..<90).map { OutgoingDatagram(bytes: [UInt8($0)], to: servers[$0 % 3].1) }
        #expect(await client.send(datagrams).allSatisfy { $0 == nil })
        for index in 0..<90 { #expect(try await servers[index % 3].0.receive().bytes == [UInt8(index)]) }
    }

    @Test("3: datagrams behind one that a closed port refuses arrive, and each completes")
    func refusedAmongOthers() async throws {
        let (server, address) = try await boundSocket(.ipv4)
        let (client, _) = try await boundSocket(.ipv4)
        let nobody = try await closedPort(.ipv4)
        let datagrams = (0..<60).map { OutgoingDatagram(bytes: [UInt8($0)], to: $0 % 2 == 0 ? nobody : address) }
        #expect(await client.send(datagrams).allSatisfy { $0 == nil })
        for index in 0..<30 { #expect(try await server.receive().bytes == [UInt8(2 * index + 1)]) }
    }

    @Test("What is enqueued leaves in order, at the end of the step or at once, and mixes with what is sent")
    func enqueued() async throws {
        let (server, address) = try await boundSocket(.ipv4)
        let (client, _) = try await boundSocket(.ipv4)
        for index in 0..<50 as Range<UInt8> { try client.enqueue([index], to: address) }
        try await Task(executorPreference: client.taskExecutor) {
            for index in 50..<100 as Range<UInt8> { try client.enqueue([index], to: address) }
            try await client.send([100], to: address)
            for index in 101..<150 as Range<UInt8> { try client.enqueue([index], to: address) }
            client.flush()
            for index in 150..<200 as Range<UInt8> { try client.enqueue([index], to: address) }
        }.value
        try client.enqueue([200], to: address)
        for index in 0...200 as ClosedRange<UInt8> { #expect(try await server.receive().bytes == [index]) }
    }

    @Test("What the kernel refuses of the enqueued is told by an event", arguments: [true, false])
    func enqueuedAndRefused(isOnLoop: Bool) async throws {
        let (server, address) = try await boundSocket(.ipv4)
        let (client, _) = try await boundSocket(.ipv4)
        let tooLarge = Array(repeating: 1 as UInt8, count: 65_508)
        if isOnLoop {
            var failures = client.errors.makeAsyncIterator()
            try await Task(executorPreference: client.taskExecutor) {
                try client.enqueue(tooLarge, to: address)
                try client.enqueue([2], to: address)
            }.value
            let failure = await failures.next()
            #expect(failure?.error.code == .tooLarge && failure?.origin == .local && failure?.peer == address)
            #expect(failure?.datagrams == 1)
        } else {
            #expect(await socketErrorCode { try client.enqueue(tooLarge, to: address) } == .tooLarge)
            try client.enqueue([2], to: address)
        }
        #expect(try await server.receive().bytes == [2])
    }

    @Test("Each of very many has the result that is its own, however they are divided among calls")
    func veryMany() async throws {
        let (server, address) = try await boundSocket(.ipv4)
        let (client, _) = try await boundSocket(.ipv4)
        // More messages than a call takes; the last one is refused long after the first ones have left.
        var datagrams = (0..<150).map {
            OutgoingDatagram(bytes: Array(repeating: 1, count: 1 + $0 % 2 * $0), to: address)
        }
        datagrams.append(OutgoingDatagram(bytes: Array(repeating: 1, count: 65_508), to: address))
        for _ in 0..<5 {
            let codes = await client.send(datagrams).map { $0?.code }
            #expect(codes == Array(repeating: nil, count: 150) + [.tooLarge])
            for datagram in datagrams.dropLast() { #expect(try await server.receive().length == datagram.bytes.count) }
        }
    }
}
