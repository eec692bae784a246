import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Foundation
import Testing

@Suite("GCD style: filters of what is sent", .timeLimit(.minutes(1)))
struct GCDSendFilterTests {
    /// What a filter is asked.
    struct Question: Equatable, Sendable {
        let content: Data
        let host: String?
        let tag: Int
    }

    private let subject = GCDSubject()
    private let peer: UDPSocket
    private let address: SocketAddress
    private let filterQueue = DispatchQueue(label: "filter")
    private let questions = Locked<[Question]>([])

    init() async throws {
        (peer, address) = try await boundSocket(.ipv4)
    }

    private var socket: GCDAsyncUdpSocket { subject.socket }
    private var recorder: GCDRecorder { subject.recorder }

    /// What the filter is asked is kept; without the socket, which keeps the filter.
    private func asking(_ answer: @escaping @Sendable (Int) -> Bool) -> GCDAsyncUdpSocketSendFilterBlock {
        { [questions] content, address, tag in
            let question = Question(content: content, host: GCDAsyncUdpSocket.host(fromAddress: address), tag: tag)
            questions.withLock { $0.append(question) }
            return answer(tag)
        }
    }

    @Test(
        "33: a filter sees each datagram once, with its address; what it drops is told as sent",
        arguments: [true, false]
    )
    func dropped(isAsynchronous: Bool) async throws {
        socket.setSendFilter(asking { $0 != 2 }, with: filterQueue, isAsynchronous: isAsynchronous)
        socket.send("first", to: address, tag: 1)
        socket.send("second", to: address, tag: 2)
        socket.send(data("third"), toHost: "localhost", port: address.port, withTimeout: -1, tag: 3)
        socket.send(data("fourth"), toHost: impossibleHost, port: address.port, withTimeout: -1, tag: 4)
        #expect(
            try await recorder.outcomes(4) == [.sent(1), .sent(2), .sent(3), .notSent(4, .nameResolution(-2))]
        )
        #expect(try await peer.texts(2) == ["first", "third"])
        #expect(
            questions.withLock { $0 }
                == [(1, "first"), (2, "second"), (3, "third")].map {
                    Question(content: data($0.1), host: "127.0.0.1", tag: $0.0)
                }
        )
    }

    @Test("33: with a peer, the filter gets the peer's address")
    func connected() async throws {
        socket.setSendFilter(asking { _ in true }, with: filterQueue)
        try socket.connect(toAddress: Data(address))
        socket.send(data("x"), withTimeout: -1, tag: 7)
        #expect(try await recorder.outcome() == .sent(7))
        #expect(questions.withLock { $0 } == [Question(content: data("x"), host: "127.0.0.1", tag: 7)])
    }

    @Test("33: the queue waits for an asynchronous filter; the socket does not")
    func waiting() async throws {
        let gate = DispatchSemaphore(value: 0)
        socket.setSendFilter(
            { _, _, tag in
                if tag == 1 { gate.wait() }
                return true
            },
            with: filterQueue
        )
        try socket.bind(toPort: 0, interface: "localhost")
        try socket.beginReceiving()
        socket.send("first", to: address, tag: 1)
        socket.send("second", to: address, tag: 2)
        // The socket works meanwhile.
        try await peer.send(bytes("meanwhile"), to: socket.address())
        #expect(try await recorder.text() == "meanwhile")
        #expect(recorder.log.count == 1)
        gate.signal()
        #expect(try await recorder.outcomes(2) == [.sent(1), .sent(2)])
        #expect(try await peer.texts(2) == ["first", "second"])
    }

    @Test("33, 43: what a filter says after closing means nothing")
    func lateAnswer() async throws {
        let (entered, enter) = AsyncStream.makeStream(of: Void.self)
        let gate = DispatchSemaphore(value: 0)
        socket.setSendFilter(
            { _, _, tag in
                guard tag < 3 else { return true }
                enter.yield()
                gate.wait()
                return true
            },
            with: filterQueue
        )
        socket.send("lost", to: address, tag: 1)
        socket.send("lost too", to: address, tag: 2)
        #expect(try await first(of: entered) != nil)
        socket.close()
        #expect(try await recorder.change() == .closed(nil))
        socket.send("new", to: address, tag: 3)
        gate.signal()
        #expect(try await recorder.outcome() == .sent(3))
        #expect(try await peer.text() == "new")
        #expect(recorder.log == [.closed(nil), .sent(3)])
    }

    @Test("33, B12: a filter that is taken away while it is asked is not called any more, and nothing is lost")
    func removed() async throws {
        let filter: GCDAsyncUdpSocketSendFilterBlock = { _, _, _ in true }
        for tag in 0..<500 {
            if tag.isMultiple(of: 2) {
                socket.setSendFilter(filter, with: filterQueue)
            } else {
                socket.setSendFilter(nil, with: nil)
            }
            socket.send("\(tag)", to: address, tag: tag)
        }
        #expect(try await recorder.outcomes(500) == (0..<500).map { .sent($0) })
    }
}
