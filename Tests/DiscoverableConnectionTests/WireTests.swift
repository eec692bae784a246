import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Testing

/// Each option as a peer sees it that is not ours.
@Suite("What the wire shows", .timeLimit(.minutes(1)), .needsNamespaces)
struct WireTests {
    private func address(_ family: AddressFamily, _ port: UInt16 = 7) throws -> SocketAddress {
        try SocketAddress(family == .ipv4 ? "192.0.2.2" : "fd00::2", port)
    }

    @Test("Hop limit, traffic class, source and interface of what we send", arguments: AddressFamily.allCases)
    func header(family: AddressFamily) async throws {
        let hosts = try await TwoHosts()
        let socket = try await hosts.first.socket(family)
        let destination = try address(family)
        try await WirePeer.run(on: hosts.second) { peer in
            try await socket.send([1], to: destination)
            let plain = try await peer.report("packet", ["dport": "7"])
            #expect(plain["ttl"] == "64" && plain["tos"] == "0" && plain["length"] == "1", "\(plain)")
            try await socket.setHopLimit(5)
            try await socket.setTrafficClass(TrafficClass(dscp: 46, ecn: .ect0))
            try await socket.send([1, 2], to: destination)
            let changed = try await peer.report("packet", ["length": "2"])
            #expect(changed["ttl"] == "5" && changed["tos"] == "186", "\(changed)")
            var options = SendOptions(trafficClass: TrafficClass(rawValue: 3))
            try await socket.send([1, 2, 3], to: destination, options: options)
            let alone = try await peer.report("packet", ["length": "3"])
            #expect(alone["ttl"] == "5" && alone["tos"] == "3", "\(alone)")
            let other = family == .ipv4 ? "192.0.2.11" : "fd00::11"
            try await hosts.first.ip("addr add \(other)/\(family == .ipv4 ? "24" : "64 nodad") dev lan0")
            options = SendOptions(source: IPAddress(other))
            #expect(await socket.send([OutgoingDatagram(bytes: [], to: destination, options: options)]) == [nil])
            let moved = try await peer.report("packet", ["length": "0"])
            #expect(moved["src"] == other && moved["tos"] == "186", "\(moved)")
        }
    }

    @Test("The mark that forbids fragments, and fragments")
    func fragments() async throws {
        let hosts = try await TwoHosts()
        let socket = try await hosts.first.socket()
        let destination = try address(.ipv4)
        try await WirePeer.run(on: hosts.second) { peer in
            for (fragmentation, mark) in [
                (Fragmentation.allowed, "0"), (.forbidden, "1"), (.probe, "1"), (.system, "1"), (.allowed, "0"),
            ] {
                try await socket.setFragmentation(fragmentation)
                try await socket.send([1], to: destination)
                let packet = try await peer.report("packet", ["dport": "7", "length": "1"])
                #expect(packet["df"] == mark && packet["fragment"] == "0", "\(fragmentation): \(packet)")
            }
            try await socket.send(Array(repeating: 0, count: 2000), to: destination)
            #expect(try await peer.report("packet", ["fragment": "1"])["df"] == "0")
        }
    }

    @Test("Hop limit and interface of what we send to groups", arguments: AddressFamily.allCases)
    func groups(family: AddressFamily) async throws {
        let hosts = try await TwoHosts()
        let socket = try await hosts.first.socket(family)
        let group = family == .ipv4 ? "239.1.2.3" : "ff05::1:3"
        let destination = try SocketAddress(group, 5000)
        try await WirePeer.run(on: hosts.second) { peer in
            try await peer.tell("listen port=5000 group=\(group) if=lan1")
            for (name, hops) in [("lan0", 1), ("lan1", 1), ("lan0", 9), ("lan1", 9)] as [(String, UInt8)] {
                try await socket.setMulticastInterface(try await hosts.first.interface(name))
                try await socket.setMulticastHopLimit(hops)
                try await socket.send(bytes("\(name)-\(hops)"), to: destination)
                let packet = try await peer.report("packet", ["dport": "5000"])
                #expect(packet["if"] == name && packet["ttl"] == "\(hops)", "\(packet)")
                guard name == "lan1" else { continue }
                #expect(try await peer.report("got", ["port": "5000"])["text"] == "\(name)-\(hops)")
            }
        }
    }

    @Test("Joining and leaving are told to the link that is meant", arguments: AddressFamily.allCases)
    func memberships(family: AddressFamily) async throws {
        let hosts = try await TwoHosts()
        let socket = try await hosts.first.socket(family)
        let group = try #require(IPAddress(family == .ipv4 ? "239.1.2.3" : "ff05::1:3"))
        let single = try #require(IPAddress(family == .ipv4 ? "232.1.2.3" : "ff35::1:3"))
        let source = try #require(IPAddress(family == .ipv4 ? "198.51.100.2" : "fd00::2"))
        let lan1 = try await hosts.first.interface("lan1")
        // Kinds of RFC 3376 section 4.2.12 and RFC 3810 section 5.2.12: 3 to none and 4 to all but those listed, 5 and 6 these
        // sources more and less.
        try await WirePeer.run(on: hosts.second) { peer in
            try await socket.join(group, interface: lan1)
            let joined = try await peer.report("report", ["group": "\(group)", "kind": "4"])
            #expect(joined["if"] == "lan1" && joined["sources"] == "", "\(joined)")
            try await socket.leave(group, interface: lan1)
            #expect(try await peer.report("report", ["group": "\(group)", "kind": "3"])["if"] == "lan1")
            try await socket.join(single, interface: lan1, source: source)
            let chosen = try await peer.report("report", ["group": "\(single)", "sources": "\(source)"])
            #expect(chosen["if"] == "lan1" && chosen["kind"] == "5", "\(chosen)")
            try await socket.leave(single, interface: lan1, source: source)
            #expect(try await peer.report("report", ["group": "\(single)", "kind": "6"])["sources"] == "\(source)")
        }
    }

    @Test("Traffic class, source and destination of what a foreign peer sends", arguments: AddressFamily.allCases)
    func received(family: AddressFamily) async throws {
        let hosts = try await TwoHosts()
        let address = try SocketAddress(family == .ipv4 ? "192.0.2.1" : "fd00::1", 5000)
        let other = try self.address(family).ip
        var metadata = UDPSocket.Options()
        metadata.metadata = .all
        let socket = try await hosts.first.socket(family, options: metadata)
        try await socket.bind(port: 5000)
        let lan0 = try await hosts.first.interface("lan0")
        try await WirePeer.run(on: hosts.second) { peer in
            for (tos, content) in [(0, "plain"), (1, "one"), (2, "zero"), (3, "experienced"), (0xb8, "")] {
                try await peer.tell("send to=\(address.ip) port=5000 tos=\(tos) from=\(other) text=\(content)")
                let datagram = try await socket.receive()
                #expect(datagram.bytes == bytes(content) && datagram.source.ip == other)
                #expect(datagram.trafficClass == TrafficClass(rawValue: UInt8(tos)))
                #expect(datagram.destination == address.ip && datagram.interface == lan0)
            }
        }
    }

    @Test("A foreign peer's datagrams to a group and its broadcasts")
    func receivedFromGroups() async throws {
        let hosts = try await TwoHosts()
        let socket = try await hosts.first.socket()
        try await socket.bind(port: 5000)
        let group = try #require(IPAddress("239.1.2.3"))
        let lan1 = try await hosts.first.interface("lan1")
        try await socket.join(group, interface: lan1)
        try await WirePeer.run(on: hosts.second) { peer in
            try await peer.tell("listen port=6000 at=198.51.100.2")
            try await peer.tell("send to=239.1.2.3 port=5000 if=lan0 text=elsewhere")
            try await peer.tell("send to=239.1.2.3 port=5000 if=lan1 text=group")
            let datagram = try await socket.receive()
            #expect(datagram.bytes == bytes("group") && datagram.destination == group && datagram.interface == lan1)
            try await peer.tell("send to=198.51.100.255 port=5000 from=198.51.100.2 text=broadcast")
            let broadcast = try await socket.receive()
            #expect(broadcast.bytes == bytes("broadcast") && broadcast.destination == IPAddress("198.51.100.255"))
            try await socket.send(bytes("answer"), to: try SocketAddress("198.51.100.2", 6000))
            #expect(try await peer.report("got", ["port": "6000"])["from"] == "198.51.100.1")
        }
    }
}
