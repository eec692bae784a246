import DiscoverableCore
import Glibc
import Testing

@testable import DiscoverableRuntime

@Suite("Network interfaces", .timeLimit(.minutes(1)))
struct NetworkInterfaceTests {
    @Test("Interfaces are listed with their addresses, and found by name and number")
    func interfaces() throws {
        let all = try NetworkInterface.all()
        #expect(all.map(\.index) == all.map(\.index).sorted() && Set(all.map(\.index)).count == all.count)
        let loopback = try #require(all.first { $0.isLoopback })
        #expect(NetworkInterface.index(of: loopback.name) == loopback.index)
        #expect(NetworkInterface.name(of: loopback.index) == loopback.name)
        #expect(loopback.isUp && loopback.isRunning && !loopback.supportsBroadcast && !loopback.isPointToPoint)
        #expect(loopback.addresses.map(\.description).contains { $0 == "127.0.0.1/8" || $0 == "::1/128" })
        #expect(loopback.addresses.allSatisfy { $0.broadcast == nil })
        #expect(NetworkInterface.index(of: "no-such-if") == nil)
        #expect(NetworkInterface.name(of: InterfaceIndex(rawValue: 999_999)) == nil)
    }

    @Test(
        "18: a tunnel without any address is listed",
        .enabled("needs root and iproute2") { await PrivateHost.isAllowed.value }
    )
    func tunnel() async throws {
        let all = try await PrivateHost.run(["tuntap add tun7 mode tun"]) { try NetworkInterface.all() }
        #expect(all.map(\.name) == ["lo", "tun7"])
        let tunnel = try #require(all.last)
        #expect(tunnel.addresses.isEmpty && tunnel.isPointToPoint && tunnel.supportsMulticast && tunnel.mtu == 1_500)
        #expect(!tunnel.isUp && !tunnel.isRunning && !tunnel.supportsBroadcast && !tunnel.isLoopback)
        #expect(tunnel.index.rawValue > 1)
    }

    @Test(
        "Prefix, broadcast, label, flags and MTU are the interface's own",
        .enabled("needs root and iproute2") { await PrivateHost.isAllowed.value }
    )
    func details() async throws {
        let commands = [
            "link add lan0 type veth peer name lan1", "link set lan0 mtu 1400",
            "addr add 192.0.2.1/24 brd + dev lan0 label lan0:guest", "addr add 198.51.100.1/30 dev lan0",
            "addr add 203.0.113.1/32 dev lan0", "addr add 2001:db8::1/64 dev lan0 nodad", "link set lan0 up",
            "tuntap add tun0 mode tun", "addr add 10.0.0.1 peer 10.0.0.2/32 dev tun0",
        ]
        let all = try await PrivateHost.run(commands) { try NetworkInterface.all() }
        #expect(Set(all.map(\.name)) == ["lo", "lan0", "lan1", "tun0"])
        let lan = try #require(all.first { $0.name == "lan0" })
        // Its far end is not switched on: there is no carrier.
        #expect(lan.isUp && !lan.isRunning && lan.supportsBroadcast && lan.supportsMulticast && lan.mtu == 1_400)
        let texts = lan.addresses.map { "\($0) \($0.broadcast.map(\.description) ?? "-")" }
        #expect(
            Set(texts.filter { !$0.hasPrefix("fe80") }) == [
                "192.0.2.1/24 192.0.2.255", "198.51.100.1/30 -", "203.0.113.1/32 -", "2001:db8::1/64 -",
            ]
        )
        let tunnel = try #require(all.first { $0.name == "tun0" })
        #expect(tunnel.addresses.first?.ip == IPAddress("10.0.0.1") && tunnel.addresses.first?.broadcast == nil)
    }

    @Test(
        "Interfaces that come and go meanwhile disturb nothing",
        .enabled("needs root and iproute2") { await PrivateHost.isAllowed.value }
    )
    func churn() async throws {
        let names = try await PrivateHost.run(["link add stays type veth peer name stays1"]) {
            let pipe = unsafe popen("ip -batch - >/dev/null 2>&1", "w")
            guard let pipe = unsafe pipe else { throw PrivateHost.Failure.commandFailed("-batch -") }
            var names: [[String]] = []
            for round in 0..<100 {
                unsafe fputs("tuntap add t\(round) mode tun\nlink del t\(round)\n", pipe)
                _ = unsafe fflush(pipe)
                names.append(try NetworkInterface.all().map(\.name))
            }
            guard unsafe pclose(pipe) == 0 else { throw PrivateHost.Failure.commandFailed("-batch -") }
            return names
        }
        #expect(names.allSatisfy { Set($0).isSuperset(of: ["lo", "stays", "stays1"]) && $0.count <= 4 })
    }

    @Test(
        "Zones are found by name first, as libc does, also where a name is a number or holds a bracket",
        .enabled("needs root and iproute2") { await PrivateHost.isAllowed.value }
    )
    func strangeNames() async throws {
        let commands = ["link add 4711 type veth peer name 'a]b'"]
        let (index, other, texts) = try await PrivateHost.run(commands) {
            let addresses = ["[fe80::1%4711]:80", "[fe80::1%a]b]:80"].map {
                SocketAddress(parsing: $0, defaultPort: nil)
            }
            let texts = addresses.map { $0.map { "\($0.hostTextWithInterfaceName) \($0.scope?.rawValue ?? 0)" } }
            return (NetworkInterface.index(of: "4711"), NetworkInterface.index(of: "a]b"), texts)
        }
        let (number, otherNumber) = (try #require(index).rawValue, try #require(other).rawValue)
        #expect(texts == ["fe80::1%4711 \(number)", "fe80::1%a]b \(otherNumber)"])
    }

    @Test(
        "Fragmentation does what its modes say on a link with a small MTU",
        .enabled("needs root and iproute2") { await PrivateHost.isAllowed.value },
        arguments: AddressFamily.allCases,
        Fragmentation.allCases
    )
    func fragmentation(family: AddressFamily, fragmentation: Fragmentation) async throws {
        let headers = family == .ipv4 ? 28 : 48
        let address = SocketAddress(family == .ipv4 ? .v4(.loopback) : .v6(.loopback), port: 9)
        let results = try await PrivateHost.run(["link set lo mtu 1500"]) {
            let socket = try OpenSocket(family)
            try socket.options.setFragmentation(fragmentation)
            return [socket.send(1_500 - headers, to: address), socket.send(1_501 - headers, to: address)]
        }
        let isWhole = fragmentation == .forbidden || fragmentation == .probe
        #expect(results == [0, isWhole ? EMSGSIZE : 0])
    }
}
