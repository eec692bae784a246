import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Foundation
import Glibc
import Testing

@Suite("GCD style: closing", .timeLimit(.minutes(1)))
struct GCDClosingTests {
    private let subject = GCDSubject()

    private var socket: GCDAsyncUdpSocket { subject.socket }
    private var recorder: GCDRecorder { subject.recorder }

    @Test("43: closing is told once, where there was something to close")
    func once() async throws {
        socket.close()
        subject.settle()
        #expect(recorder.log.isEmpty)
        try socket.bind(toPort: 0)
        try socket.beginReceiving()
        socket.close()
        #expect(socket.isClosed() && subject.exists == [false, false])
        socket.close()
        socket.closeAfterSending()
        socket.perform {}
        subject.settle()
        #expect(recorder.log == [.closed(nil)])
    }

    @Test("43: closing discards what waits, silently")
    func discards() async throws {
        let (peer, address) = try await boundSocket(.ipv4)
        let gate = DispatchSemaphore(value: 0)
        let filterQueue = DispatchQueue(label: "filter")
        socket.setSendFilter(
            { _, _, _ in
                gate.wait()
                return true
            },
            with: filterQueue
        )
        for tag in 0..<10 { socket.send("lost", to: address, tag: tag) }
        socket.close()
        gate.signal()
        filterQueue.sync {}
        socket.perform {}
        #expect(try await recorder.change() == .closed(nil))
        subject.settle()
        #expect(recorder.log == [.closed(nil)])
        let direct = try UDPSocket(family: .ipv4)
        try await direct.send(bytes("end"), to: address)
        #expect(try await peer.text() == "end")
    }

    @Test("43: when the delegate is told that a socket is closed, its port is free", arguments: [true, false])
    func freePort(isAfterSending: Bool) async throws {
        await NamespaceKeeper.settle()
        for _ in 0..<20 {
            let next = Locked<(port: UInt16, failure: GCDFailure?, isDone: Bool)>((0, nil, false))
            let successor = GCDSubject()
            let subject = GCDSubject { _, event in
                guard case .closed = event else { return }
                let port = next.withLock { $0.port }
                let failure = gcdFailure { try successor.socket.bind(toPort: port, interface: "localhost") }
                next.withLock { $0 = (port, failure, true) }
            }
            try subject.socket.bind(toPort: 0, interface: "localhost")
            try subject.socket.beginReceiving()
            let port = subject.socket.localPort()
            next.withLock { $0.port = port }
            if isAfterSending { subject.socket.closeAfterSending() } else { subject.socket.close() }
            #expect(try await subject.recorder.change() == .closed(nil))
            let (_, failure, isDone) = next.withLock { $0 }
            #expect(isDone && failure == nil)
        }
    }

    @Test("43: nothing comes after the end", arguments: [true, false])
    func last(isBusy: Bool) async throws {
        try socket.bind(toPort: 0, interface: "localhost")
        try socket.beginReceiving()
        let own = socket.address()
        let peer = try UDPSocket(family: .ipv4)
        for number in 0..<100 {
            try await peer.send(bytes("\(number)"), to: own)
            if isBusy { socket.send("x", to: own, tag: number) }
        }
        socket.close()
        #expect(try await recorder.change() == .closed(nil))
        socket.perform {}
        subject.settle()
        #expect(recorder.log.last == .closed(nil))
    }

    @Test("44: closing after sending closes at once what has nothing to send")
    func idle() async throws {
        try socket.bind(toPort: 0)
        socket.closeAfterSending()
        #expect(try await recorder.change() == .closed(nil))
        #expect(socket.isClosed())
    }

    @Test("44: closing after sending waits for all that was queued, also for what fails")
    func afterSending() async throws {
        let (peer, address) = try await boundSocket(.ipv4)
        socket.perform { [socket] in
            socket.send(data("1"), toHost: "localhost", port: address.port, withTimeout: -1, tag: 1)
            socket.send(data("2"), toHost: impossibleHost, port: address.port, withTimeout: -1, tag: 2)
            socket.closeAfterSending()
            // Still accepted, while others wait.
            socket.send("3", to: address, tag: 3)
        }
        #expect(try await recorder.change() == .closed(nil))
        #expect(recorder.log == [.sent(1), .notSent(2, .nameResolution(EAI_NONAME)), .sent(3), .closed(nil)])
        #expect(try await peer.texts(2) == ["1", "3"])
    }

    @Test("44: closing after sending waits for a connection")
    func afterConnecting() async throws {
        let (peer, address) = try await boundSocket(.ipv4)
        socket.perform { [socket] in
            #expect(gcdFailure { try socket.connect(toHost: "localhost", onPort: address.port) } == nil)
            socket.send(data("1"), withTimeout: -1, tag: 1)
            socket.closeAfterSending()
        }
        #expect(try await recorder.change() == .connected(Data(address)))
        #expect(try await recorder.change() == .closed(nil))
        #expect(recorder.log == [.connected(Data(address)), .sent(1), .closed(nil)])
        #expect(try await peer.text() == "1")
    }

    @Test("45: what survives closing, and what does not")
    func survival() async throws {
        let (peer, address) = try await boundSocket(.ipv4)
        let (filtered, filter) = AsyncStream.makeStream(of: Int.self)
        socket.setPreferIPv6()
        socket.setIPv6Enabled(false)
        socket.setMaxReceiveIPv4BufferSize(5)
        socket.setUserData("mine")
        socket.setSendFilter(
            { _, _, tag in
                filter.yield(tag)
                return true
            },
            with: DispatchQueue(label: "filter")
        )
        socket.setReceiveFilter(
            { content, _, _ in content != data("no") },
            with: DispatchQueue(label: "filter")
        )
        try socket.enableBroadcast(true)
        try socket.connect(toAddress: Data(address))
        #expect(try await recorder.change() == .connected(Data(address)))
        try socket.beginReceiving()
        socket.close()
        #expect(try await recorder.change() == .closed(nil))

        #expect(socket.isIPv6Preferred() && socket.isIPv4Enabled() && !socket.isIPv6Enabled())
        #expect(socket.maxReceiveIPv4BufferSize() == 5 && socket.userData() as? String == "mine")
        #expect(socket.delegate() === recorder && socket.delegateQueue() === subject.queue)
        #expect(!socket.isConnected() && socket.localPort() == 0)
        #expect(socket.connectedAddress() == nil && socket.connectedHost() == nil && socket.connectedPort() == 0)
        #expect(gcdFailure { try socket.beginReceiving() } == .badConfiguration)

        try socket.bind(toPort: 0)
        #expect(subject.option(SOL_SOCKET, SO_BROADCAST) == 0)
        socket.send("x", to: address, tag: 4)
        #expect(try await first(of: filtered) == 4)
        let source = try await peer.receive().source
        for text in ["unheard", "no", "longer"] { try await peer.send(bytes(text), to: source) }
        subject.settle()
        #expect(!recorder.log.contains { if case .received = $0 { true } else { false } })
        try socket.beginReceiving()
        #expect(try await recorder.texts(2) == ["unhea", "longe"])
    }

    @Test("45, B17: closed, a socket knows no peer any more")
    func forgotten() async throws {
        try socket.connect(toAddress: Data(.loopback(.ipv4, port: 9)))
        #expect(try await recorder.change() == .connected(Data(.loopback(.ipv4, port: 9))))
        #expect(socket.connectedHost() == "127.0.0.1")
        socket.close()
        #expect(socket.connectedAddress() == nil && socket.connectedHost() == nil && socket.connectedPort() == 0)
    }

    /// In a process of its own: the descriptors that are counted are the process's.
    @Test("Opened and closed many times, a socket leaves no descriptor behind")
    func manyTimes() async {
        await #expect(processExitsWith: .success) {
            let tests = GCDClosingTests()
            try await tests.openAndClose(rounds: 2)
            let before = ProcessState.current.descriptors
            try await tests.openAndClose(rounds: 200)
            // What the process opens once, or closes a moment later, is not two hundred.
            let left = ProcessState.current.descriptors - before
            #expect(left < 20, "\(left) descriptors are left of 200 sockets")
        }
    }

    private func openAndClose(rounds: Int) async throws {
        let (peer, address) = try await boundSocket(.ipv4)
        for round in 0..<rounds {
            try socket.bind(toPort: 0, interface: "localhost")
            try socket.beginReceiving()
            socket.send("\(round)", to: address, tag: round)
            #expect(try await recorder.outcome() == .sent(round))
            #expect(try await peer.text() == "\(round)")
            socket.close()
            #expect(try await recorder.change() == .closed(nil))
        }
        await peer.close()
    }
}
