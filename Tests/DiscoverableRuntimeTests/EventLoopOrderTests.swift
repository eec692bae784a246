import DiscoverableCore
import Testing

@_spi(Package) @testable import DiscoverableRuntime

@Suite("Event loop: steps of tasks, and handlers", .timeLimit(.minutes(1)))
struct EventLoopOrderTests {
    /// Lives on a loop, and writes down what happens there.
    private actor Diary {
        nonisolated let loop: EventLoop
        private(set) var entries: [String] = []

        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

        init(_ loop: EventLoop) { self.loop = loop }

        func note(_ entry: String) { entries.append(entry) }
    }

    /// A function as the `next` of a sequence is one: it runs where its caller does.
    private static func step(isolation: isolated (any Actor)? = #isolation) async {}

    @Test("A task that prefers the loop goes on from call to call without a suspension, and a continuation is one job")
    func calls() async throws {
        let loop = try EventLoop()
        let entries = Locked<[String]>([])
        let note = { @Sendable (entry: String) in entries.withLock { $0.append(entry) } }
        await Task(executorPreference: loop.taskExecutor) {
            loop.execute { note("later") }
            for _ in 0..<3 { await Self.step() }
            note("stepped")
            await withCheckedContinuation { continuation in
                loop.execute {
                    continuation.resume()
                    loop.execute { note("last") }
                }
            }
            note("resumed")
        }.value
        // What was handed over last may still be on its way when the task has ended.
        await withCheckedContinuation { continuation in loop.execute { continuation.resume() } }
        #expect(entries.withLock { $0 } == ["stepped", "later", "resumed", "last"])
    }

    @Test("A task that prefers the loop calls an actor on it, and stays on its thread")
    func actorCall() async throws {
        let loop = try EventLoop()
        let diary = Diary(loop)
        let isOnLoop = await Task(executorPreference: loop.taskExecutor) {
            await diary.note("called")
            return loop.isOnLoop
        }.value
        #expect(isOnLoop)
        #expect(await diary.entries == ["called"])
    }

    @Test("What the loop's own thread hands over comes after what others have handed over before")
    func mixedOrder() async throws {
        let loop = try EventLoop()
        let diary = Diary(loop)
        await withCheckedContinuation { continuation in
            loop.execute {
                let thread = Locked(false)
                BlockingWork(name: "other", limit: 1).run {
                    loop.execute { diary.assumeIsolated { $0.note("other") } }
                    thread.withLock { $0 = true }
                }
                while !thread.withLock({ $0 }) {}
                loop.execute {
                    diary.assumeIsolated { $0.note("own") }
                    continuation.resume()
                }
            }
        }
        #expect(await diary.entries == ["other", "own"])
    }

    @Test("A deadline that a body cancels does not run, though both were due")
    func cancelInTurn() async throws {
        let loop = try EventLoop()
        let diary = Diary(loop)
        await withCheckedContinuation { continuation in
            loop.execute {
                let now = MonotonicClock.now
                let second = Locked<ScheduledTimer?>(nil)
                loop.schedule(at: now) { second.withLock { $0 }?.cancel() }
                let timer = loop.schedule(at: now) { diary.assumeIsolated { $0.note("cancelled") } }
                second.withLock { $0 = timer }
                loop.schedule(at: now) { continuation.resume() }
            }
        }
        #expect(await diary.entries.isEmpty)
    }

    /// Removes the registration of the other one as soon as it is told something.
    private final class Rival: ReadinessHandler {
        let signal: WakeUpSignal
        private let loop: EventLoop
        private let told: Locked<Int>
        private let other = Locked<(Registration, Int32)?>(nil)

        init(_ loop: EventLoop, _ told: Locked<Int>) throws {
            signal = try WakeUpSignal()
            self.loop = loop
            self.told = told
        }

        func removes(_ registration: Registration, _ descriptor: Int32) {
            other.withLock { $0 = (registration, descriptor) }
        }

        func becameReady(_ readiness: EpollSet.Readiness, registration: Registration) {
            signal.lower()
            told.withLock { $0 += 1 }
            if let (other, descriptor) = other.withLock({ $0 }) { loop.unregister(other, descriptor: descriptor) }
        }
    }

    @Test("A handler that another one removes in the same turn is told nothing", arguments: [false, true])
    func unregisterInTurn(isHeld: Bool) async throws {
        let loop = try EventLoop()
        let told = Locked(0)
        let (one, other) = (try Rival(loop, told), try Rival(loop, told))
        let first = try loop.register(
            one.signal.rawDescriptor,
            interest: .readable,
            handler: one,
            isHeld: isHeld
        )
        let second = try loop.register(
            other.signal.rawDescriptor,
            interest: .readable,
            handler: other,
            isHeld: isHeld
        )
        one.removes(second, other.signal.rawDescriptor)
        other.removes(first, one.signal.rawDescriptor)
        await withCheckedContinuation { continuation in
            loop.execute {
                one.signal.raise()
                other.signal.raise()
                // Both are told in the turn after this one, whose jobs come after its descriptors.
                loop.schedule(after: .zero) { continuation.resume() }
            }
        }
        #expect(told.withLock { $0 } == 1)
        loop.unregister(first, descriptor: one.signal.rawDescriptor)
        loop.unregister(second, descriptor: other.signal.rawDescriptor)
    }

    @Test("Work is run whole after a burst that is larger than a turn, in order")
    func burst() async throws {
        let loop = try EventLoop()
        let diary = Diary(loop)
        await withCheckedContinuation { continuation in
            loop.execute {
                for number in 0..<5000 { loop.execute { diary.assumeIsolated { $0.note("\(number)") } } }
                loop.execute { continuation.resume() }
            }
        }
        #expect(await diary.entries == (0..<5000).map(String.init))
    }
}
