import DiscoverableCore
import Testing

@_spi(Package) @testable import DiscoverableRuntime

@Suite("Event loop", .timeLimit(.minutes(1)))
struct EventLoopTests {
    /// Lives on a loop and counts.
    private actor Counter {
        nonisolated let loop: EventLoop
        private(set) var values: [Int] = []

        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

        init(loop: EventLoop) { self.loop = loop }

        func append(_ value: Int) { values.append(value) }
        func isOnLoop() -> Bool { loop.isOnLoop }
    }

    @Test("fault 10: an actor on the loop runs on its thread, and is entered from there without a hop")
    func isolation() async throws {
        let loop = try EventLoop()
        let counter = Counter(loop: loop)
        #expect(await counter.isOnLoop())
        #expect(!loop.isOnLoop)
        await withCheckedContinuation { continuation in
            loop.execute {
                counter.assumeIsolated { $0.append(1) }
                continuation.resume()
            }
        }
        #expect(await counter.values == [1])
    }

    @Test("A task that prefers the loop runs on its thread")
    func taskExecutor() async throws {
        let loop = try EventLoop()
        let isOnLoop = await Task(executorPreference: loop.taskExecutor) { loop.isOnLoop }.value
        #expect(isOnLoop)
    }

    @Test("What is handed over runs in order, from many threads nothing is lost")
    func order() async throws {
        let loop = try EventLoop()
        let counter = Counter(loop: loop)
        for value in 0..<1000 { loop.execute { counter.assumeIsolated { $0.append(value) } } }
        #expect(await counter.values == Array(0..<1000))
        await withTaskGroup { group in
            for value in 0..<1000 { group.addTask { await counter.append(value) } }
        }
        #expect(await counter.values.count == 2000)
    }

    @Test("Deadlines run in order, never early, and on the loop's thread")
    func deadlines() async throws {
        let loop = try EventLoop()
        let start = MonotonicClock.now
        let (order, isInTime) = await withCheckedContinuation { continuation in
            let ran = Locked<[(Int, Instant, Bool)]>([])
            let note = { @Sendable (milliseconds: Int) in
                ran.withLock { $0.append((milliseconds, MonotonicClock.now, loop.isOnLoop)) }
                guard milliseconds == 30 else { return }
                let ran = ran.withLock { $0 }
                let isEarly = ran.contains { start.duration(to: $0.1) < .milliseconds($0.0) || !$0.2 }
                continuation.resume(returning: (ran.map(\.0), !isEarly))
            }
            // On the loop's thread, so that none is due before all are known.
            loop.execute {
                for milliseconds in [30, 10, 20] {
                    loop.schedule(at: start.advanced(by: .milliseconds(milliseconds))) { note(milliseconds) }
                }
            }
        }
        #expect(order == [10, 20, 30])
        #expect(isInTime)
    }

    @Test("A cancelled deadline does not run, and is released at once")
    func cancel() async throws {
        final class Token: Sendable {}
        let loop = try EventLoop()
        let ran = Locked(false)
        let token = Token()
        let timer = loop.schedule(after: .milliseconds(5)) { [token] in
            ran.withLock { $0 = true }
            _ = token
        }
        timer.cancel()
        timer.cancel()
        await withCheckedContinuation { continuation in
            loop.schedule(after: .milliseconds(10)) { continuation.resume() }
        }
        #expect(ran.withLock { $0 } == false)
        #expect(loop.core.state.withLock { $0.deadlines.count } == 0)
    }

    @Test("A deadline that a sleeping loop does not know yet wakes it")
    func earlierDeadline() async throws {
        let loop = try EventLoop()
        loop.schedule(after: .seconds(3600)) {}
        // Through the loop and back, so that it sleeps for the hour when the next deadline comes.
        await withCheckedContinuation { continuation in loop.execute { continuation.resume() } }
        await withCheckedContinuation { continuation in
            loop.schedule(after: .milliseconds(1)) { continuation.resume() }
        }
    }

    @Test("Dropping a loop ends its thread")
    func ends() async throws {
        weak var dropped: EventLoop?
        let ended = SingleAnswer<Void>()
        do {
            final class Witness: Sendable {
                let ended: SingleAnswer<Void>
                init(_ ended: SingleAnswer<Void>) { self.ended = ended }
                deinit { ended.give(()) }
            }
            let loop = try EventLoop()
            let witness = Witness(ended)
            // A deadline's body lives as long as the loop's state.
            loop.schedule(after: .seconds(3600)) { _ = witness }
            dropped = loop
        }
        await ended.wait()
        #expect(dropped == nil)
    }
}
