@_spi(Package) import DiscoverableCore

/// A datagram that the kernel was given: which one it is follows from its place.
struct Departure: Hashable, Sendable {
    let route: DatagramRoute
    let offset: Int
    let length: Int
}

/// A kernel that answers send calls by a script, and takes everything once that is over.
struct FakeKernel {
    enum Answer: Hashable, Sendable {
        /// So many messages, or fewer where fewer were given.
        case takes(Int)
        case fails(SystemCondition)
    }

    var script: [Answer] = []
    /// What it has taken, datagram by datagram.
    private(set) var departed: [Departure] = []
    /// How many datagrams each message of each call held.
    private(set) var calls: [[Int]] = []

    mutating func send(_ messages: ArraySlice<SendMachine.Message>) -> Answer {
        calls.append(messages.map(\.count))
        let answer = script.isEmpty ? .takes(messages.count) : script.removeFirst()
        guard case .takes(let count) = answer else { return answer }
        for message in messages.prefix(count) { departed += message.departures }
        return .takes(min(count, messages.count))
    }
}

extension SendMachine.Message {
    /// What the kernel makes of the message.
    var departures: [Departure] {
        if count == 1 { return [Departure(route: route, offset: offset, length: length)] }
        return (0..<count).map { index in
            let start = index * segment
            return Departure(route: route, offset: offset + start, length: min(segment, length - start))
        }
    }
}

/// Drives a machine as the engine does, with the fake kernel in place of the real one.
struct ScriptedSender {
    var machine: SendMachine
    var kernel = FakeKernel()
    var outcomes: [SendMachine.Outcome] = []
    private var end = 0

    init(usesSegmentation: Bool = true) { machine = SendMachine(usesSegmentation: usesSegmentation) }

    /// The error that goes with a condition.
    static func error(_ condition: SystemCondition) -> UnderlyingError {
        UnderlyingError(domain: .errno, number: 1, call: "sendmmsg", text: "\(condition)")
    }

    mutating func enqueue(_ lengths: [Int], route: DatagramRoute = .peer(1), tickets: [UInt64?] = []) {
        for (index, length) in lengths.enumerated() {
            let ticket = index < tickets.count ? tickets[index] : nil
            machine.enqueue(length: length, at: end, route: route, ticket: ticket)
            end += length
        }
    }

    /// Calls the kernel until nothing is left or there is no room.
    @discardableResult
    mutating func run(_ script: FakeKernel.Answer...) -> SendMachine.Step {
        kernel.script = script
        var step = SendMachine.Step.sendAgain
        while step == .sendAgain, !machine.isEmpty {
            switch kernel.send(machine.messages) {
            case .takes(let count): step = machine.sent(count)
            case .fails(let condition): step = machine.failed(condition, Self.error(condition))
            }
            outcomes += machine.takeOutcomes()
        }
        return step
    }

    /// Moves the bytes that are still needed to the front of the buffer.
    mutating func compact() {
        guard let first = machine.firstOffset else { return }
        machine.moved(by: first)
        end -= first
    }

    /// The lengths of what has left, in order.
    var departedLengths: [Int] { kernel.departed.map(\.length) }

    /// The tickets that were told that the kernel has their datagrams, in order.
    var sentTickets: [UInt64] { outcomes.compactMap { $0.failure == nil ? $0.ticket : nil } }

    /// The tickets that were told of a failure, in order.
    var failedTickets: [UInt64] { outcomes.compactMap { $0.failure == nil ? nil : $0.ticket } }
}

extension DatagramRoute {
    /// A route to the peer with this number.
    static func peer(_ number: UInt8, options: SendOptions = SendOptions()) -> DatagramRoute {
        DatagramRoute(SocketAddress(.v4(IPv4Address(192, 0, 2, number)), port: 9), options: options)
    }
}
