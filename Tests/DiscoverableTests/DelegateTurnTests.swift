@_spi(Package) import DiscoverableRuntime
import Dispatch
import Testing

@testable import Discoverable

@Suite("One call of the delegate after the other", .timeLimit(.minutes(1)))
struct DelegateTurnTests {
    /// A service whose delegate calls it, with the number of its calls so far; no call may be made inside another one.
    private func service(
        queue: DispatchQueue = DispatchQueue(label: "turns"),
        _ call: @escaping @Sendable (Discoverable, Told, Int) -> Void
    ) -> (Discoverable, Recorder) {
        let holder = Locked<Discoverable?>(nil)
        let (inside, calls) = (Locked(0), Locked(0))
        let (service, recorder, _) = Discoverable.recorded(queue: queue) { told in
            #expect(
                inside.withLock {
                    $0 += 1; return $0
                } == 1
            )
            let number = calls.withLock {
                $0 += 1; return $0
            }
            if let service = holder.withLock({ $0 }) { call(service, told, number) }
            inside.withLock { $0 -= 1 }
        }
        holder.withLock { $0 = service }
        return (service, recorder)
    }

    enum Retry: CaseIterable {
        case send, discover, connect, fetch

        func callAsFunction(_ service: Discoverable) {
            switch self {
            case .send: service.send("again")
            case .discover: service.discover(type: "no type", on: nil)
            case .connect: service.connect(to: "127.0.0.1", on: 0)
            case .fetch: service.fetchConnectionStrength()
            }
        }

        /// What it has told, where it is to be tried again.
        var outcome: Told {
            switch self {
            case .send: .notSent("again", .notConnected)
            case .discover: .state(.failed(.discoverIncorrectConfiguration))
            case .connect: .state(.failed(.connectAddressUnavailable))
            case .fetch: .strength(0)
            }
        }
    }

    @Test(
        "A delegate that tries again what fails at once is told in its own turn, as often as it likes",
        arguments: Retry.allCases
    )
    func retry(_ retry: Retry) async {
        let (service, recorder) = service { service, told, number in
            if told == retry.outcome, number < 2_000 { retry(service) }
        }
        retry(service)
        await recorder.wait { $0.count >= 2_000 && $0.last == retry.outcome }
        await service.delegateQueue.settle()
        #expect(recorder.told.count <= 2_001)
    }

    /// Has three notices wait on the queue.
    private func refuseThree(_ service: Discoverable) {
        let blocked = DispatchSemaphore(value: 0)
        service.delegateQueue.async { blocked.wait() }
        for text in ["1", "2", "3"] { service.send(text) }
        blocked.signal()
    }

    private let three = ["1", "2", "3"].map { Told.notSent($0, .notConnected) }

    @Test("What waited before is not told inside a call either, and what the call has asked for comes last")
    func order() async {
        let (service, recorder) = service { service, told, _ in
            if told == .notSent("1", .notConnected) { service.fetchConnectionStrength() }
        }
        refuseThree(service)
        await recorder.wait(for: .strength(0))
        #expect(recorder.told == three + [.strength(0)])
    }

    @Test("A queue that is set inside a call is the one from the next call on")
    func otherQueue() async {
        let key = DispatchSpecificKey<Bool>()
        let other = DispatchQueue(label: "other")
        other.setSpecific(key: key, value: true)
        let (service, recorder) = service { service, told, _ in
            #expect((DispatchQueue.getSpecific(key: key) == true) == (told != .notSent("1", .notConnected)))
            if told == .notSent("1", .notConnected) { service.delegateQueue = other }
        }
        refuseThree(service)
        await recorder.wait(for: .notSent("3", .notConnected))
        #expect(recorder.told == three)
    }

    @Test("On a queue that runs blocks side by side, the delegate is still called once at a time, and all is told")
    func concurrentQueue() async {
        let (service, recorder) = service(queue: DispatchQueue(label: "side by side", attributes: .concurrent)) {
            _,
            _,
            _ in
        }
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask { for _ in 0..<500 { service.fetchConnectionStrength() } }
            }
        }
        await recorder.wait { $0.count == 2_000 }
    }
}
