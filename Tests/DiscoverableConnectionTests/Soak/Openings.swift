import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import TestSupport

/// Sockets that come and go in every way: with waiters and without, closed and dropped.
struct Openings {
    let run: SoakRun
    private var generator: SeededGenerator

    init(in run: SoakRun) {
        self.run = run
        generator = run.fork()
    }

    mutating func step() async throws {
        let family: AddressFamily = Bool.random(using: &generator) ? .ipv4 : .ipv6
        let count = Int.random(in: 1...8, using: &generator)
        // On the pool or on the loop: the closing meets what waits on the same thread or on another one.
        let executor = Bool.random(using: &generator) ? run.loop.taskExecutor : nil
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: try await openAndClose(family, count)
        case 1: try await bothFamilies()
        case 2: try await closeUnderReceivers(family, count, executor)
        case 3: try await closeUnderSenders(family, count, executor)
        case 4: try await drop(family, count)
        case 5: try await cancelReceives(family, count * 8)
        case 6: try await closeInHandler(family)
        default: try await loopOfItsOwn(family)
        }
    }

    private func openAndClose(_ family: AddressFamily, _ count: Int) async throws {
        var sockets: [UDPSocket] = []
        for index in 0..<count {
            let socket = try run.socket(family)
            if index % 2 == 0 { try await socket.bind(port: 0) }
            sockets.append(socket)
        }
        for socket in sockets { await run.close(socket) }
    }

    private func bothFamilies() async throws {
        let socket = try UDPSocket(loop: run.loop)
        run.count { $0.opened += 1 }
        try await socket.bind(port: 0)
        let addresses = try await socket.localAddresses
        run.expect(Set(addresses.map(\.port)).count == 1, "both families have not one port: \(addresses)")
        for address in addresses {
            let target = SocketAddress.loopback(address.family, port: address.port)
            try await socket.send(bytes("to oneself"), to: target)
            let isThere = await socket.receives(bytes("to oneself"), from: target)
            run.expect(isThere, "nothing came from \(target)")
        }
        await run.close(socket)
    }

    private func drop(_ family: AddressFamily, _ count: Int) async throws {
        for index in 0..<count {
            let (socket, address) = try await run.boundSocket(family)
            try await socket.send([1], to: address)
            if index % 2 == 0 { _ = await socket.receive(within: .seconds(5)) }
            if index % 3 == 0 { try socket.enqueue([2], to: address) }
        }
    }

    /// Whichever way it ends, each datagram is received once, in order.
    private func cancelReceives(_ family: AddressFamily, _ count: Int) async throws {
        let (server, address) = try await run.boundSocket(family)
        let (client, source) = try await run.boundSocket(family)
        for index in 0..<UInt8(count) {
            let task = Task { try await server.receive() }
            try await client.send([index], to: address)
            task.cancel()
            var datagram = try? await task.value
            if datagram == nil {
                run.count { $0.cancelled += 1 }
                datagram = await server.receive(within: .seconds(5))?.first
            }
            let isRight = datagram?.source != source || datagram?.bytes == [index]
            run.expect(isRight, "instead of \(index) there came \(String(describing: datagram))")
        }
        await run.close(server)
        await run.close(client)
    }

    private func loopOfItsOwn(_ family: AddressFamily) async throws {
        let loop = try EventLoop()
        let socket = try UDPSocket(family: family, loop: loop)
        run.count { $0.opened += 1 }
        try await socket.bind(to: .loopback(family))
        let address = try await socket.localAddress
        try await socket.send([7], to: address)
        let isThere = await socket.receives([7], from: address)
        run.expect(isThere, "nothing came on a loop of its own")
        if address.port % 2 == 0 { await run.close(socket) }
    }
}
