import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Glibc
import TestSupport

/// Peers that are not there and come back, peers that change, and groups.
struct Peers {
    private let run: SoakRun
    private let servers: [EchoServer]
    private let loopback: InterfaceIndex?
    private let firstPort: Int
    private var generator: SeededGenerator

    /// - Parameter number: which of several it is, 0 or 1: each has absent peers of its own.
    init(_ servers: [EchoServer], number: Int, in run: SoakRun) throws {
        self.run = run
        firstPort = 10_000 + number * Self.portCount
        self.servers = servers
        loopback = try NetworkInterface.all().first { $0.isLoopback && $0.isUp }?.index
        generator = run.fork()
    }

    mutating func step() async throws {
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: try await absentPeer()
        case 1: try await changingPeers()
        default: try await groups()
        }
    }

    // MARK: A peer that is not there

    /// Each send completes, each report names the peer, and when the peer is there again traffic flows.
    private mutating func absentPeer() async throws {
        let family: AddressFamily = Bool.random(using: &generator) ? .ipv4 : .ipv6
        let address = try await absentAddress(family)
        let socket = try run.socket(family, offloads: Bool.random(using: &generator))
        let isConnected = Bool.random(using: &generator)
        if isConnected { try await socket.connect(to: address) } else { try await socket.bind(to: .loopback(family)) }
        let reports = Task { [run] in
            var count = 0
            for await failure in socket.errors {
                let isRight = failure.peer == address && failure.origin == .network(reporter: address.ip)
                run.expect(isRight && failure.error.code == .refused, "\(address) is absent; told \(failure)")
                count += 1
            }
            return count
        }
        let count = Int.random(in: 1...50, using: &generator)
        for index in 0..<count {
            let destination = isConnected ? nil : address
            if index % 3 == 2 {
                try socket.enqueue([1], to: destination)
            } else if index % 3 == 1 {
                try await socket.send([1], to: destination)
            } else {
                let outcomes = await socket.send([OutgoingDatagram(bytes: [1], to: destination)])
                run.expect(outcomes == [nil], "a send to a peer that is absent: \(outcomes)")
            }
        }
        try await returning(address, to: socket)
        await run.close(socket)
        let told = await reports.value
        run.count { $0.errors += told }
        run.expect(told <= count, "\(told) reports about \(count) datagrams")
    }

    private func returning(_ address: SocketAddress, to socket: UDPSocket) async throws {
        let peer = try run.socket(address.family)
        try await peer.bind(to: address)
        try await socket.send([2], to: address)
        guard let question = await peer.receive(within: .seconds(5))?.first, question.bytes == [2] else {
            return run.complain("\(address) has come back, and hears nothing")
        }
        try await peer.reply([3], to: question)
        let isAnswered = await socket.receives([3], from: address)
        run.expect(isAnswered, "\(address) has come back, and its answer does not arrive")
        run.count { $0.returned += 1 }
        await run.close(peer)
    }

    private static let portCount = 5_000

    /// An address that nobody is given: the kernel chooses ports above these, other tests between, and another process that runs
    /// the same script begins elsewhere.
    private mutating func absentAddress(_ family: AddressFamily) async throws -> SocketAddress {
        while true {
            let place = Int.random(in: 0..<Self.portCount, using: &generator) + 97 * Int(getpid())
            let address = SocketAddress.loopback(family, port: UInt16(firstPort + place % Self.portCount))
            let socket = try run.socket(family)
            let isFree = await socketErrorCode { try await socket.bind(to: address) } == nil
            await run.close(socket)
            if isFree { return address }
        }
    }

    // MARK: Peers that change

    private mutating func changingPeers() async throws {
        let family: AddressFamily = Bool.random(using: &generator) ? .ipv4 : .ipv6
        let (socket, address) = try await run.boundSocket(family)
        for number in 0..<UInt64.random(in: 2...6, using: &generator) {
            guard let server = servers.filter({ $0.address.family == family }).randomElement(using: &generator) else {
                return
            }
            let length = Int.random(in: 0...1_400, using: &generator)
            let question = NumberedDatagram(number: number, length: length, using: &generator)
            try await socket.connect(to: server.address)
            try await run.send(question.bytes, from: socket, to: server.address)
            let isAnswered = await socket.receives(question.bytes, from: server.address)
            run.expect(isAnswered, "no answer to a socket that was connected to the \(server.ledger)")
            run.count { $0.reconnected += 1 }
            guard Bool.random(using: &generator) else { continue }
            try await socket.disconnect()
            let now = try await socket.localAddress
            run.expect(now.port == address.port, "\(address) has become \(now) by disconnecting")
        }
        await run.close(socket)
    }

    // MARK: Groups

    /// A member hears its group, and after leaving does not.
    private mutating func groups() async throws {
        guard let loopback else { return }
        let member = try run.socket(.ipv4)
        try await member.bind(port: 0)
        let port = try await member.localAddress.port
        let sender = try run.socket(.ipv4)
        try await sender.bind(to: .loopback(.ipv4))
        let source = try await sender.localAddress
        try await sender.setMulticastInterface(loopback)
        for number in 0..<UInt8.random(in: 1...4, using: &generator) {
            let group = IPAddress.v4(IPv4Address(239, 255, .random(in: 1...250, using: &generator), 251))
            let address = SocketAddress(group, port: port)
            try await member.join(group, interface: loopback)
            try await sender.send([number, 1], to: address)
            let isHeard = await member.receives([number, 1], from: source)
            run.expect(isHeard, "\(group) is not heard by its member")
            try await member.leave(group, interface: loopback)
            try await sender.send([number, 2], to: address)
            try await sender.send([number, 3], to: .loopback(.ipv4, port: port))
            var next = await member.receive(within: .seconds(5))?.first
            while let other = next, other.source != source { next = await member.receive(within: .seconds(5))?.first }
            run.expect(next?.bytes == [number, 3], "\(group) was left, and next came \(String(describing: next))")
            run.count { $0.grouped += 1 }
        }
        await run.close(member)
        await run.close(sender)
    }
}
