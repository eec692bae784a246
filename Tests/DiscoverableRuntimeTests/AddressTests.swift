import DiscoverableCore
import Dispatch
import Testing

@testable import DiscoverableRuntime

@Suite("Addresses and interfaces")
struct AddressTests {
    @Test("Interfaces are listed with their addresses, and found by name and number")
    func interfaces() throws {
        let all = try NetworkInterface.all()
        let loopback = try #require(all.first { $0.isLoopback })
        #expect(NetworkInterface.index(of: loopback.name) == loopback.index)
        #expect(NetworkInterface.name(of: loopback.index) == loopback.name)
        #expect(loopback.addresses.contains(.v4(.loopback)) || loopback.addresses.contains(.v6(.loopback)))
        #expect(NetworkInterface.index(of: "no-such-if") == nil)
        #expect(NetworkInterface.name(of: InterfaceIndex(rawValue: 999_999)) == nil)
    }

    @Test(
        "Text is parsed and printed alike",
        arguments: [
            "192.0.2.1:80", "[2001:db8::1]:443", "[::]:0", "0.0.0.0:65535", "[fe80::1%lo]:80", "[ff02::fb%lo]:5353",
        ]
    )
    func roundTrip(text: String) throws {
        let address = try #require(SocketAddress(parsing: text, defaultPort: nil))
        let host = address.hostTextWithInterfaceName
        #expect((address.family == .ipv4 ? "\(host):\(address.port)" : "[\(host)]:\(address.port)") == text)
    }

    @Test(
        "Without a port the default one is taken",
        arguments: ["192.0.2.1", "2001:db8::1", "[2001:db8::1]", "fe80::1%lo", "fe80::1%1"]
    )
    func defaultPort(text: String) {
        #expect(SocketAddress(parsing: text, defaultPort: 1024)?.port == 1024)
        #expect(SocketAddress(parsing: text, defaultPort: nil) == nil)
    }

    @Test(
        "What is no address is refused",
        arguments: [
            "", ":", ":80", "[]:80", "[::1", "[::1]80", "[192.0.2.1]:80", "192.0.2.1:", "192.0.2.1:65536",
            "192.0.2.1:+1",
            "192.0.2.1:-1", "fe80::1%no-such-if", "fe80::1%", "fe80::1%0", "fe80::1%+1", "2001:db8::1%lo", "host:80",
            "::1%lo",
        ]
    )
    func refused(text: String) {
        #expect(SocketAddress(parsing: text, defaultPort: 1) == nil)
    }

    @Test("Addresses pass through the kernel's form, with scope", arguments: [AddressFamily.ipv4, .ipv6])
    func kernelForm(family: AddressFamily) throws {
        let socket = try DatagramDescriptor(family: family)
        let address = SocketAddress(family == .ipv4 ? .v4(.loopback) : .v6(.loopback), port: 0)
        try socket.bind(to: address)
        let bound = try socket.localAddress()
        #expect(bound.ip == address.ip && bound.port != 0)
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
