@_spi(Package) import DiscoverableCore

/// A machine beside the plainest account of what it should know: the datagrams that wait, in order.
struct SendRun<Chance: RandomNumberGenerator> {
    private struct Item {
        let number: Int
        /// Its place is counted from the first byte ever: it does not change when the bytes move.
        let departure: Departure
        let ticket: UInt64?
    }

    /// An outcome as it must be told.
    private struct Told: Equatable {
        let route: DatagramRoute
        let ticket: UInt64?
        let failure: UnderlyingError?
        let datagrams: Int
    }

    private(set) var violation: String?
    private var machine: SendMachine
    private(set) var chance: Chance
    private var waiting: [Item] = []
    /// The numbers of the datagrams with an end, by its kind.
    private var departed: [Int] = []
    private var failed: [Int] = []
    private var cancelled: [Int] = []
    private var ticketsAnswered: [UInt64] = []
    private var ticketCount: UInt64 = 0
    private var count = 0
    private var end = 0
    private var moved = 0
    private var expected: [Told] = []
    /// Where the device has refused merged messages.
    private var refusedPaths: Set<IPAddress?> = []

    private let lengths = [0, 1, 63, 64, 64, 64, 64, 64, 100, 1_200, 1_200, 30_000, 65_507]
    private let routes: [DatagramRoute] = [
        .peer(1), .peer(1), .peer(1), .peer(2), .peer(1, options: SendOptions(interface: InterfaceIndex(rawValue: 2))),
        DatagramRoute(nil),
    ]
    private let failures: [SystemCondition] = [
        .wouldBlock, .wouldBlock, .interrupted, .noBufferSpace, .refused, .refused, .unreachable, .tooLarge,
        .inputOutput,
        .invalidArgument, .permissionDenied, .outOfResources,
    ]

    init(chance: Chance, usesSegmentation: Bool) {
        self.chance = chance
        machine = SendMachine(usesSegmentation: usesSegmentation)
    }

    mutating func step() {
        switch Int.random(in: 0..<100, using: &chance) {
        case ..<40: enqueueRun()
        case ..<80: call(fails: Int.random(in: 0..<2, using: &chance) == 0)
        case ..<88: cancel()
        case ..<94: move()
        default: machine.becameWritable()
        }
        check()
    }

    /// From now on the kernel takes everything.
    mutating func drain() {
        machine.becameWritable()
        while violation == nil, !machine.isEmpty {
            call(fails: false)
            check()
        }
        guard violation == nil else { return }
        claim(machine.backlog == 0, "the backlog is \(machine.backlog) when nothing waits")
        claim(departed == departed.sorted(), "order")
        claim((departed + failed + cancelled).sorted() == Array(0..<count), "each datagram has one end")
        claim(ticketsAnswered.sorted() == Array(0..<ticketCount), "each ticket has one outcome")
    }

    private mutating func claim(_ isTrue: Bool, _ text: String) {
        if !isTrue, violation == nil { violation = text }
    }

    // MARK: Operations

    private mutating func enqueueRun() {
        let route = routes.randomElement(using: &chance) ?? .peer(1)
        let length = lengths.randomElement(using: &chance) ?? 0
        let isMany = length <= 100 && Int.random(in: 0..<8, using: &chance) == 0
        for _ in 0..<Int.random(in: isMany ? 60...70 : 1...5, using: &chance) {
            enqueue(length, route, hasTicket: Int.random(in: 0..<3, using: &chance) == 0)
        }
    }

    private mutating func enqueue(_ length: Int, _ route: DatagramRoute, hasTicket: Bool) {
        let ticket = hasTicket ? ticketCount : nil
        if hasTicket { ticketCount += 1 }
        machine.enqueue(length: length, at: end - moved, route: route, ticket: ticket)
        let departure = Departure(route: route, offset: end, length: length)
        waiting.append(Item(number: count, departure: departure, ticket: ticket))
        count += 1
        end += length
    }

    private mutating func call(fails: Bool) {
        guard !machine.isBlocked, let head = machine.messages.first else { return }
        if fails, let condition = failures.randomElement(using: &chance) { return fail(condition, head) }
        let messages = machine.messages.prefix(Int.random(in: 1...64, using: &chance))
        for message in messages { finish(message.count, nil, route: message.route) }
        claim(machine.sent(messages.count) == (waiting.isEmpty ? .rest : .sendAgain), "the step after a call")
    }

    private mutating func fail(_ condition: SystemCondition, _ head: SendMachine.Message) {
        let error = ScriptedSender.error(condition)
        let before = machine.messages.reduce(0) { $0 + $1.count }
        let step = machine.failed(condition, error)
        claim((step == .waitForRoom) == (condition == .wouldBlock), "waiting after \(condition)")
        claim(machine.isBlocked == (condition == .wouldBlock), "blocked after \(condition)")
        if condition == .inputOutput, head.count > 1 { refusedPaths.insert(head.route.destination?.ip) }
        let gone = before - machine.messages.reduce(0) { $0 + $1.count }
        claim(gone == 0 || gone == head.count, "\(condition) ended \(gone) of \(head.count) datagrams")
        if gone > 0 { finish(gone, error, route: head.route) }
    }

    /// The first datagrams have an end: what is told about it is known in advance.
    private mutating func finish(_ number: Int, _ error: UnderlyingError?, route: DatagramRoute) {
        let ended = waiting.prefix(number)
        waiting.removeFirst(number)
        let tickets = ended.compactMap(\.ticket)
        expected += tickets.map { Told(route: route, ticket: $0, failure: error, datagrams: 1) }
        ticketsAnswered += tickets
        guard let error else { return departed += ended.map(\.number) }
        failed += ended.map(\.number)
        guard tickets.count < number else { return }
        let rest = number - tickets.count
        expected.append(Told(route: route, ticket: nil, failure: error, datagrams: rest))
    }

    private mutating func cancel() {
        guard ticketCount > 0 else { return }
        let ticket = UInt64.random(in: 0..<ticketCount, using: &chance)
        let place = waiting.firstIndex { $0.ticket == ticket }
        claim(machine.cancel(ticket) == (place != nil), "cancelling ticket \(ticket)")
        guard let place else { return }
        cancelled.append(waiting.remove(at: place).number)
        ticketsAnswered.append(ticket)
    }

    private mutating func move() {
        guard let first = machine.firstOffset else { return }
        machine.moved(by: first)
        moved += first
    }

    // MARK: What holds after each operation

    private mutating func check() {
        let told = machine.takeOutcomes().map {
            Told(route: $0.route, ticket: $0.ticket, failure: $0.failure, datagrams: $0.datagrams)
        }
        claim(told == expected, "outcomes")
        expected = []
        claim(machine.isEmpty == waiting.isEmpty, "empty")
        let bytes = waiting.reduce(0) { $0 + $1.departure.length + SendMachine.overhead }
        claim(machine.backlog == bytes, "the backlog is \(machine.backlog), not \(bytes)")
        // What would leave is what waits, in order and byte by byte.
        let leaving = machine.messages.flatMap(\.departures)
        let places = leaving.map { Departure(route: $0.route, offset: $0.offset + moved, length: $0.length) }
        claim(places == waiting.map(\.departure), "what waits, in order")
        for message in machine.messages where message.count > 1 { check(merged: message) }
    }

    private mutating func check(merged message: SendMachine.Message) {
        let lengths = message.departures.map(\.length)
        claim(lengths.dropLast().allSatisfy { $0 == message.segment }, "equal lengths")
        claim(lengths.allSatisfy { $0 > 0 && $0 <= message.segment }, "no empty one, and none longer than the first")
        claim(message.count <= SendMachine.maximumSegments, "\(message.count) datagrams in a message")
        claim(message.length <= SendMachine.maximumMessageLength, "\(message.length) bytes in a message")
        claim(!refusedPaths.contains(message.route.destination?.ip), "merged on a path that refuses it")
    }
}
