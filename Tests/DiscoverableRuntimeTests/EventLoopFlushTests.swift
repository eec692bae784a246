import DiscoverableCore
import Testing

@_spi(Package) @testable import DiscoverableRuntime

@Suite("Event loop: what is done at the end of a step", .timeLimit(.minutes(1)))
struct EventLoopFlushTests {
    /// Writes down what happens, in order.
    private final class Diary: Sendable {
        private let state = Locked<[String]>([])
        var entries: [String] { state.withLock { $0 } }
        func note(_ entry: String) { state.withLock { $0.append(entry) } }
    }

    /// Notes its flushes, and asks for another one in its flush as often as it is told to.
    private final class Sender: LoopFlushable {
        private let name: String
        private let loop: EventLoop
        private let diary: Diary
        private let repetitions: Locked<Int>

        init(_ name: String, _ loop: EventLoop, _ diary: Diary, repetitions: Int = 0) {
            self.name = name
            self.loop = loop
            self.diary = diary
            self.repetitions = Locked(repetitions)
        }

        func stop() { repetitions.withLock { $0 = 0 } }

        func ask() { loop.flushAtEndOfStep(self) }

        func flushOnLoop() {
            diary.note(name)
            let again = repetitions.withLock { left in
                left -= 1
                return left >= 0
            }
            if again { ask() }
        }
    }

    /// Asks its sender, and looks into its descriptor no further.
    private final class Reader: ReadinessHandler {
        private let sender: Sender
        private let diary: Diary
        private let signal: WakeUpSignal

        init(_ sender: Sender, _ diary: Diary, _ signal: WakeUpSignal) {
            self.sender = sender
            self.diary = diary
            self.signal = signal
        }

        func becameReady(_ readiness: EpollSet.Readiness, registration: Registration) {
            signal.lower()
            diary.note("ready")
            sender.ask()
        }
    }

    private let loop: EventLoop
    private let diary = Diary()

    init() throws { loop = try EventLoop(name: "flush-test") }

    /// Through the loop and back, with everything that was asked for meanwhile.
    private func settle() async {
        await withCheckedContinuation { continuation in loop.execute { continuation.resume() } }
        await withCheckedContinuation { continuation in
            loop.schedule(after: .zero) { continuation.resume() }
        }
    }

    @Test("Each is called once a phase however often it asks, in the order of the first requests")
    func order() async {
        let (a, b, c) = (Sender("a", loop, diary), Sender("b", loop, diary), Sender("c", loop, diary))
        loop.execute { [diary] in
            for sender in [a, b, a, c, b, a] { sender.ask() }
            diary.note("step")
        }
        await settle()
        #expect(diary.entries == ["step", "a", "b", "c"])
    }

    @Test("One that asks in its flush is called at the end of the next phase, before the thread waits")
    func again() async {
        let (a, b) = (Sender("a", loop, diary, repetitions: 3), Sender("b", loop, diary))
        await withCheckedContinuation { continuation in
            loop.execute {
                a.ask()
                b.ask()
                continuation.resume()
            }
        }
        // Each time through the loop is a phase at least.
        for _ in 0..<3 { await settle() }
        #expect(diary.entries == ["a", "b", "a", "a", "a"])
    }

    @Test("One that asks without end does not hold up the others")
    func endless() async {
        let a = Sender("a", loop, diary, repetitions: .max)
        loop.execute { a.ask() }
        for _ in 0..<10 { await settle() }
        a.stop()
        await settle()
    }

    @Test("The phases of descriptors, deadlines and jobs each end with it")
    func phases() async throws {
        let sender = Sender("flush", loop, diary)
        let signal = try WakeUpSignal()
        let reader = Reader(sender, diary, signal)
        let registration = try loop.register(signal.rawDescriptor, interest: .readable, handler: reader)
        // All three are due in the turn after this step.
        loop.execute { [loop, diary] in
            signal.raise()
            loop.schedule(after: .zero) {
                diary.note("deadline")
                sender.ask()
                loop.execute {
                    diary.note("job")
                    sender.ask()
                }
            }
        }
        await settle()
        await settle()
        #expect(diary.entries == ["ready", "flush", "deadline", "flush", "job", "flush"])
        loop.unregister(registration, descriptor: signal.rawDescriptor)
        withExtendedLifetime(reader) {}
    }

    @Test("It is held until it was called")
    func held() async {
        weak var dropped: Sender?
        do {
            let sender = Sender("a", loop, diary)
            dropped = sender
            loop.execute { sender.ask() }
        }
        await settle()
        #expect(diary.entries == ["a"])
        #expect(dropped == nil)
    }

    @Test("fault 10: Asking on another thread is a mistake that stops the process")
    func thread() async {
        await #expect(processExitsWith: .failure) {
            let loop = try EventLoop()
            LoopConfined(0, on: loop).withValue { $0 += 1 }
        }
    }
}
