import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Foundation
import Testing

@Suite("GCD style: filters of what is received", .timeLimit(.minutes(1)))
struct GCDReceiveFilterTests {
    private let subject = GCDSubject()
    private let peer: UDPSocket
    private let filterQueue = DispatchQueue(label: "filter")

    init() async throws {
        try subject.socket.bind(toPort: 0, interface: "127.0.0.1")
        peer = try UDPSocket(family: .ipv4)
        try await peer.connect(to: subject.socket.address())
    }

    private var socket: GCDAsyncUdpSocket { subject.socket }
    private var recorder: GCDRecorder { subject.recorder }

    private func send(_ texts: String...) async throws {
        for text in texts { try await peer.send(bytes(text)) }
    }

    @Test("41: a filter lets through what it likes, with a context for the delegate", arguments: [true, false])
    func context(isAsynchronous: Bool) async throws {
        socket.setReceiveFilter(
            { content, address, context in
                let text = String(decoding: content, as: UTF8.self)
                context.pointee = "\(text) of \(GCDAsyncUdpSocket.host(fromAddress: address) ?? "nobody")" as NSString
                return text != "no"
            },
            with: filterQueue,
            isAsynchronous: isAsynchronous
        )
        try socket.beginReceiving()
        try await send("a", "no", "", "b")
        let source = Data(try await peer.localAddress)
        for text in ["a", "", "b"] {
            #expect(
                try await recorder.arrival()
                    == .received(data(text), from: source, context: "\(text) of 127.0.0.1")
            )
        }
        socket.setReceiveFilter(nil, with: nil)
        try await send("no")
        #expect(try await recorder.arrival() == .received(data("no"), from: source, context: nil))
    }

    @Test("40, 41: what a filter rejects does not count as once", arguments: [true, false])
    func rejectedOnce(isAsynchronous: Bool) async throws {
        socket.setReceiveFilter(
            { content, _, _ in content == data("yes") },
            with: filterQueue,
            isAsynchronous: isAsynchronous
        )
        try socket.receiveOnce()
        try await send("no", "no", "yes", "yes")
        #expect(try await recorder.text() == "yes")
        filterQueue.sync {}
        socket.perform {}
        subject.settle()
        #expect(recorder.log.count == 1)
        try socket.receiveOnce()
        #expect(try await recorder.text() == "yes")
    }

    @Test("40: once with an asynchronous filter, no second datagram is read while the first is looked at")
    func oneAtATime() async throws {
        let seen = Locked(0)
        let (entered, enter) = AsyncStream.makeStream(of: Void.self)
        let gate = DispatchSemaphore(value: 0)
        socket.setReceiveFilter(
            { _, _, _ in
                seen.withLock { $0 += 1 }
                enter.yield()
                gate.wait()
                return true
            },
            with: DispatchQueue(label: "filters", attributes: .concurrent)
        )
        try socket.receiveOnce()
        try await send("1", "2", "3")
        #expect(try await first(of: entered) != nil)
        socket.perform {}
        #expect(seen.withLock { $0 } == 1)
        gate.signal()
        #expect(try await recorder.text() == "1")
        #expect(seen.withLock { $0 } == 1)
    }

    @Test("41: the delegate is the one at the time when the filter has decided; order is the filter queue's")
    func delegateAfterFilter() async throws {
        let (entered, enter) = AsyncStream.makeStream(of: Void.self)
        let gate = DispatchSemaphore(value: 0)
        socket.setReceiveFilter(
            { content, _, _ in
                if content == data("1") {
                    enter.yield()
                    gate.wait()
                }
                return true
            },
            with: filterQueue
        )
        try socket.beginReceiving()
        try await send("1", "2")
        #expect(try await first(of: entered) != nil)
        let later = GCDRecorder()
        socket.synchronouslySetDelegate(later)
        gate.signal()
        #expect(try await later.texts(2) == ["1", "2"])
        #expect(recorder.log.isEmpty)
    }

    @Test("41, B19: what a filter says after closing is told nobody, and is not the once of the next opening")
    func lateAnswer() async throws {
        let (entered, enter) = AsyncStream.makeStream(of: Void.self)
        let gate = DispatchSemaphore(value: 0)
        socket.setReceiveFilter(
            { content, _, _ in
                if content == data("late") {
                    enter.yield()
                    gate.wait()
                }
                return true
            },
            with: filterQueue
        )
        try socket.beginReceiving()
        try await send("late")
        #expect(try await first(of: entered) != nil)
        socket.close()
        try socket.bind(toPort: 0, interface: "127.0.0.1")
        try socket.receiveOnce()
        gate.signal()
        filterQueue.sync {}
        socket.perform {}
        subject.settle()
        #expect(recorder.log == [.closed(nil)])
        let next = try UDPSocket(family: .ipv4)
        try await next.send(bytes("new"), to: socket.address())
        #expect(try await recorder.text() == "new")
        #expect(recorder.log.count == 2)
    }

    @Test("B12: a filter that is taken away while datagrams wait for it is not called any more, and nothing is lost")
    func removed() async throws {
        try socket.beginReceiving()
        for number in 0..<200 {
            if number.isMultiple(of: 2) {
                socket.setReceiveFilter({ _, _, _ in true }, with: filterQueue)
            } else {
                socket.setReceiveFilter(nil, with: nil)
            }
            try await send("\(number)")
        }
        let numbers = try await recorder.texts(200).compactMap(Int.init)
        #expect(numbers.sorted() == Array(0..<200))
    }
}
