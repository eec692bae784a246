import DiscoverableCore
import Dispatch
import Testing

@testable import DiscoverableRuntime

@Suite("Addresses")
struct AddressTests {
    @Test("Addresses pass through the kernel's form, with scope", arguments: [AddressFamily.ipv4, .ipv6])
    func kernelForm(family: AddressFamily) throws {
        let socket = try DatagramDescriptor(family: family)
        let address = SocketAddress(family == .ipv4 ? .v4(.loopback) : .v6(.loopback), port: 0)
        try socket.bind(to: address)
        let bound = try socket.localAddress()
        #expect(bound.ip == address.ip && bound.port != 0)
    }

    @Test(
        "Addresses are written and read as the kernel has them, at any alignment, without what they lack",
        arguments: [
            "192.0.2.1:80", "[2001:db8::1]:443", "[fe80::1%7]:80", "[ff02::fb%9]:5353", "0.0.0.0:0", "[::]:65535",
        ]
    )
    func systemBytes(text: String) throws {
        let address = try #require(SocketAddress(parsing: text, defaultPort: nil))
        var bytes = [UInt8](repeating: 0xff, count: SocketAddress.systemSize + 2)
        let read = unsafe bytes.withUnsafeMutableBytes {
            buffer -> (length: Int, address: SocketAddress?, short: SocketAddress?) in
            guard let start = unsafe buffer.baseAddress.map({ unsafe $0 + 1 }) else { return (0, nil, nil) }
            let length = Int(unsafe address.write(to: start))
            return unsafe (
                length,
                SocketAddress(systemBytes: start, length: length),
                SocketAddress(systemBytes: start, length: length - 1)
            )
        }
        #expect(read.length == (address.family == .ipv4 ? 16 : 28))
        #expect(read.address == address && read.short == nil)
        #expect(bytes.first == 0xff && bytes[read.length + 1] == 0xff)
        #expect(bytes[3..<5].elementsEqual([UInt8(address.port >> 8), UInt8(truncatingIfNeeded: address.port)]))
        switch address.ip {
        case .v4(let ip): #expect(Array(bytes[5..<9]) == ip.bytes && bytes[9..<17].allSatisfy { $0 == 0 })
        case .v6(let ip): #expect(Array(bytes[9..<25]) == ip.bytes && bytes[5..<9].allSatisfy { $0 == 0 })
        }
    }

    @Test("Addresses in packets are read and written in place", arguments: ["192.0.2.1", "fe80::1", "1:2:3:4:5:6:7:8"])
    func packetBytes(text: String) throws {
        let ip = try #require(IPAddress(text))
        var bytes = [UInt8](repeating: 0xff, count: 18)
        let read = unsafe bytes.withUnsafeMutableBytes { buffer -> (length: Int, ip: IPAddress?) in
            guard let start = unsafe buffer.baseAddress.map({ unsafe $0 + 1 }) else { return (0, nil) }
            return unsafe (ip.write(to: start), IPAddress(systemBytes: start, family: ip.family))
        }
        #expect(read.ip == ip && read.length == (ip.family == .ipv4 ? 4 : 16))
        #expect(bytes.first == 0xff && bytes[read.length + 1] == 0xff)
    }

    @Test("A foreign family, and nothing at all, are no addresses")
    func foreignFamily() {
        let bytes = [UInt8](repeating: 1, count: 28)
        let foreign = unsafe bytes.withUnsafeBytes { buffer in
            unsafe buffer.baseAddress.flatMap { unsafe SocketAddress(systemBytes: $0) }
        }
        let nothing = unsafe bytes.withUnsafeBytes { buffer in
            unsafe buffer.baseAddress.flatMap { unsafe SocketAddress(systemBytes: $0, length: 0) }
        }
        #expect(foreign == nil && nothing == nil)
    }

    @Test("The host has a name")
    func hostName() {
        #expect(!HostName.current.isEmpty)
    }
}

@Suite("Name resolution", .timeLimit(.minutes(1)))
struct NameResolverTests {
    @Test("Addresses as text need no name server", arguments: ["127.0.0.1", "::1", "fe80::1%lo"])
    func numeric(host: String) async throws {
        let addresses = try await NameResolver.addresses(of: host, port: 80, timeout: .seconds(10))
        #expect(addresses == [SocketAddress(parsing: host, defaultPort: 80)].compactMap(\.self))
    }

    @Test("localhost is this host")
    func localhost() async throws {
        let addresses = try await NameResolver.addresses(of: "localhost", port: 80, timeout: .seconds(10))
        #expect(
            addresses.contains(SocketAddress(.v4(.loopback), port: 80))
                || addresses.contains(SocketAddress(.v6(.loopback), port: 80))
        )
    }

    @Test("A name that cannot be one fails with the resolver's own number and text")
    func failure() async {
        do throws(NameResolver.Failure) {
            _ = try await NameResolver.addresses(of: "no such host..", port: 80, timeout: .seconds(30))
            Issue.record("the name was found")
        } catch {
            guard case .failed(let underlying) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(underlying.call == "getaddrinfo" && !underlying.text.isEmpty)
        }
    }

    @Test("The waiter's time-out and cancellation do not wait for a resolver that hangs", .timeLimit(.minutes(1)))
    func waiters() async {
        let release = DispatchSemaphore(value: 0)
        let hang: @Sendable () -> Result<[SocketAddress], NameResolver.Failure> = {
            release.wait()
            return .success([])
        }
        await #expect(throws: NameResolver.Failure.timedOut) {
            _ = try await NameResolver.firstAnswer(within: .milliseconds(5), lookUp: hang)
        }
        let task = Task { () async throws(NameResolver.Failure) in
            try await NameResolver.firstAnswer(within: .seconds(3600), lookUp: hang)
        }
        task.cancel()
        await #expect(throws: NameResolver.Failure.cancelled) { _ = try await task.value }
        for _ in 0..<2 { release.signal() }
    }
}
