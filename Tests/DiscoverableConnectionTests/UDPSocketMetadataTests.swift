import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Glibc
import Testing

@Suite("What comes beside a datagram", .timeLimit(.minutes(1)))
struct UDPSocketMetadataTests {
    private func socket(_ family: AddressFamily, metadata: ReceiveMetadata) async throws -> (UDPSocket, SocketAddress) {
        var options = UDPSocket.Options()
        options.metadata = metadata
        let socket = try UDPSocket(family: family, options: options)
        try await socket.bind(to: .loopback(family))
        return (socket, try await socket.localAddress)
    }

    @Test("Everything that was asked for, and nothing else", arguments: AddressFamily.allCases)
    func kinds(family: AddressFamily) async throws {
        let loopback = try #require(InterfaceIndex(named: "lo"))
        let (client, source) = try await boundSocket(family)
        let kinds: [ReceiveMetadata] = [
            [], .destination, .trafficClass, .timestamp, .standard, .all,
        ]
        for metadata in kinds {
            let (server, address) = try await socket(family, metadata: metadata)
            let before = realTime()
            try await client.send([1], to: address, options: SendOptions(trafficClass: TrafficClass(rawValue: 0xba)))
            let datagram = try await server.receive()
            let after = realTime()
            let isAddressed = metadata.contains(.destination)
            #expect(datagram.source == source && datagram.droppedBefore == 0 && datagram.length == 1)
            #expect(datagram.destination == (isAddressed ? address.ip : nil))
            #expect(datagram.interface == (isAddressed ? loopback : nil))
            let isClassed = metadata.contains(.trafficClass)
            #expect(datagram.trafficClass == (isClassed ? TrafficClass(rawValue: 0xba) : nil))
            #expect((datagram.timestamp != nil) == metadata.contains(.timestamp))
            if let timestamp = datagram.timestamp { #expect(before <= timestamp && timestamp <= after) }
        }
    }

    private func realTime() -> Duration {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    @Test("14: the marks of congestion go both ways in both families", arguments: AddressFamily.allCases)
    func congestion(family: AddressFamily) async throws {
        // Of both families: IPv4 leaves by an IPv4 socket, where its option is IP_TOS, never as ::ffff:0:0/96 by an IPv6 one.
        var metadata = UDPSocket.Options()
        metadata.metadata = .trafficClass
        let server = try UDPSocket(options: metadata)
        try await server.bind(port: 0)
        let address = SocketAddress.loopback(family, port: try await server.localAddress.port)
        let client = try UDPSocket(options: metadata)
        for mark in ExplicitCongestionNotification.allCases {
            let trafficClass = TrafficClass(dscp: 0, ecn: mark)
            try await client.send([1], to: address, options: SendOptions(trafficClass: trafficClass))
            let question = try await server.receive()
            #expect(question.trafficClass == trafficClass)
            try await server.setTrafficClass(trafficClass)
            try await server.reply([2], to: question)
            #expect(try await client.receive().trafficClass?.ecn == mark)
        }
        // Many in one message that the kernel cuts carry it too.
        let options = SendOptions(trafficClass: TrafficClass(dscp: 10, ecn: .ect0))
        let datagrams = (0..<20).map { OutgoingDatagram(bytes: [UInt8($0)], to: address, options: options) }
        #expect(await client.send(datagrams).allSatisfy { $0 == nil })
        for _ in 0..<20 { #expect(try await server.receive().trafficClass == options.trafficClass) }
    }

    @Test("Every datagram is received or counted as dropped, to the datagram", arguments: [true, false])
    func drops(usesOffloads: Bool) async throws {
        var options = UDPSocket.Options()
        options.receiveBufferSize = 4096
        options.offloads = usesOffloads ? .all : .none
        let loop = try EventLoop()
        let server = try UDPSocket(family: .ipv4, options: options, loop: loop)
        try await server.bind(to: .loopback(.ipv4))
        let address = try await server.localAddress
        let client = try UDPSocket(family: .ipv4, loop: loop)
        // Nobody reads yet: most of these find no room.
        for number in 0..<500 as Range<UInt32> { try await client.send(content(number), to: address) }
        // It never waits: on the pool it would keep a thread from the others.
        let flood = Task(executorPreference: try EventLoop().taskExecutor) {
            var number: UInt32 = 500
            while !Task.isCancelled {
                try await client.send(content(number), to: address)
                number += 1
            }
        }
        var (received, dropped) = (0 as UInt32, 0 as UInt32)
        for await datagram in server.datagrams {
            received += 1
            dropped += datagram.droppedBefore
            // The number of this datagram is how many were sent before it.
            let number = datagram.bytes.reduce(0) { $0 << 8 | UInt32($1) }
            guard received + dropped == number + 1 else {
                Issue.record("\(received) received and \(dropped) dropped of \(number + 1)")
                break
            }
            if received == 2000 { break }
        }
        flood.cancel()
        _ = try? await flood.value
        #expect(received == 2000 && dropped >= 400)
    }

    private func content(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }

    @Test("A reply leaves from the address that was asked", .needsNamespaces, arguments: AddressFamily.allCases)
    func reply(family: AddressFamily) async throws {
        let hosts = try await TwoHosts()
        try await hosts.second.ip("addr add 192.0.2.3/24 dev lan0", "addr add fd00::3/64 dev lan0 nodad")
        let server = try await hosts.second.socket(family)
        try await server.bind(port: 7)
        let client = try await hosts.first.socket(family)
        for text in family == .ipv4 ? ["192.0.2.2", "192.0.2.3", "198.51.100.2"] : ["fd00::2", "fd00::3"] {
            let address = try SocketAddress(text, 7)
            try await client.connect(to: address)
            try await client.send(bytes("question"))
            let question = try await server.receive()
            #expect(question.destination == address.ip)
            try await server.reply(bytes("answer"), to: question)
            // A connected socket hears nobody but the one that it has asked.
            #expect(try await client.receive().source == address)
            try await client.disconnect()
        }
    }

    @Test("A reply to a datagram to a link-local address keeps the interface", .needsNamespaces)
    func linkLocalReply() async throws {
        let hosts = try await TwoHosts()
        let server = try await hosts.second.socket(.ipv6)
        try await server.bind(port: 7)
        let client = try await hosts.first.socket(.ipv6)
        for name in ["lan0", "lan1"] {
            let address = try await hosts.first.address("[fe80::2%\(name)]:7")
            try await client.send(bytes(name), to: address)
            let question = try await server.receive()
            #expect(question.bytes == bytes(name) && question.interface == question.source.scope)
            #expect(question.interface == (try await hosts.second.interface(name)))
            try await server.reply(bytes("answer"), to: question)
            #expect(try await client.receive().source == address)
        }
    }
}
