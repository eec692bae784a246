import DiscoverableCore
import Testing

@_spi(Package) @testable import DiscoverableRuntime

@Suite("Event loop: steps of tasks, and handlers", .timeLimit(.minutes(1)))
struct EventLoopOrderTests {
    /// Lives on a loop, and writes down what happens there.
    private actor Diary {
        nonisolated let loop: EventLoop
        private(set) var entries: [String] = []
        private var waiting: CheckedContinuation<Void, Never>?

        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

        init(_ loop: EventLoop) { self.loop = loop }

        func note(_ entry: String) { entries.append(entry) }
        func suspend() async { await withCheckedContinuation { waiting = $0 } }

        func resume() {
            waiting?.resume()
            waiting = nil
        }

        func run(_ body: @Sendable (isolated Diary) async -> Void) async { await body(self) }
    }

    @Test("A task that prefers the loop calls an actor on it without a suspension")
    func call() async throws {
        let loop = try EventLoop()
        let diary = Diary(loop)
        await Task(executorPreference: loop.taskExecutor) {
            loop.execute { diary.assumeIsolated { $0.note("later") } }
            await diary.note("called")
        }.value
        #expect(await diary.entries == ["called", "later"])
    }

    @Test("On an actor of the loop, a call of another one and its return suspend nowhere")
    func callAndReturn() async throws {
        let loop = try EventLoop()
        let (diary, other) = (Diary(loop), Diary(loop))
        await Task(executorPreference: loop.taskExecutor) {
            await diary.run { me in
                loop.execute { diary.assumeIsolated { $0.note("later") } }
                await other.note("x")
                me.note("back")
            }
        }.value
        #expect(await diary.entries == ["back", "later"])
    }

    @Test("A continuation that is resumed on the loop leads to one job there")
    func continuation() async throws {
        let loop = try EventLoop()
        let diary = Diary(loop)
        await Task(executorPreference: loop.taskExecutor) {
            await diary.run { me in
                loop.execute {
                    diary.assumeIsolated {
                        $0.resume()
                        $0.note("resumed")
                    }
                    loop.execute { diary.assumeIsolated { $0.note("later") } }
                }
                await me.suspend()
                me.note("went on")
            }
        }.value
        #expect(await diary.entries == ["resumed", "went on", "later"])
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
