import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Foundation
import Glibc
import Testing

@Suite("GCD style: delegates, queues and lifetimes", .timeLimit(.minutes(1)))
struct GCDQueueTests {
    @Test("46: all is told on the delegate's queue, in the socket's order")
    func delegateQueue() async throws {
        let key = DispatchSpecificKey<Int>()
        let places = Locked<[Int?]>([])
        let subject = GCDSubject { _, _ in
            let place = DispatchQueue.getSpecific(key: key)
            places.withLock { $0.append(place) }
        }
        subject.queue.setSpecific(key: key, value: 7)
        let (peer, address) = try await boundSocket(.ipv4)
        try subject.socket.connect(toAddress: Data(address))
        try subject.socket.beginReceiving()
        for tag in 0..<3 { subject.socket.send(data("x"), withTimeout: -1, tag: tag) }
        subject.socket.send("astray", to: .loopback(.ipv4, port: 9), tag: 3)
        #expect(try await subject.recorder.outcomes(4).count == 4)
        try await peer.send(bytes("answer"), to: try await peer.receive().source)
        #expect(try await subject.recorder.text() == "answer")
        subject.socket.close()
        #expect(try await subject.recorder.change() == .connected(Data(address)))
        #expect(try await subject.recorder.change() == .closed(nil))
        #expect(
            subject.recorder.log == [
                .connected(Data(address)), .sent(0), .sent(1), .sent(2), .notSent(3, .badConfiguration),
                .received(data("answer"), from: Data(address), context: nil), .closed(nil),
            ]
        )
        #expect(places.withLock { $0 } == Array(repeating: 7, count: 7))
    }

    @Test("46: the delegate is not kept alive by the socket, and a missing one is told nothing")
    func weakDelegate() async throws {
        let (peer, address) = try await boundSocket(.ipv4)
        var recorder: GCDRecorder? = GCDRecorder()
        weak let watched = recorder
        let queue = DispatchQueue(label: "delegate")
        let socket = GCDAsyncUdpSocket(delegate: recorder, delegateQueue: queue)
        try socket.bind(toPort: 0, interface: "localhost")
        try socket.beginReceiving()
        recorder = nil
        #expect(watched == nil && socket.delegate() == nil)
        #expect(gcdFailure { try socket.enableBroadcast(true) } == .badConfiguration)
        try await peer.send(bytes("to nobody"), to: socket.address())
        socket.send("x", to: address, tag: 1)
        #expect(try await peer.text() == "x")
        socket.close()
    }

    @Test("46: what is already under way to a delegate reaches it, whoever is the delegate then")
    func changedDelegate() async throws {
        let (peer, address) = try await boundSocket(.ipv4)
        let subject = GCDSubject()
        let second = GCDRecorder()
        subject.queue.suspend()
        subject.socket.send("1", to: address, tag: 1)
        #expect(try await peer.text() == "1")
        // The socket's turn is over, so that its delegate's queue holds what it has to tell.
        subject.socket.perform {}
        subject.socket.synchronouslySetDelegate(second)
        subject.socket.send("2", to: address, tag: 2)
        #expect(try await peer.text() == "2")
        subject.socket.perform {}
        subject.queue.resume()
        #expect(try await second.outcome() == .sent(2))
        #expect(subject.recorder.log == [.sent(1)] && second.log == [.sent(2)])
    }

    @Test("46: what is under way keeps the delegate until it is told")
    func keptDelegate() async throws {
        let (peer, address) = try await boundSocket(.ipv4)
        let queue = DispatchQueue(label: "delegate")
        let (events, tell) = AsyncStream.makeStream(of: GCDEvent.self)
        var recorder: GCDRecorder? = GCDRecorder { _, event in tell.yield(event) }
        weak let watched = recorder
        let socket = GCDAsyncUdpSocket(delegate: recorder, delegateQueue: queue)
        queue.suspend()
        socket.send("1", to: address, tag: 1)
        #expect(try await peer.text() == "1")
        socket.perform {}
        recorder = nil
        #expect(watched != nil)
        queue.resume()
        #expect(try await first(of: events) == .sent(1))
        socket.close()
    }

    @Test("47: setters do not wait for the socket's queue; what is asked comes after them")
    func setters() {
        let socketQueue = DispatchQueue(label: "socket")
        let socket = GCDAsyncUdpSocket(socketQueue: socketQueue)
        let (recorder, queue) = (GCDRecorder(), DispatchQueue(label: "delegate"))
        socketQueue.suspend()
        socket.setIPv4Enabled(false)
        socket.setIPv6Enabled(false)
        socket.setPreferIPv6()
        socket.setMaxReceiveIPv4BufferSize(1)
        socket.setMaxReceiveIPv6BufferSize(2)
        socket.setUserData(3)
        socket.setDelegate(recorder)
        socket.setDelegateQueue(queue)
        socket.setSendFilter(nil, with: nil)
        socket.setReceiveFilter(nil, with: nil)
        socket.pauseReceiving()
        socket.send(data("x"), withTimeout: -1, tag: 1)
        socketQueue.resume()
        #expect(!socket.isIPv4Enabled() && !socket.isIPv6Enabled() && socket.isIPv6Preferred())
        #expect(socket.maxReceiveIPv4BufferSize() == 1 && socket.maxReceiveIPv6BufferSize() == 2)
        #expect(socket.userData() as? Int == 3)
        #expect(socket.delegate() === recorder && socket.delegateQueue() === queue)
    }

    @Test("47: on the socket's own queue, setters and getters act at once")
    func inline() {
        let socketQueue = DispatchQueue(label: "socket")
        let socket = GCDAsyncUdpSocket(socketQueue: socketQueue)
        let (recorder, queue) = (GCDRecorder(), DispatchQueue(label: "delegate"))
        for isPerformed in [true, false] {
            let body = {
                socket.setDelegate(recorder, delegateQueue: queue)
                #expect(socket.delegate() === recorder && socket.delegateQueue() === queue)
                socket.synchronouslySetDelegate(nil)
                socket.synchronouslySetDelegateQueue(nil)
                #expect(socket.delegate() == nil && socket.delegateQueue() == nil)
                socket.setIPv4Enabled(!socket.isIPv4Enabled())
                socket.synchronouslySetDelegate(recorder, delegateQueue: queue)
                #expect(gcdFailure { try socket.enableReusePort(true) } == nil)
                socket.close()
            }
            if isPerformed { socket.perform(body) } else { socketQueue.sync(execute: body) }
        }
        #expect(socket.isIPv4Enabled())
    }

    @Test("47: delegate and queue are read together")
    func together() {
        let (recorder, queue) = (GCDRecorder(), DispatchQueue(label: "delegate"))
        let socket = GCDAsyncUdpSocket(delegate: recorder, delegateQueue: queue)
        var delegate: (any GCDAsyncUdpSocketDelegate)?
        var delegateQueue: DispatchQueue?
        unsafe socket.getDelegate(&delegate, delegateQueue: &delegateQueue)
        #expect(delegate === recorder && delegateQueue === queue)
        socket.setDelegate(nil, delegateQueue: nil)
        unsafe socket.getDelegate(&delegate, delegateQueue: &delegateQueue)
        #expect(delegate == nil && delegateQueue == nil)
    }

    @Test("47: the delegate's queue can be the socket's", arguments: [true, false])
    func sameQueue(isMarked: Bool) async throws {
        let target = DispatchQueue(label: "target")
        let socketQueue = isMarked ? DispatchQueue(label: "socket", target: target) : target
        let recorder = GCDRecorder { socket, event in
            // Would wait for itself, if the socket did not know where it is.
            if case .received = event { #expect(socket.localPort() != 0) }
        }
        let socket = GCDAsyncUdpSocket(delegate: recorder, delegateQueue: target, socketQueue: socketQueue)
        if isMarked { socket.markSocketQueueTargetQueue(target) }
        try socket.bind(toPort: 0, interface: "localhost")
        try socket.beginReceiving()
        let peer = try UDPSocket(family: .ipv4)
        try await peer.send(bytes("x"), to: socket.address())
        #expect(try await recorder.text() == "x")
        if isMarked { socket.unmarkSocketQueueTargetQueue(target) }
        socket.close()
        #expect(try await recorder.change() == .closed(nil))
    }

    @Test("48: a block is performed on the socket's queue while the caller waits, and there alone are descriptors seen")
    func perform() throws {
        let key = DispatchSpecificKey<Int>()
        let socketQueue = DispatchQueue(label: "socket")
        socketQueue.setSpecific(key: key, value: 7)
        let subject = GCDSubject(socketQueue: socketQueue)
        let socket = subject.socket
        try socket.bind(toPort: 0)
        let seen = Locked<[Int32]>([])
        socket.perform {
            #expect(DispatchQueue.getSpecific(key: key) == 7)
            socket.perform {
                let all = [socket.socketFD(), socket.socket4FD(), socket.socket6FD()]
                seen.withLock { $0 = all }
            }
        }
        let descriptors = seen.withLock { $0 }
        #expect(
            descriptors.allSatisfy { $0 >= 0 } && descriptors[0] == descriptors[1] && descriptors[1] != descriptors[2]
        )
        #expect(socket.socketFD() == -1 && socket.socket4FD() == -1 && socket.socket6FD() == -1)
        let ipv6 = try GCDSubject.receiving(on: "::1")
        ipv6.socket.perform {
            #expect(ipv6.socket.socketFD() == ipv6.socket.socket6FD() && ipv6.socket.socketFD() >= 0)
        }
    }

    @Test("B14: a socket that nobody holds any more is gone, and its port is free", arguments: [true, false])
    func dropped(isReceiving: Bool) async throws {
        await NamespaceKeeper.settle()
        let recorder = GCDRecorder()
        let queue = DispatchQueue(label: "delegate")
        var socket: GCDAsyncUdpSocket? = GCDAsyncUdpSocket(delegate: recorder, delegateQueue: queue)
        try socket?.bind(toPort: 0, interface: "localhost")
        if isReceiving { try socket?.beginReceiving() }
        let port = try #require(socket?.localPort())
        weak let watched = socket
        let peer = try UDPSocket(family: .ipv4)
        try await peer.send(bytes("x"), to: .loopback(.ipv4, port: port))
        if isReceiving { #expect(try await recorder.text() == "x") }
        queue.sync {}
        socket = nil
        // A turn that has begun may still hold it for a moment.
        while watched != nil { await Task.yield() }
        for family in AddressFamily.allCases {
            let next = try UDPSocket(family: family)
            try await bindSoon(next, to: .loopback(family, port: port))
        }
    }

    @Test("B15: a queue that has served a socket is not taken for another socket's")
    func reusedQueue() {
        let key = DispatchSpecificKey<Int>()
        let (old, new) = (DispatchQueue(label: "old"), DispatchQueue(label: "new"))
        new.setSpecific(key: key, value: 1)
        old.setSpecific(key: key, value: 0)
        for _ in 0..<100 {
            autoreleased { _ = GCDAsyncUdpSocket(socketQueue: old).isClosed() }
            let socket = GCDAsyncUdpSocket(socketQueue: new)
            old.sync { socket.perform { #expect(DispatchQueue.getSpecific(key: key) == 1) } }
        }
    }

    /// A scope of its own, so that what is made in it is gone afterwards.
    private func autoreleased(_ body: () -> Void) { body() }

    @Test("Sockets that share one queue, closed in each other's delegate methods, get on with each other")
    func sharedQueue() async throws {
        let shared = DispatchQueue(label: "shared")
        let partner = GCDSubject(socketQueue: shared)
        let subject = GCDSubject(socketQueue: shared) { _, event in
            if case .received = event { partner.socket.close() }
        }
        for each in [partner, subject] {
            try each.socket.bind(toPort: 0, interface: "localhost")
            try each.socket.beginReceiving()
        }
        partner.socket.send("x", to: subject.socket.address(), tag: 1)
        #expect(try await subject.recorder.text() == "x")
        #expect(try await partner.recorder.change() == .closed(nil))
    }
}
