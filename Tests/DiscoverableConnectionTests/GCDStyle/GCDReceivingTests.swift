import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Foundation
import Glibc
import Testing

@Suite("GCD style: receiving", .timeLimit(.minutes(1)))
struct GCDReceivingTests {
    private let subject = GCDSubject()

    private var socket: GCDAsyncUdpSocket { subject.socket }
    private var recorder: GCDRecorder { subject.recorder }

    /// A sender to the socket, in one family.
    private func sender(_ family: AddressFamily = .ipv4) async throws -> UDPSocket {
        let sender = try UDPSocket(family: family)
        try await sender.connect(to: socket.address(family))
        return sender
    }

    @Test("34: what is larger than the limit is cut, in each family by its own", arguments: AddressFamily.allCases)
    func cut(family: AddressFamily) async throws {
        #expect(socket.maxReceiveIPv4BufferSize() == 9216 && socket.maxReceiveIPv6BufferSize() == 9216)
        socket.setMaxReceiveIPv4BufferSize(100)
        socket.setMaxReceiveIPv6BufferSize(200)
        #expect(socket.maxReceiveIPv4BufferSize() == 100 && socket.maxReceiveIPv6BufferSize() == 200)
        try socket.bind(toPort: 0, interface: "localhost")
        try socket.beginReceiving()
        let peer = try await sender(family)
        let limit = family == .ipv4 ? 100 : 200
        for length in [limit - 1, limit, limit + 1, 5000] {
            try await peer.send(Array(repeating: UInt8(length % 251), count: length))
            guard case .received(let content, _, _) = try await recorder.arrival() else { return }
            #expect(content == Data(repeating: UInt8(length % 251), count: min(length, limit)))
        }
    }

    @Test("34: the limit can be changed at any time", arguments: AddressFamily.allCases)
    func limitChanges(family: AddressFamily) async throws {
        try socket.bind(toPort: 0, interface: "localhost")
        try socket.beginReceiving()
        let peer = try await sender(family)
        for limit in [9216, 65_000, 10, 20_000] {
            if family == .ipv4 {
                socket.setMaxReceiveIPv4BufferSize(UInt16(limit))
            } else {
                socket.setMaxReceiveIPv6BufferSize(UInt32(limit))
            }
            #expect(socket.maxReceiveIPv4BufferSize() == (family == .ipv4 ? UInt16(limit) : 9216))
            try await peer.send(Array(repeating: 1, count: 65_000))
            guard case .received(let content, _, _) = try await recorder.arrival() else { return }
            #expect(content.count == limit)
        }
    }

    @Test("34: a limit of nothing lets nothing through, and the socket lives")
    func nothing() async throws {
        try socket.bind(toPort: 0, interface: "127.0.0.1")
        socket.setMaxReceiveIPv4BufferSize(0)
        try socket.beginReceiving()
        let peer = try await sender()
        try await peer.send(bytes("eaten"))
        // Waits until the socket has eaten it: a second one of its own is read in a later turn, if at all.
        socket.perform {}
        let other = GCDSubject()
        other.socket.send("eaten too", to: socket.address(), tag: 1)
        #expect(try await other.recorder.outcome() == .sent(1))
        socket.setMaxReceiveIPv4BufferSize(100)
        try await peer.send(bytes("heard"))
        var text = try await recorder.text()
        // What had not been read yet when the limit changed is whole.
        while text != "heard" {
            #expect(text.hasPrefix("eaten"))
            text = try await recorder.text()
        }
        #expect(!socket.isClosed())
    }

    @Test(
        "B20: what the class has no words for, a cut among others, the module's own sockets tell",
        arguments: AddressFamily.allCases
    )
    func untold(family: AddressFamily) async throws {
        socket.setMaxReceiveIPv4BufferSize(100)
        socket.setMaxReceiveIPv6BufferSize(100)
        try socket.bind(toPort: 0, interface: "localhost")
        try socket.beginReceiving()
        var options = UDPSocket.Options()
        options.maximumDatagramSize = 100
        options.metadata = .all
        let own = try UDPSocket(family: family, options: options)
        try await own.bind(to: .loopback(family))
        let peer = try UDPSocket(family: family)
        let content = [UInt8](repeating: 1, count: 200)
        try await peer.send(content, to: socket.address(family))
        try await peer.send(content, to: try await own.localAddress)
        guard case .received(let cut, _, nil) = try await recorder.arrival() else { return }
        let datagram = try await own.receive()
        #expect(cut == Data(content[..<100]) && datagram.bytes == Array(content[..<100]))
        #expect(datagram.isTruncated && datagram.length == 200 && datagram.droppedBefore == 0)
        #expect(datagram.destination == SocketAddress.loopback(family).ip && datagram.timestamp != nil)
    }

    @Test("35, B2: an empty datagram is delivered, and the socket lives", arguments: AddressFamily.allCases)
    func empty(family: AddressFamily) async throws {
        try socket.bind(toPort: 0, interface: "localhost")
        try socket.beginReceiving()
        let peer = try await sender(family)
        let contents = ["", "a", "", "", "b", ""]
        for content in contents { try await peer.send(bytes(content)) }
        let source = Data(try await peer.localAddress)
        for content in contents {
            #expect(try await recorder.arrival() == .received(data(content), from: source, context: nil))
        }
        #expect(!socket.isClosed())
    }

    @Test("35, B2: a flood of empty datagrams keeps no other from being heard")
    func emptyFlood() async throws {
        try socket.bind(toPort: 0, interface: "localhost")
        let peer = try await sender()
        let other = try await sender(.ipv6)
        for _ in 0..<200 { try await peer.send([UInt8]()) }
        try await other.send(bytes("other"))
        try socket.beginReceiving()
        var texts: [String] = []
        for _ in 0..<201 { texts.append(try await recorder.text()) }
        #expect(texts.filter { $0.isEmpty }.count == 200)
        #expect(try #require(texts.firstIndex(of: "other")) < 200)
    }

    @Test("39: with datagrams for both families waiting, neither waits for the other's end")
    func fair() async throws {
        try socket.bind(toPort: 0, interface: "localhost")
        for family in AddressFamily.allCases {
            let peer = try await sender(family)
            for number in 0..<150 { try await peer.send(bytes("\(family) \(number)")) }
        }
        try socket.beginReceiving()
        let texts = try await recorder.texts(300)
        for family in AddressFamily.allCases {
            let own = texts.filter { $0.hasPrefix("\(family) ") }
            #expect(own == (0..<150).map { "\(family) \($0)" })
            // Before half of the other's are through, the first of its own is.
            #expect(try #require(texts.firstIndex(of: "\(family) 0")) < 75)
        }
    }

    @Test("40: once is one datagram, and the next stays in the kernel")
    func once() async throws {
        try socket.bind(toPort: 0, interface: "localhost")
        let peer = try await sender()
        for number in 0..<4 { try await peer.send(bytes("\(number)")) }
        for number in 0..<2 {
            try socket.receiveOnce()
            #expect(try await recorder.text() == "\(number)")
            socket.perform {}
            subject.settle()
            #expect(recorder.log.count == number + 1)
        }
        try socket.beginReceiving()
        #expect(try await recorder.texts(2) == ["2", "3"])
        // Back again: one more, and then none.
        try socket.receiveOnce()
        for number in 4..<6 { try await peer.send(bytes("\(number)")) }
        #expect(try await recorder.text() == "4")
        subject.settle()
        #expect(recorder.log.count == 5)
        try socket.receiveOnce()
        #expect(try await recorder.text() == "5")
    }

    @Test("40: asked for once in each delegate method, all arrive in order")
    func onceEach() async throws {
        let subject = GCDSubject { socket, event in
            if case .received = event { #expect(gcdFailure { try socket.receiveOnce() } == nil) }
        }
        try subject.socket.bind(toPort: 0, interface: "localhost")
        try subject.socket.receiveOnce()
        let peer = try UDPSocket(family: .ipv4)
        for number in 0..<100 { try await peer.send(bytes("\(number)"), to: subject.socket.address()) }
        #expect(try await subject.recorder.texts(100) == (0..<100).map(String.init))
    }

    @Test("42: while paused, datagrams wait in the kernel, and come afterwards")
    func pause() async throws {
        try socket.bind(toPort: 0, interface: "localhost")
        try socket.beginReceiving()
        let peer = try await sender()
        try await peer.send(bytes("0"))
        #expect(try await recorder.text() == "0")
        socket.pauseReceiving()
        #expect(!socket.isClosed())
        for number in 1...3 { try await peer.send(bytes("\(number)")) }
        // A turn of the socket, with a send there and back, shows that it does not listen.
        socket.send("turn", to: try await peer.localAddress, tag: 9)
        #expect(try await recorder.outcome() == .sent(9))
        subject.settle()
        #expect(recorder.log.count == 2)
        try socket.beginReceiving()
        #expect(try await recorder.texts(3) == ["1", "2", "3"])
    }

    @Test("42: paused by the delegate, receiving ends; what was under way still comes, and nothing is lost")
    func pauseInside() async throws {
        let subject = GCDSubject { socket, event in
            if case .received = event { socket.pauseReceiving() }
        }
        try subject.socket.bind(toPort: 0, interface: "localhost")
        let peer = try UDPSocket(family: .ipv4)
        for number in 0..<100 { try await peer.send(bytes("\(number)"), to: subject.socket.address()) }
        var texts: [String] = []
        while texts.count < 100 {
            try subject.socket.beginReceiving()
            texts.append(try await subject.recorder.text())
        }
        #expect(texts == (0..<100).map(String.init))
    }

    @Test("B13: many datagrams at once arrive in order, and overflow no stack")
    func burst() async throws {
        try socket.bind(toPort: 0, interface: "localhost")
        let peer = try await sender()
        let room = try #require(subject.option(SOL_SOCKET, SO_RCVBUF))
        // What the kernel has room for: it counts some 800 bytes for each small datagram.
        let count = min(2000, Int(room) / 1000)
        for number in 0..<count { try await peer.send(bytes("\(number)")) }
        try socket.beginReceiving()
        #expect(try await recorder.texts(count) == (0..<count).map(String.init))
    }
}
