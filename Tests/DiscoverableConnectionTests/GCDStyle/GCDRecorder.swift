import DiscoverableConnection
@_spi(Package) import DiscoverableRuntime
import Foundation

/// What a delegate is told.
enum GCDEvent: Equatable, Sendable {
    case connected(Data)
    case notConnected(GCDFailure)
    case sent(Int)
    case notSent(Int, GCDFailure)
    case received(Data, from: Data, context: String?)
    case closed(GCDFailure?)
}

/// An error by its domain and its number, as apps look at it.
struct GCDFailure: Equatable, Sendable, CustomStringConvertible {
    let domain: String
    let code: Int
    var text = ""

    var description: String { "\(domain) \(code): \(text)" }

    static let badConfiguration = GCDFailure(.badConfigError)
    static let badParameter = GCDFailure(.badParamError)
    static let timeout = GCDFailure(.sendTimeoutError)
    static let other = GCDFailure(.otherError)

    static func posix(_ number: Int32) -> GCDFailure { GCDFailure(domain: NSPOSIXErrorDomain, code: Int(number)) }
    static func nameResolution(_ number: Int32) -> GCDFailure {
        GCDFailure(domain: "kCFStreamErrorDomainNetDB", code: Int(number))
    }

    static func == (one: GCDFailure, other: GCDFailure) -> Bool { one.domain == other.domain && one.code == other.code }

    init(domain: String, code: Int) {
        self.domain = domain
        self.code = code
    }

    private init(_ code: GCDAsyncUdpSocketError) {
        self.init(domain: GCDAsyncUdpSocketErrorDomain, code: code.rawValue)
    }

    init(_ error: any Error) {
        let error = error as NSError
        self.init(domain: error.domain, code: error.code)
        text = error.localizedDescription
    }
}

/// The error that a call throws; nil if it throws none.
func gcdFailure(_ body: () throws -> Void) -> GCDFailure? {
    do {
        try body()
        return nil
    } catch {
        return GCDFailure(error)
    }
}

/// A delegate that keeps what it is told, for a test that waits for it: what became of sends, what arrived, and the rest.
final class GCDRecorder: NSObject, GCDAsyncUdpSocketDelegate, @unchecked Sendable {  // safe because all is constant

    struct Silence: Error {}

    private let kept = Locked<[GCDEvent]>([])
    private let outcomes = AsyncStream.makeStream(of: GCDEvent.self)
    private let arrivals = AsyncStream.makeStream(of: GCDEvent.self)
    private let changes = AsyncStream.makeStream(of: GCDEvent.self)
    private let reaction: (@Sendable (GCDAsyncUdpSocket, GCDEvent) -> Void)?

    /// - Parameters:
    ///   - reaction: what the delegate does in each of its methods.
    init(reaction: (@Sendable (GCDAsyncUdpSocket, GCDEvent) -> Void)? = nil) {
        self.reaction = reaction
    }

    /// All that was told so far, in order.
    var log: [GCDEvent] { kept.withLock { $0 } }

    /// The next end of a send.
    func outcome() async throws -> GCDEvent { try await next(of: outcomes.stream) }

    /// That many ends of sends.
    func outcomes(_ count: Int) async throws -> [GCDEvent] {
        var events: [GCDEvent] = []
        for _ in 0..<count { events.append(try await outcome()) }
        return events
    }

    /// The next datagram.
    func arrival() async throws -> GCDEvent { try await next(of: arrivals.stream) }

    /// The content of the next datagram, as text.
    func text() async throws -> String {
        guard case .received(let data, _, _) = try await arrival() else { throw Silence() }
        return String(decoding: data, as: UTF8.self)
    }

    func texts(_ count: Int) async throws -> [String] {
        var texts: [String] = []
        for _ in 0..<count { texts.append(try await text()) }
        return texts
    }

    /// The next event of the socket itself: connected, not connected, or closed.
    func change() async throws -> GCDEvent { try await next(of: changes.stream) }

    /// Ends with the test, when its time is over.
    private func next(of stream: AsyncStream<GCDEvent>) async throws -> GCDEvent {
        for await event in stream { return event }
        throw Silence()
    }

    private func keep(_ event: GCDEvent, of socket: GCDAsyncUdpSocket) {
        kept.withLock { $0.append(event) }
        reaction?(socket, event)
        switch event {
        case .sent, .notSent: outcomes.continuation.yield(event)
        case .received: arrivals.continuation.yield(event)
        case .connected, .notConnected, .closed: changes.continuation.yield(event)
        }
    }

    func udpSocket(_ sock: GCDAsyncUdpSocket, didConnectToAddress address: Data) { keep(.connected(address), of: sock) }

    func udpSocket(_ sock: GCDAsyncUdpSocket, didNotConnect error: any Error) {
        keep(.notConnected(GCDFailure(error)), of: sock)
    }

    func udpSocket(_ sock: GCDAsyncUdpSocket, didSendDataWithTag tag: Int) { keep(.sent(tag), of: sock) }

    func udpSocket(_ sock: GCDAsyncUdpSocket, didNotSendDataWithTag tag: Int, dueToError error: any Error) {
        keep(.notSent(tag, GCDFailure(error)), of: sock)
    }

    func udpSocket(
        _ sock: GCDAsyncUdpSocket,
        didReceive data: Data,
        fromAddress address: Data,
        withFilterContext filterContext: Any?
    ) {
        keep(.received(data, from: address, context: filterContext as? String), of: sock)
    }

    func udpSocketDidClose(_ sock: GCDAsyncUdpSocket, withError error: (any Error)?) {
        keep(.closed(error.map(GCDFailure.init)), of: sock)
    }
}
