import DiscoverableConnection
import DiscoverableCore
import Foundation

/// What a delegate was told.
enum GCDSmokeEvent: Hashable, Sendable {
    case connected(port: UInt16)
    case notConnected(domain: String, code: Int)
    case sent(Int)
    case notSent(Int, code: Int)
    case received(String, from: UInt16)
    case filtered(String, context: String)
    /// The number of its error; 0 for none.
    case closed(Int)
}

/// A delegate that writes down what it is told, and answers where it is asked to.
class GCDSmokeRecorder: NSObject, GCDAsyncUdpSocketDelegate, @unchecked Sendable {  // safe because it is set up first
    let events: AsyncStream<GCDSmokeEvent>
    private let continuation: AsyncStream<GCDSmokeEvent>.Continuation
    /// Called for each datagram, on the delegate's queue.
    var onReceive: ((GCDAsyncUdpSocket, Data, Data) -> Void)?
    var onClose: ((GCDAsyncUdpSocket) -> Void)?

    override init() {
        (events, continuation) = AsyncStream.makeStream()
        super.init()
    }

    func udpSocket(_ sock: GCDAsyncUdpSocket, didConnectToAddress address: Data) {
        continuation.yield(.connected(port: GCDAsyncUdpSocket.port(fromAddress: address)))
    }

    func udpSocket(_ sock: GCDAsyncUdpSocket, didNotConnect error: any Error) {
        continuation.yield(.notConnected(domain: (error as NSError).domain, code: (error as NSError).code))
    }

    func udpSocket(_ sock: GCDAsyncUdpSocket, didSendDataWithTag tag: Int) { continuation.yield(.sent(tag)) }

    func udpSocket(_ sock: GCDAsyncUdpSocket, didNotSendDataWithTag tag: Int, dueToError error: any Error) {
        continuation.yield(.notSent(tag, code: (error as NSError).code))
    }

    func udpSocket(
        _ sock: GCDAsyncUdpSocket,
        didReceive data: Data,
        fromAddress address: Data,
        withFilterContext filterContext: Any?
    ) {
        let text = String(decoding: data, as: UTF8.self)
        if let context = filterContext as? NSString {
            continuation.yield(.filtered(text, context: context as String))
        } else {
            continuation.yield(.received(text, from: GCDAsyncUdpSocket.port(fromAddress: address)))
        }
        onReceive?(sock, data, address)
    }

    func udpSocketDidClose(_ sock: GCDAsyncUdpSocket, withError error: any Error) {
        continuation.yield(.closed((error as NSError).code))
        onClose?(sock)
    }
}

/// A socket with its delegate.
struct GCDSmokeEnd {
    let recorder: GCDSmokeRecorder
    let socket: GCDAsyncUdpSocket
    private var iterator: AsyncStream<GCDSmokeEvent>.Iterator

    init(socketQueue: DispatchQueue? = nil, delegateQueue: DispatchQueue = DispatchQueue(label: "delegate")) {
        recorder = GCDSmokeRecorder()
        socket = GCDAsyncUdpSocket(delegate: recorder, delegateQueue: delegateQueue, socketQueue: socketQueue)
        iterator = recorder.events.makeAsyncIterator()
    }

    /// One that is bound to the loopback interface, and receives.
    static func receiving() throws -> GCDSmokeEnd {
        let end = GCDSmokeEnd()
        try end.socket.bind(toPort: 0, interface: "localhost")
        try end.socket.beginReceiving()
        return end
    }

    var port: UInt16 { socket.localPort() }

    /// The next that the delegate is told.
    mutating func next() async -> GCDSmokeEvent? { await iterator.next(isolation: #isolation) }

    /// The next that the delegate is told.
    mutating func next(_ count: Int) async -> [GCDSmokeEvent] {
        var events: [GCDSmokeEvent] = []
        while events.count < count, let event = await next() { events.append(event) }
        return events
    }

    func send(_ text: String, to port: UInt16, tag: Int = 0, timeout: TimeInterval = -1) {
        socket.send(Data(text.utf8), toHost: "127.0.0.1", port: port, withTimeout: timeout, tag: tag)
    }
}

/// The number and domain of the error that a call throws.
func gcdSmokeError(_ body: () throws -> Void) -> (domain: String, code: Int)? {
    do {
        try body()
        return nil
    } catch {
        return ((error as NSError).domain, (error as NSError).code)
    }
}
