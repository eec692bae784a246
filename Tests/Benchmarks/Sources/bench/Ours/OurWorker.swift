internal import CInstruments
internal import DiscoverableConnection

/// Our sockets as workers, by the name that a probe calls them.
enum OurWorker: String {
    case server = "ours-server"
    case client = "ours-client"
    case shared = "ours-shared"
    case bulkReceiver = "ours-bulk-receiver"
    case bulkSender = "ours-bulk-sender"
    case wakeUpReceiver = "ours-wakeup-receiver"
    case allocationsServer = "ours-allocations-server"
    case idle = "ours-idle"
    case openClose = "ours-open-close"
    case delegateServer = "delegate-server"
    case delegateClient = "delegate-client"
    case delegateAllocationsServer = "delegate-allocations-server"
    case originalServer = "original-server"
    case originalClient = "original-client"

    /// Returns when the result is said; a worker that only serves never does.
    @MainActor
    func run(_ arguments: [String]) async throws {
        let numbers = arguments.compactMap { Int($0) }
        switch self {
        case .server: try await serve(Manner(arguments))
        case .client: try await exchange(Manner(arguments), Load(numbers), port: numbers.last)
        case .shared: try await exchangeOnOneLoop(Load(numbers))
        case .bulkReceiver: try await receiveBulk(Load(numbers))
        case .bulkSender: try await sendBulk(size: numbers.first, port: numbers.last)
        case .wakeUpReceiver: try await receiveStamps(samples: numbers.first)
        case .allocationsServer: try await countAllocations(Load(numbers))
        case .idle: try await stayIdle(sockets: numbers.first)
        case .openClose: try await openAndClose(sockets: numbers.first)
        case .delegateServer: try serveDelegate(usesOffloads: arguments.first == "offloads")
        case .delegateClient:
            try exchangeByDelegate(usesOffloads: arguments.first == "offloads", Load(numbers), port: numbers.last)
        case .delegateAllocationsServer: try countAllocationsOfDelegate(Load(numbers))
        case .originalServer: try serveLikeTheOriginal()
        case .originalClient: try exchangeLikeTheOriginal(Load(numbers), port: numbers.last)
        }
    }
}

struct WorkerError: Error, CustomStringConvertible {
    let description: String
}

/// A number of a worker's arguments that has to be there.
func required<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw WorkerError(description: "an argument is missing") }
    return value
}

/// Lets what serves live, which a local variable ahead of a call that never returns does not, until the process is ended.
@MainActor
func serve(with server: Any) -> Never {
    served = server
    while true { pause(milliseconds: 1000) }
}

@MainActor private var served: Any?

extension UDPSocket {
    /// A socket on a free port of 127.0.0.1.
    static func bound(offloads: Bool = true, loop: EventLoop = .shared) async throws -> UDPSocket {
        var options = Options()
        options.offloads = offloads ? .all : .none
        let socket = try UDPSocket(family: .ipv4, options: options, loop: loop)
        try await socket.bind(to: SocketAddress(.v4(.loopback), port: 0))
        return socket
    }

    /// The same, and its port said.
    static func announced(offloads: Bool = true) async throws -> UDPSocket {
        let socket = try await bound(offloads: offloads)
        Output.say(String(try await socket.localAddress.port))
        return socket
    }

    /// A socket whose peer is that port of 127.0.0.1.
    static func connected(to port: Int, offloads: Bool = true, loop: EventLoop = .shared) async throws -> UDPSocket {
        var options = Options()
        options.offloads = offloads ? .all : .none
        let socket = try UDPSocket(family: .ipv4, options: options, loop: loop)
        try await socket.connect(to: SocketAddress(.v4(.loopback), port: UInt16(clamping: port)))
        return socket
    }
}
