import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Foundation
import Glibc
import Testing

@Suite("GCD style: groups and broadcasts over two links", .timeLimit(.minutes(1)), .needsNamespaces)
struct GCDGroupTests {
    private let hosts: TwoHosts

    init() async throws {
        hosts = try await TwoHosts()
    }

    private func group(_ family: AddressFamily, _ number: Int = 1) -> String {
        family == .ipv4 ? "239.1.2.\(number)" : "ff05::1:\(number)"
    }

    /// A socket of the second host that is in a group, on an interface, and receives.
    private func member(of group: String, on interface: String?) async throws -> GCDSubject {
        let subject = try await hosts.second.subject { socket in
            try socket.bind(toPort: 0)
            try socket.joinMulticastGroup(group, onInterface: interface)
        }
        try subject.socket.beginReceiving()
        return subject
    }

    /// Has the first host send to a group through one of its links.
    private func send(_ text: String, to group: String, of socket: GCDAsyncUdpSocket, through name: String) async throws
    {
        let address = try SocketAddress(group, socket.localPort())
        let sender = try await hosts.first.socket(address.family)
        try await sender.setMulticastInterface(try await hosts.first.interface(name))
        try await sender.send(bytes(text), to: address)
    }

    @Test(
        "9, B8, B9: a group is heard on the link where it was joined, by the link's name",
        arguments: AddressFamily.allCases
    )
    func byName(family: AddressFamily) async throws {
        let group = group(family)
        for (mine, other) in [("lan0", "lan1"), ("lan1", "lan0")] {
            let subject = try await member(of: group, on: mine)
            try await send("other", to: group, of: subject.socket, through: other)
            try await send("mine", to: group, of: subject.socket, through: mine)
            #expect(try await subject.recorder.text() == "mine")
            try await hosts.second.onLoop {
                Result { try subject.socket.leaveMulticastGroup(group, onInterface: mine) }
            }
            .get()
            try await send("left", to: group, of: subject.socket, through: mine)
            let direct = try await hosts.first.socket()
            try await direct.send(bytes("end"), to: try SocketAddress("192.0.2.2", subject.socket.localPort()))
            #expect(try await subject.recorder.text() == "end")
        }
    }

    @Test("9: by the address of the interface, and without one")
    func byAddress() async throws {
        let subject = try await member(of: group(.ipv4), on: "198.51.100.2")
        try await send("other", to: group(.ipv4), of: subject.socket, through: "lan0")
        try await send("mine", to: group(.ipv4), of: subject.socket, through: "lan1")
        #expect(try await subject.recorder.text() == "mine")
        try await hosts.second.ip("route add 239.0.0.0/8 dev lan1")
        let any = try await member(of: group(.ipv4, 2), on: nil)
        try await send("any", to: group(.ipv4, 2), of: any.socket, through: "lan1")
        #expect(try await any.recorder.text() == "any")
    }

    @Test("B9: IPv6 groups are joined by name, also where the link has no IPv6 address")
    func withoutIPv6Address() async throws {
        try await hosts.second.ip("addr flush dev lan1 scope link", "addr flush dev lan1 scope global")
        let subject = try await hosts.second.subject()
        let failure = await hosts.second.onLoop { [group = group(.ipv6)] in
            gcdFailure { try subject.socket.joinMulticastGroup(group, onInterface: "lan1") }
        }
        #expect(failure == nil)
    }

    @Test("9: joined twice, or left without being in it", arguments: AddressFamily.allCases)
    func twice(family: AddressFamily) async throws {
        let group = group(family)
        let subject = try await hosts.second.subject()
        let failures = await hosts.second.onLoop {
            [
                gcdFailure { try subject.socket.leaveMulticastGroup(group, onInterface: "lan0") },
                gcdFailure { try subject.socket.joinMulticastGroup(group, onInterface: "lan0") },
                gcdFailure { try subject.socket.joinMulticastGroup(group, onInterface: "lan0") },
                gcdFailure { try subject.socket.joinMulticastGroup(group, onInterface: "lan1") },
                gcdFailure { try subject.socket.leaveMulticastGroup(group, onInterface: "lan0") },
                gcdFailure { try subject.socket.leaveMulticastGroup(group, onInterface: "lan0") },
            ]
        }
        #expect(failures == [.posix(EADDRNOTAVAIL), nil, .posix(EADDRINUSE), nil, nil, .posix(EADDRNOTAVAIL)])
        #expect(!subject.socket.isClosed())
    }

    @Test("B7: in a group of one family, a socket still serves the other", arguments: AddressFamily.allCases)
    func otherFamily(family: AddressFamily) async throws {
        let subject = try await member(of: group(family), on: "lan0")
        let joined = subject.socket
        #expect(subject.exists == [true, true] && joined.isIPv4() && joined.isIPv6())
        try await hosts.second.onLoop { [group = group(family)] in
            Result { try subject.socket.leaveMulticastGroup(group, onInterface: "lan0") }
        }.get()
        #expect(subject.exists == [true, true])
        for (text, local) in [("192.0.2.1", "192.0.2.2"), ("fd00::1", "fd00::2")] {
            let peer = try await hosts.first.socket(text == "192.0.2.1" ? .ipv4 : .ipv6, at: try SocketAddress(text, 0))
            let address = try await peer.localAddress
            joined.send("x", to: address, tag: 1)
            #expect(try await subject.recorder.outcome() == .sent(1))
            #expect(try await peer.text() == "x")
            try await peer.send(bytes(text), to: try SocketAddress(local, joined.localPort()))
            #expect(try await subject.recorder.text() == text)
        }
        #expect(!joined.isClosed())
    }

    @Test("Many groups on one port: each socket hears its own only", arguments: AddressFamily.allCases)
    func foreignGroups(family: AddressFamily) async throws {
        let first = GCDSubject()
        let second = GCDSubject()
        for (number, subject) in [(1, first), (2, second)] {
            let group = group(family, number)
            _ = try await hosts.second.subject(subject) { socket in
                try socket.enableReusePort(true)
                try socket.bind(toPort: 5000)
                try socket.joinMulticastGroup(group, onInterface: "lan0")
            }
            try subject.socket.beginReceiving()
        }
        try await send("second", to: group(family, 2), of: second.socket, through: "lan0")
        try await send("first", to: group(family, 1), of: first.socket, through: "lan0")
        #expect(try await first.recorder.text() == "first")
        #expect(try await second.recorder.text() == "second")
    }

    @Test("Broadcasts leave when they are allowed, and arrive")
    func broadcast() async throws {
        let receiver = try await hosts.second.subject()
        try receiver.socket.beginReceiving()
        let sender = try await hosts.first.subject()
        let address = try SocketAddress("192.0.2.255", receiver.socket.localPort())
        sender.socket.send("refused", to: address, tag: 1)
        #expect(try await sender.recorder.outcome() == .notSent(1, .posix(EACCES)))
        try sender.socket.enableBroadcast(true)
        sender.socket.send("allowed", to: address, tag: 2)
        #expect(try await sender.recorder.outcome() == .sent(2))
        #expect(try await receiver.recorder.text() == "allowed")
        try sender.socket.enableBroadcast(false)
        sender.socket.send("refused", to: address, tag: 3)
        #expect(try await sender.recorder.outcome() == .notSent(3, .posix(EACCES)))
    }
}
