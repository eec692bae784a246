import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Testing

@Suite("Groups and broadcasts over two links", .timeLimit(.minutes(1)), .needsNamespaces)
struct GroupTests {
    private let hosts: TwoHosts
    private let lan0: InterfaceIndex
    private let lan1: InterfaceIndex

    init() async throws {
        hosts = try await TwoHosts()
        lan0 = try await hosts.second.interface("lan0")
        lan1 = try await hosts.second.interface("lan1")
    }

    private func group(_ family: AddressFamily, _ number: Int = 1) throws -> SocketAddress {
        try SocketAddress(family == .ipv4 ? "239.1.2.\(number)" : "ff05::1:\(number)", 5000)
    }

    /// A socket of the second host that shares the groups' port with others.
    private func member(_ family: AddressFamily) async throws -> UDPSocket {
        var options = UDPSocket.Options()
        options.reuse = .steal
        let socket = try await hosts.second.socket(family, options: options)
        try await socket.bind(port: 5000)
        return socket
    }

    /// Has the first host send to a group through one of its links.
    private func send(_ text: String, to group: SocketAddress, through name: String) async throws {
        let sender = try await hosts.first.socket(group.family)
        try await sender.setMulticastInterface(try await hosts.first.interface(name))
        try await sender.send(bytes(text), to: group)
    }

    @Test(
        "19: a group is heard on the link where it was joined, whatever others join",
        arguments: AddressFamily.allCases
    )
    func byInterface(family: AddressFamily) async throws {
        let group = try group(family)
        let (one, both, none) = (try await member(family), try await member(family), try await member(family))
        try await one.join(group.ip, interface: lan0)
        try await both.join(group.ip, interface: lan0)
        try await both.join(group.ip, interface: lan1)
        try await send("1", to: group, through: "lan1")
        try await send("0", to: group, through: "lan0")
        let datagram = try await one.receive()
        #expect(datagram.bytes == bytes("0") && datagram.interface == lan0 && datagram.destination == group.ip)
        let first = try await both.receive()
        #expect(first.bytes == bytes("1") && first.interface == lan1)
        #expect(try await both.receive().interface == lan0)
        try await both.leave(group.ip, interface: lan0)
        try await send("not to both", to: group, through: "lan0")
        try await send("end", to: group, through: "lan1")
        #expect(try await one.receive().bytes == bytes("not to both"))
        #expect(try await both.receive().bytes == bytes("end"))
        // The one without a group has heard nothing: what was sent to it alone comes first.
        try await none.join(try self.group(family, 9).ip, interface: lan0)
        try await send("own", to: try self.group(family, 9), through: "lan0")
        #expect(try await none.receive().bytes == bytes("own"))
    }

    @Test("19: nothing arrives of groups that other sockets of the host have joined", arguments: AddressFamily.allCases)
    func foreignGroups(family: AddressFamily) async throws {
        let (mine, foreign) = (try group(family, 1), try group(family, 2))
        let (socket, other) = (try await member(family), try await member(family))
        try await socket.join(mine.ip, interface: lan0)
        try await other.join(foreign.ip, interface: lan0)
        try await send("foreign", to: foreign, through: "lan0")
        try await send("mine", to: mine, through: "lan0")
        #expect(try await socket.receive().bytes == bytes("mine"))
        #expect(try await other.receive().bytes == bytes("foreign"))
    }

    @Test("19: of a group only the sources that are wanted", arguments: AddressFamily.allCases)
    func sources(family: AddressFamily) async throws {
        let (group, texts) =
            family == .ipv4
            ? (try SocketAddress("232.1.2.3", 5000), ["192.0.2.1", "192.0.2.11", "192.0.2.12"])
            : (try SocketAddress("ff35::1:3", 5000), ["fd00::1", "fd00::11", "fd00::12"])
        let suffix = family == .ipv4 ? "/24 dev lan0" : "/64 dev lan0 nodad"
        try await hosts.first.ip("addr add \(texts[1])\(suffix)", "addr add \(texts[2])\(suffix)")
        let sources = try texts.map { try SocketAddress($0, 0) }
        let socket = try await member(family)
        func sendFromAll(_ text: String) async throws {
            for source in sources {
                let sender = try await hosts.first.socket(family, at: source)
                try await sender.setMulticastInterface(try await hosts.first.interface("lan0"))
                try await sender.send(bytes(text), to: group)
            }
        }
        try await socket.join(group.ip, interface: lan0, source: sources[1].ip)
        #expect(
            await socketErrorCode { try await socket.join(group.ip, interface: lan0, source: sources[1].ip) }
                == .alreadyJoined
        )
        try await sendFromAll("one")
        #expect(try await socket.receive().source.ip == sources[1].ip)
        try await socket.join(group.ip, interface: lan0, source: sources[2].ip)
        try await sendFromAll("two")
        for source in sources.dropFirst() {
            let datagram = try await socket.receive()
            #expect(datagram.bytes == bytes("two") && datagram.source.ip == source.ip)
        }
        try await socket.leave(group.ip, interface: lan0, source: sources[1].ip)
        try await sendFromAll("three")
        let last = try await socket.receive()
        #expect(last.bytes == bytes("three") && last.source.ip == sources[2].ip)
        let unknown = sources[0].ip
        #expect(
            await socketErrorCode { try await socket.leave(group.ip, interface: lan0, source: unknown) } == .notJoined
        )
    }

    @Test("19: members on the sending host hear it, unless they are not to", arguments: AddressFamily.allCases)
    func loopback(family: AddressFamily) async throws {
        let group = try group(family)
        let socket = try await member(family)
        try await socket.join(group.ip, interface: lan1)
        let sender = try await hosts.second.socket(family)
        try await sender.setMulticastInterface(lan1)
        try await sender.setMulticastLoopback(false)
        try await sender.send(bytes("elsewhere"), to: group)
        try await sender.setMulticastLoopback(true)
        try await sender.send(bytes("here"), to: group)
        #expect(try await socket.receive().bytes == bytes("here"))
        // Without a hop none but this host's members hear it.
        let far = try await hosts.first.socket(family)
        try await far.bind(port: 5000)
        try await far.join(group.ip, interface: try await hosts.first.interface("lan1"))
        try await sender.setMulticastHopLimit(0)
        try await sender.send(bytes("host"), to: group)
        try await sender.setMulticastHopLimit(1)
        try await sender.send(bytes("link"), to: group)
        for content in ["host", "link"] { #expect(try await socket.receive().bytes == bytes(content)) }
        #expect(try await far.receive().bytes == bytes("link"))
    }

    @Test("19: bound to one host's address a socket hears no group; the 21st group is refused")
    func limits() async throws {
        let socket = try await hosts.second.socket(at: try SocketAddress("192.0.2.2", 5000))
        let group = try group(.ipv4)
        try await socket.join(group.ip, interface: lan0)
        #expect(await socketErrorCode { try await socket.join(group.ip, interface: lan0) } == .alreadyJoined)
        try await send("group", to: group, through: "lan0")
        let sender = try await hosts.first.socket()
        try await sender.send(bytes("host"), to: try SocketAddress("192.0.2.2", 5000))
        #expect(try await socket.receive().bytes == bytes("host"))
        for number in 2...20 { try await socket.join(try self.group(.ipv4, number).ip, interface: lan0) }
        let last = try self.group(.ipv4, 21).ip
        #expect(await socketErrorCode { try await socket.join(last, interface: lan0) } == .outOfResources)
        try await socket.leave(group.ip, interface: lan0)
        #expect(await socketErrorCode { try await socket.leave(group.ip, interface: lan0) } == .notJoined)
        try await socket.join(last, interface: lan0)
    }

    @Test("A reply to a datagram to a group leaves from an address of this host", arguments: AddressFamily.allCases)
    func reply(family: AddressFamily) async throws {
        let group = try group(family)
        let socket = try await member(family)
        try await socket.join(group.ip, interface: lan0)
        let sender = try await hosts.first.socket(family)
        try await sender.setMulticastInterface(try await hosts.first.interface("lan0"))
        try await sender.send(bytes("who"), to: group)
        try await socket.reply(bytes("me"), to: try await socket.receive())
        let answer = try await sender.receive()
        #expect(answer.bytes == bytes("me") && answer.source.ip == IPAddress(family == .ipv4 ? "192.0.2.2" : "fd00::2"))
    }

    @Test("20: broadcasts reach a socket of all addresses, confined to a link or not, and none of one address")
    func broadcast() async throws {
        let port = 5000 as UInt16
        let (all, link, single) = (
            try await member(.ipv4), try await hosts.second.socket(), try await hosts.second.socket()
        )
        try await link.bind(port: 5001, interface: "lan0")
        try await single.bind(to: try SocketAddress("192.0.2.2", 5002))
        let sender = try await hosts.first.socket()
        let (near, far) = (try SocketAddress("192.0.2.255", port), try SocketAddress("198.51.100.255", port))
        #expect(await socketErrorCode { try await sender.send([1], to: near) } == .permissionDenied)
        try await sender.setBroadcast(true)
        try await sender.send(bytes("near"), to: near)
        try await sender.send(bytes("far"), to: far)
        let datagram = try await all.receive()
        #expect(datagram.bytes == bytes("near") && datagram.destination == near.ip && datagram.interface == lan0)
        #expect(try await all.receive().interface == lan1)
        try await all.reply(bytes("me"), to: datagram)
        #expect(try await sender.receive().source == SocketAddress("192.0.2.2", port))
        try await sender.send(bytes("far"), to: try SocketAddress("198.51.100.255", 5001))
        try await sender.send(bytes("near"), to: try SocketAddress("192.0.2.255", 5001))
        #expect(try await link.receive().bytes == bytes("near"))
        try await sender.send(bytes("broadcast"), to: try SocketAddress("192.0.2.255", 5002))
        try await sender.send(bytes("host"), to: try SocketAddress("192.0.2.2", 5002))
        #expect(try await single.receive().bytes == bytes("host"))
        try await sender.setBroadcast(false)
        #expect(await socketErrorCode { try await sender.send([1], to: near) } == .permissionDenied)
    }
}
