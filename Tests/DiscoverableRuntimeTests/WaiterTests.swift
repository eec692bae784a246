import DiscoverableRuntime
import Testing

@Suite("Waiters")
struct WaiterTests {
    private let waiter = Waiter<Int, Ending>()

    @Test("A result that came before the caller is there at once")
    func resultBefore() async {
        waiter.resume(.success(1))
        #expect(await outcome(within: nil) == .success(1))
    }

    @Test(
        "A result that comes while the caller waits is the caller's",
        arguments: [.success(1), .failure(.refused)] as [Result<Int, Ending>]
    )
    func resultAfter(result: Result<Int, Ending>) async {
        let caller = waitingCaller()
        waiter.resume(result)
        #expect(await caller.value == result)
    }

    @Test("The first result counts", arguments: [true, false])
    func firstWins(isWaiting: Bool) async {
        let caller = isWaiting ? waitingCaller() : nil
        waiter.resume(.success(1))
        waiter.resume(.success(2))
        waiter.resume(.failure(.refused))
        let result = if let caller { await caller.value } else { await outcome(within: nil) }
        #expect(result == .success(1))
    }

    @Test(
        "A caller waits no longer than its time-out",
        arguments: [.seconds(-1), .zero, .milliseconds(1)] as [Duration]
    )
    func timeOut(timeout: Duration) async {
        #expect(await outcome(within: timeout) == .failure(.timedOut))
    }

    @Test("A time-out that has nothing to end changes nothing, and what comes after one is dropped")
    func timeOutAndResult() async {
        waiter.resume(.success(1))
        #expect(await outcome(within: .zero) == .success(1))

        let late = Waiter<Int, Ending>()
        _ = try? await late.value(within: .zero) {
            Ending.timedOut
        } cancelled: {
            Ending.cancelled
        }
        late.resume(.success(1))
    }

    @Test("A cancelled caller is told so at once")
    func cancelledWhileWaiting() async {
        let caller = waitingCaller()
        caller.cancel()
        #expect(await caller.value == .failure(.cancelled))
        waiter.resume(.success(1))
    }

    @Test("A caller that comes cancelled does not wait, but takes a result that is there")
    func cancelledBefore() async {
        #expect(await cancelledCaller(of: waiter).value == .failure(.cancelled))
        let answered = Waiter<Int, Ending>()
        answered.resume(.success(1))
        #expect(await cancelledCaller(of: answered).value == .success(1))
    }

    @Test("A result, a cancellation and a time-out at once make one outcome")
    func race() async {
        for _ in 0..<500 {
            let waiter = Waiter<Int, Ending>()
            let caller = Task.immediate { await result(of: waiter, within: .zero) }
            async let cancellation: Void = caller.cancel()
            waiter.resume(.success(1))
            await cancellation
            #expect([.success(1), .failure(.cancelled), .failure(.timedOut)].contains(await caller.value))
        }
    }

    @Test("A time-out that is no longer needed keeps nothing alive")
    func release() async {
        weak let remains = await answeredWaiter()
        #expect(remains == nil)
    }

    private func answeredWaiter() async -> Waiter<Int, Ending> {
        let waiter = Waiter<Int, Ending>()
        waiter.resume(.success(1))
        _ = await result(of: waiter, within: .seconds(3_600))
        return waiter
    }

    private func outcome(within timeout: Duration?) async -> Result<Int, Ending> {
        await result(of: waiter, within: timeout)
    }

    /// A caller that has begun to wait when this returns: it runs here until it suspends.
    private func waitingCaller() -> Task<Result<Int, Ending>, Never> {
        Task.immediate { [waiter] in await result(of: waiter, within: .seconds(3_600)) }
    }

    private func cancelledCaller(of waiter: Waiter<Int, Ending>) -> Task<Result<Int, Ending>, Never> {
        Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return await result(of: waiter, within: nil)
        }
    }
}

enum Ending: Error {
    case refused, timedOut, cancelled
}

private func result(of waiter: Waiter<Int, Ending>, within timeout: Duration?) async -> Result<Int, Ending> {
    do throws(Ending) {
        return .success(
            try await waiter.value(within: timeout) {
                .timedOut
            } cancelled: {
                .cancelled
            }
        )
    } catch {
        return .failure(error)
    }
}
