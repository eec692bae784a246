import Discoverable
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Dispatch
import Testing

/// What a delegate was told.
enum Told: Hashable, Sendable {
    case state(Discoverable.State)
    case strength(Float)
    case received(String)
    case notSent(String, SessionError.Code)

    var state: Discoverable.State? { if case .state(let state) = self { state } else { nil } }
    var strength: Float? { if case .strength(let strength) = self { strength } else { nil } }
    var isFailedSend: Bool { if case .notSent = self { true } else { false } }
}

/// A delegate that keeps all that it is told, and lets tests wait for it.
final class Recorder: DiscoverableDelegate, Sendable {
    private struct Waiter {
        let fits: @Sendable ([Told]) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct Log {
        var told: [Told] = []
        var waiters: [Waiter] = []
    }

    private let log = Locked(Log())
    /// Runs inside each call of the delegate.
    private let reaction: @Sendable (Told) -> Void

    init(_ reaction: @escaping @Sendable (Told) -> Void = { _ in }) { self.reaction = reaction }

    func connectionState(state: Discoverable.State) { record(.state(state)) }
    func connectionStrength(strength: Float) { record(.strength(strength)) }
    func connectionReceived(message: String) { record(.received(message)) }
    func connectionFailed(toSend message: String, error: SessionError) { record(.notSent(message, error.code)) }

    private func record(_ told: Told) {
        let ready = log.withLock { log in
            log.told.append(told)
            let ready = log.waiters.filter { $0.fits(log.told) }
            log.waiters.removeAll { $0.fits(log.told) }
            return ready.map(\.continuation)
        }
        for continuation in ready { continuation.resume() }
        reaction(told)
    }

    /// All that was told so far.
    var told: [Told] { log.withLock { $0.told } }
    var states: [Discoverable.State] { told.compactMap(\.state) }
    var strengths: [Float] { told.compactMap(\.strength) }

    /// Waits until what was told fits; the test's time limit ends the waiting.
    func wait(until fits: @escaping @Sendable ([Told]) -> Bool) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = log.withLock { log in
                    if fits(log.told) || Task.isCancelled { return true }
                    log.waiters.append(Waiter(fits: fits, continuation: continuation))
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let waiters = log.withLock { log in
                let waiters = log.waiters
                log.waiters = []
                return waiters
            }
            for waiter in waiters { waiter.continuation.resume() }
        }
        if Task.isCancelled { Issue.record("told in vain: \(told)") }
    }

    /// Waits until this was told.
    func wait(for told: Told) async { await wait { $0.contains(told) } }

    /// Waits for a state.
    func wait(for state: Discoverable.State) async { await wait(for: .state(state)) }
}

extension DispatchQueue {
    /// Waits until what was put on the queue before is done.
    func settle() async {
        await withCheckedContinuation { continuation in
            async { continuation.resume() }
        }
    }
}

extension Discoverable {
    /// A service with a recorder on a queue of its own.
    static func recorded(
        _ configuration: SessionConfiguration = .quick,
        queue: DispatchQueue = DispatchQueue(label: "delegate"),
        _ reaction: @escaping @Sendable (Told) -> Void = { _ in }
    ) -> (Discoverable, Recorder, DispatchQueue) {
        let service = Discoverable.with(configuration)
        let recorder = Recorder(reaction)
        service.delegateQueue = queue
        service.delegate = recorder
        return (service, recorder, queue)
    }
}

extension SessionConfiguration {
    /// The classic rules, so fast that no test has to wait for a repetition; what must succeed has time on a busy machine.
    static var quick: SessionConfiguration {
        var configuration = SessionConfiguration()
        configuration.deviceName = "test device"
        configuration.discoverInterval = .milliseconds(40)
        configuration.discoverAttempts = 500
        configuration.acknowledgementTimeout = .seconds(10)
        configuration.addressStagger = .milliseconds(10)
        configuration.disconnectInterval = .milliseconds(40)
        return configuration
    }

    /// The same with an end of each wait that comes soon.
    static var hasty: SessionConfiguration {
        var configuration = SessionConfiguration.quick
        configuration.discoverInterval = .milliseconds(20)
        configuration.discoverAttempts = 5
        configuration.acknowledgementTimeout = .milliseconds(50)
        return configuration
    }
}
