import DiscoverableCore
import DiscoverableRuntime
import Testing

@Suite("Mailboxes")
struct MailboxTests {
    private typealias NumberBox = Mailbox<Queue, Refusal>

    private let mailbox = NumberBox(backlog: Queue())

    @Test("What came before the consumer waits in order")
    func pushedBefore() async throws {
        for number in 1...3 { mailbox.push(number) }
        for number in 1...3 { #expect(try await mailbox.next() == number) }
    }

    @Test("What comes while the consumer waits wakes it")
    func pushedAfter() async throws {
        let consumer = waitingConsumer()
        mailbox.push(1)
        mailbox.push(2)
        #expect(try await consumer.value.get() == 1)
        #expect(try await mailbox.next() == 2)
    }

    @Test("A push that leaves nothing to take wakes nobody")
    func cancelledOut() async throws {
        let consumer = waitingConsumer()
        mailbox.push(Queue.nothing)
        mailbox.push(5)
        #expect(try await consumer.value.get() == 5)
    }

    @Test("The end comes after what waits, and stays", arguments: [true, false])
    func finish(isWaiting: Bool) async throws {
        let consumer = isWaiting ? waitingConsumer() : nil
        if !isWaiting { mailbox.push(1) }
        mailbox.finish()
        if let consumer {
            #expect(try await consumer.value.get() == nil)
        } else {
            #expect(try await mailbox.next() == 1)
        }
        for _ in 0..<3 { #expect(try await mailbox.next() == nil) }
    }

    @Test("An error comes after what waits, once; then the stream is at its end", arguments: [true, false])
    func finishThrowing(isWaiting: Bool) async throws {
        let consumer = isWaiting ? waitingConsumer() : nil
        if !isWaiting { mailbox.push(1) }
        mailbox.finish(throwing: Refusal(number: 7))
        if let consumer {
            #expect(await consumer.value == .failure(Refusal(number: 7)))
        } else {
            #expect(try await mailbox.next() == 1)
            await #expect(throws: Refusal(number: 7)) { try await mailbox.next() }
        }
        for _ in 0..<3 { #expect(try await mailbox.next() == nil) }
    }

    @Test("The first end counts, and what comes after it is dropped")
    func afterTheEnd() async throws {
        mailbox.finish(throwing: Refusal(number: 1))
        mailbox.finish(throwing: Refusal(number: 2))
        mailbox.finish()
        mailbox.push(9)
        await #expect(throws: Refusal(number: 1)) { try await mailbox.next() }
        mailbox.push(9)
        mailbox.finish(throwing: Refusal(number: 3))
        #expect(try await mailbox.next() == nil)
    }

    @Test("A cancelled consumer gets nil at once, and what comes later is the next one's")
    func cancelledWhileWaiting() async throws {
        let consumer = waitingConsumer()
        consumer.cancel()
        #expect(try await consumer.value.get() == nil)
        mailbox.push(1)
        #expect(try await mailbox.next() == 1)
    }

    @Test("A consumer that comes cancelled takes nothing")
    func cancelledBefore() async throws {
        mailbox.push(1)
        let consumer = Task { [mailbox] in
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await mailbox.next()
        }
        #expect(try await consumer.value == nil)
        #expect(try await mailbox.next() == 1)
    }

    @Test("Cancellation that races with an element loses none")
    func cancellationRace() async throws {
        for round in 0..<2_000 {
            let consumer = waitingConsumer()
            async let cancellation: Void = consumer.cancel()
            mailbox.push(round)
            await cancellation
            if let taken = try await consumer.value.get() {
                #expect(taken == round)
            } else {
                #expect(try await mailbox.next() == round)
            }
        }
    }

    @Test("One producer and one consumer at full speed pass on everything in order")
    func throughput() async throws {
        async let producer: Void = { [mailbox] in
            for number in 1...10_000 { mailbox.push(number) }
            mailbox.finish()
        }()
        var expected = 1
        while let number = try await mailbox.next() {
            try #require(number == expected)
            expected += 1
        }
        await producer
        #expect(expected == 10_001)
    }

    /// A consumer that has begun to wait when this returns: it runs here until it suspends.
    private func waitingConsumer() -> Task<Result<Int?, Refusal>, Never> {
        Task.immediate { [mailbox] in
            do throws(Refusal) { return .success(try await mailbox.next()) } catch { return .failure(error) }
        }
    }
}

/// Keeps all numbers in order, but for one that comes to nothing.
private struct Queue: Backlog {
    static let nothing = -1
    private var numbers: [Int] = []

    mutating func push(_ element: Int) {
        if element != Self.nothing { numbers.append(element) }
    }

    mutating func pop() -> Int? { numbers.isEmpty ? nil : numbers.removeFirst() }
}

private struct Refusal: Error, Equatable {
    var number: Int
}
