/// The datagrams that wait to leave a socket: what goes into the next system call, and what a call's result means.
///
/// Datagrams of one length on one route become one message, which the kernel cuts again (UDP_SEGMENT). The machine knows lengths
/// and places, never bytes: whoever drives it keeps those in one buffer, and tells where each datagram begins.
///
/// How to drive it:
/// 1. `enqueue` each datagram, its bytes right behind those of the one before.
/// 2. Send the first `messages`, and report the result: `sent` or `failed`. Do what the answer says.
/// 3. Take the `outcomes`. When `isEmpty`, the buffer can begin anew.
package struct SendMachine: Sendable {
    /// Several datagrams of one length (the last may be shorter) on one route, their bytes beside each other.
    package struct Message: Sendable, Hashable {
        package fileprivate(set) var route: DatagramRoute
        /// Where its bytes begin in the driver's buffer.
        package var offset: Int
        /// How many bytes it has in all.
        package var length: Int
        /// The length of its datagrams; the last may be shorter.
        package let segment: Int
        /// How many datagrams it holds.
        package var count: Int
        /// The number of its first datagram, in the order in which they were enqueued.
        var first: UInt64
        /// Whether another one can join: not after a short one, and not when the message was split.
        var isOpen: Bool
    }

    /// What became of datagrams: of one whose sender waits, or of all of a message that failed.
    package struct Outcome: Sendable, Hashable {
        package let route: DatagramRoute
        /// Of the sender that waits; nil for datagrams that nobody waits for.
        package let ticket: UInt64?
        /// nil when the kernel has it.
        package let failure: UnderlyingError?
        package let datagrams: Int
    }

    /// What a driver does next.
    package enum Step: Sendable, Hashable {
        /// Call again, with the messages as they are now.
        case sendAgain
        /// Wait until the socket is writable; then call `becameWritable`.
        case waitForRoom
        /// Nothing is left to send.
        case rest
    }

    /// A message that the kernel made nothing of (EINVAL): older kernels say so of one that is too large for the path, all of
    /// them of options that they cannot follow. It was the size if a datagram of it passes alone.
    private struct Suspicion: Sendable {
        let segment: Int
        /// The number of the first datagram behind it.
        let end: UInt64
    }

    private struct Ticket: Sendable {
        let datagram: UInt64
        let number: UInt64
    }

    /// UDP_MAX_SEGMENTS of kernels before 6.9.
    package static let maximumSegments = 64
    /// The payload of the largest UDP packet over IPv6 without extension headers; IPv4 takes 20 bytes more.
    package static let maximumMessageLength = 65_487
    /// What a waiting datagram costs beside its bytes: also empty ones count.
    package static let overhead = 64

    private var queue: [Message] = []
    /// Messages before this one have left; the array is compacted now and then.
    private var head = 0
    private var tickets: [Ticket] = []
    private var ticketHead = 0
    private var nextDatagram: UInt64 = 0
    private var attempt = SendAttempt()
    private var limits: SegmentLimits
    private var suspicion: Suspicion?
    private var results: [Outcome] = []
    /// Whether the kernel has said that there is no room.
    package private(set) var isBlocked = false
    /// The bytes that wait, with what each datagram costs.
    package private(set) var backlog = 0

    /// - Parameter usesSegmentation: whether the kernel can cut messages, and the app wants it.
    package init(usesSegmentation: Bool) {
        limits = SegmentLimits(isSupported: usesSegmentation)
    }

    /// Whether nothing waits.
    package var isEmpty: Bool { head == queue.count }

    /// What waits, in order; for tests. A driver uses `forEachMessage`, which copies nothing.
    package var messages: ArraySlice<Message> { queue[head...] }

    /// Shows the first messages, and of each whether it goes the way of the one before.
    package func forEachMessage(limit: Int, _ body: (_ message: Message, _ isOnRouteOfLast: Bool) -> Void) {
        let end = min(queue.count, head + limit)
        for index in head..<end { body(queue[index], index > head && queue[index].route == queue[index - 1].route) }
    }

    /// The message that waits, where it is the only one, holds one datagram, and leaves as the socket sends by itself: a plain
    /// call does for it.
    package var onlyPlainMessage: Message? {
        guard messageCount == 1 else { return nil }
        let message = queue[head]
        return message.count == 1 && message.route.options == SendOptions() ? message : nil
    }

    /// The length up to which datagrams to `destination` may share a message, as far as the kernel's refusals have shown; 0 where
    /// they may not.
    package func segmentLimit(for destination: SocketAddress?) -> Int { limits.limit(for: destination) }

    /// How many datagrams of so many bytes one message takes.
    package static func segmentsPerMessage(of length: Int) -> Int {
        max(1, min(maximumSegments, maximumMessageLength / max(1, length)))
    }

    /// How many messages wait.
    package var messageCount: Int { queue.count - head }

    /// Where the driver's buffer is still needed from; nil where it is not.
    package var firstOffset: Int? { isEmpty ? nil : queue[head].offset }

    /// The number of the first datagram that waits, in the order in which all were enqueued: what comes before has left or failed.
    package var firstWaiting: UInt64 { isEmpty ? nextDatagram : queue[head].first }

    // MARK: Verbs

    /// Adds a datagram.
    ///
    /// - Parameters:
    ///   - length: its bytes; may be 0.
    ///   - offset: where they stand in the driver's buffer: behind those of the datagram before.
    ///   - ticket: where somebody waits for the outcome.
    ///
    /// - Returns: how many messages wait now.
    @discardableResult
    package mutating func enqueue(length: Int, at offset: Int, route: DatagramRoute, ticket: UInt64? = nil) -> Int {
        if let ticket { tickets.append(Ticket(datagram: nextDatagram, number: ticket)) }
        if !joinLast(length: length, at: offset, route: route) {
            let message = Message(
                route: route,
                offset: offset,
                length: length,
                segment: length,
                count: 1,
                first: nextDatagram,
                isOpen: length > 0
            )
            queue.append(message)
        }
        nextDatagram += 1
        backlog += length + Self.overhead
        return messageCount
    }

    /// The kernel has taken the first `count` messages (`sendmmsg` may take fewer than it was given).
    package mutating func sent(_ count: Int) -> Step {
        precondition(count <= messageCount, "the kernel took more messages than there were")
        for _ in 0..<count { finishHead(nil) }
        return isEmpty ? .rest : .sendAgain
    }

    /// The call has failed, and with it the first message.
    package mutating func failed(_ condition: SystemCondition, _ error: @autoclosure () -> UnderlyingError) -> Step {
        precondition(!isEmpty, "a call that sent nothing cannot fail")
        switch attempt.failed(condition, count: queue[head].count) {
        case .again: return .sendAgain
        case .waitForRoom:
            isBlocked = true
            return .waitForRoom
        case .split(let byDevice):
            refuse(byDevice: byDevice, isCertain: condition != .invalidArgument)
            return .sendAgain
        case .fail:
            finishHead(error())
            return isEmpty ? .rest : .sendAgain
        }
    }

    /// Takes all back that waits. What was learnt about the ways stays.
    package mutating func takeBack() {
        queue.removeAll(keepingCapacity: true)
        head = 0
        tickets.removeAll(keepingCapacity: true)
        ticketHead = 0
        attempt = SendAttempt()
        suspicion = nil
        isBlocked = false
        backlog = 0
    }

    /// The socket has room again.
    package mutating func becameWritable() { isBlocked = false }

    /// Takes a datagram back whose sender no longer waits. False where it has left, or has an outcome already.
    package mutating func cancel(_ ticket: UInt64) -> Bool {
        guard let place = tickets[ticketHead...].firstIndex(where: { $0.number == ticket }) else { return false }
        remove(datagram: tickets.remove(at: place).datagram)
        // Whoever comes next must not wait behind nobody: what is sent elsewhere meanwhile would overtake it.
        if isEmpty { isBlocked = false }
        return true
    }

    /// Whether `takeOutcomes` has something to tell.
    package var hasOutcomes: Bool { !results.isEmpty }

    /// Hands the outcomes over, in the order of the datagrams.
    package mutating func takeOutcomes() -> [Outcome] {
        defer { results = [] }
        return results
    }

    /// What waits for the peer goes to `address`, which was the peer's, whoever is connected when it leaves.
    package mutating func pin(to address: SocketAddress) {
        for index in head..<queue.count where queue[index].route.destination == nil {
            queue[index].route = DatagramRoute(address, options: queue[index].route.options)
        }
    }

    /// The driver has moved its bytes `distance` places to the front.
    package mutating func moved(by distance: Int) {
        for index in head..<queue.count { queue[index].offset -= distance }
    }
}

// MARK: - The queue

extension SendMachine {
    /// Whether the datagram could join the last message.
    private mutating func joinLast(length: Int, at offset: Int, route: DatagramRoute) -> Bool {
        guard head < queue.count else { return false }
        return queue[queue.count - 1].admit(length, at: offset, route: route, limits)
    }

    private mutating func finishHead(_ failure: UnderlyingError?) {
        let message = queue[head]
        attempt = SendAttempt()
        backlog -= message.length + message.count * Self.overhead
        settle(message, failure)
        if let suspicion { conclude(suspicion, message, failure) }
        head += 1
        compact()
    }

    private mutating func settle(_ message: Message, _ failure: UnderlyingError?) {
        let end = message.first + UInt64(message.count)
        var told = 0
        while ticketHead < tickets.count, tickets[ticketHead].datagram < end {
            let ticket = tickets[ticketHead].number
            results.append(Outcome(route: message.route, ticket: ticket, failure: failure, datagrams: 1))
            ticketHead += 1
            told += 1
        }
        if failure != nil, told < message.count {
            let rest = message.count - told
            results.append(Outcome(route: message.route, ticket: nil, failure: failure, datagrams: rest))
        }
    }

    /// Keeps the arrays' room, and moves what is left to the front only when it is the smaller part.
    private mutating func compact() {
        if head == queue.count {
            queue.removeAll(keepingCapacity: true)
            head = 0
        } else if head > 64, 2 * head > queue.count {
            queue.removeFirst(head)
            head = 0
        }
        if ticketHead == tickets.count {
            tickets.removeAll(keepingCapacity: true)
            ticketHead = 0
        } else if ticketHead > 64, 2 * ticketHead > tickets.count {
            tickets.removeFirst(ticketHead)
            ticketHead = 0
        }
    }

    /// The first message was refused because it is one: nothing of its kind is tried again where that is certain.
    private mutating func refuse(byDevice: Bool, isCertain: Bool) {
        let message = queue[head]
        if isCertain {
            limits.refused(message.segment, to: message.route.destination, byDevice: byDevice)
        } else {
            suspicion = Suspicion(segment: message.segment, end: message.first + UInt64(message.count))
        }
        splitRefused()
    }

    /// A datagram of the message that was suspected has left alone, or all have failed.
    private mutating func conclude(_ suspicion: Suspicion, _ message: Message, _ failure: UnderlyingError?) {
        let isPart = message.first < suspicion.end
        if isPart, failure != nil { return }
        if isPart { limits.refused(suspicion.segment, to: message.route.destination, byDevice: false) }
        self.suspicion = nil
    }

    /// Splits the first message, and those behind it that would be refused for the same reason.
    private mutating func splitRefused() {
        attempt = SendAttempt()
        let first = queue[head].first
        let parts = queue[head...].flatMap { message -> [Message] in
            let isRefused = message.first == first || message.segment > limits.limit(for: message.route.destination)
            guard isRefused, message.count > 1 else { return [message] }
            return (0..<message.count).map { message.part($0..<$0 + 1) }
        }
        queue.replaceSubrange(head..., with: parts)
    }

    private mutating func remove(datagram: UInt64) {
        let holder = queue[head...].firstIndex { $0.first <= datagram && datagram < $0.first + UInt64($0.count) }
        guard let index = holder else { return }
        let message = queue[index]
        let place = Int(datagram - message.first)
        let parts = [message.part(0..<place), message.part(place + 1..<message.count)].filter { $0.count > 0 }
        let kept = parts.reduce(0) { $0 + $1.length }
        backlog -= message.length - kept + Self.overhead
        if index == head { attempt = SendAttempt() }
        queue.replaceSubrange(index...index, with: parts)
        compact()
    }
}

extension SendMachine.Message {
    /// Takes a datagram in, if it can be part of the message.
    fileprivate mutating func admit(
        _ addition: Int,
        at place: Int,
        route other: DatagramRoute,
        _ limits: borrowing SegmentLimits
    ) -> Bool {
        guard isOpen, addition > 0, addition <= segment, count < SendMachine.maximumSegments else { return false }
        guard length + addition <= SendMachine.maximumMessageLength, place == offset + length else { return false }
        guard segment <= limits.limit(for: other.destination), route == other else { return false }
        isOpen = addition == segment
        length += addition
        count += 1
        return true
    }

    /// Some of the datagrams, as a message of their own.
    fileprivate func part(_ range: Range<Int>) -> Self {
        var part = self
        part.offset += range.lowerBound * segment
        part.length = min(length, range.upperBound * segment) - min(length, range.lowerBound * segment)
        part.count = range.count
        part.first += UInt64(range.lowerBound)
        part.isOpen = false
        return part
    }
}
