import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Glibc
import TestSupport

/// Floods of a socket with a small receive buffer: what it does not get, the kernel counts, to the datagram; and the others on its
/// loop go on.
struct Flood {
    private let run: SoakRun
    private var generator: SeededGenerator

    init(in run: SoakRun) {
        self.run = run
        generator = run.fork()
    }

    mutating func burst() async throws {
        let family: AddressFamily = Bool.random(using: &generator) ? .ipv4 : .ipv6
        let size = 1 << Int.random(in: 12...16, using: &generator)
        let offloads = Bool.random(using: &generator)
        let (socket, address) = try await run.boundSocket(family, offloads: offloads, receiveBuffer: size)
        let ledger = Ledger("flooded socket of \(family), \(size) bytes of room")
        let consumer = await consume(socket, ledger)
        let burst = Burst(
            address: address,
            count: Int.random(in: 100...2_000, using: &generator),
            length: Int.random(in: 0...1_400, using: &generator)
        )
        ledger.sent(await burst.sendOnThread())
        try await settle(ledger, address)
        run.judge(ledger)
        run.count { [ledger] figures in
            figures.floods += 1
            figures.flooded += ledger.sent
        }
        await run.close(socket)
        await consumer?.value
    }

    /// In the handler, or in a task that is slower.
    private mutating func consume(_ socket: UDPSocket, _ ledger: Ledger) async -> Task<Void, Never>? {
        switch Int.random(in: 0..<3, using: &generator) {
        case 0:
            await socket.onReceive { ledger.received($1) }
            return nil
        case 1:
            return Task(executorPreference: run.loop.taskExecutor) {
                for await batch in socket.batches {
                    ledger.received(batch)
                    await Task.yield()
                }
            }
        default:
            return Task {
                var count = 0
                for await datagram in socket.datagrams {
                    ledger.received(datagram)
                    count += 1
                    if count % 16 == 0 { await Task.yield() }
                }
            }
        }
    }

    /// The count of what was dropped rides on the next datagram that is queued, for which there must be room.
    private func settle(_ ledger: Ledger, _ address: SocketAddress) async throws {
        let (marker, _) = try await run.boundSocket(address.family)
        for attempt in 0..<100 {
            try await marker.send([], to: address)
            ledger.sent(1)
            // The consumer comes to it by and by.
            await pause(.milliseconds(attempt < 50 ? 2 : 50), on: run.loop)
            if ledger.missing == 0 { break }
        }
        await run.close(marker)
    }
}

/// A number of datagrams to one port of the loopback interface, as fast as one thread can.
private struct Burst: Sendable {
    let address: SocketAddress
    let count: Int
    let length: Int

    /// Returns how many the kernel has taken.
    func sendOnThread() async -> Int {
        await withCheckedContinuation { continuation in
            let body = Body { continuation.resume(returning: send()) }
            let context = unsafe Unmanaged.passRetained(body).toOpaque()
            var thread = pthread_t()
            let result = unsafe pthread_create(&thread, nil, Body.run, context)
            guard result == 0 else {
                unsafe Unmanaged<Body>.fromOpaque(context).release()
                return continuation.resume(returning: 0)
            }
            pthread_detach(thread)
        }
    }

    private func send() -> Int {
        let descriptor = socket(address.family == .ipv4 ? AF_INET : AF_INET6, Int32(SOCK_DGRAM.rawValue), 0)
        guard descriptor >= 0 else { return 0 }
        defer { close(descriptor) }
        let bytes = [UInt8](repeating: 0xf1, count: length)
        guard connect(descriptor) else { return 0 }
        return (0..<count).count { _ in unsafe Glibc.send(descriptor, bytes, bytes.count, 0) >= 0 }
    }

    private func connect(_ descriptor: Int32) -> Bool {
        switch address.family {
        case .ipv4:
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = address.port.bigEndian
            name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            return unsafe withUnsafePointer(to: &name) { unsafe connect(descriptor, $0, sockaddr_in.self) }
        case .ipv6:
            var name = sockaddr_in6()
            name.sin6_family = sa_family_t(AF_INET6)
            name.sin6_port = address.port.bigEndian
            name.sin6_addr = in6addr_loopback
            return unsafe withUnsafePointer(to: &name) { unsafe connect(descriptor, $0, sockaddr_in6.self) }
        }
    }

    private func connect<Name>(_ descriptor: Int32, _ name: UnsafePointer<Name>, _ type: Name.Type) -> Bool {
        unsafe name.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<Name>.size)) == 0
        }
    }

    private final class Body: Sendable {
        let call: @Sendable () -> Void

        init(_ call: @escaping @Sendable () -> Void) { self.call = call }

        static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
            guard let context = unsafe context else { return nil }
            unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().call()
            return nil
        }
    }
}
