import DiscoverableCore
@_spi(Package) import DiscoverableRuntime

/// Follows a sequence in a task of its own, keeps everything that came, and hands it out with a time limit.
final class Follower<Element: Sendable>: Sendable {
    struct TimedOut: Error, CustomStringConvertible {
        let seen: [Element]
        let limit: Duration
        var description: String { "nothing that fits came within \(limit); seen: \(seen)" }
    }

    private struct Everything: Backlog {
        private var elements: [Element] = []
        mutating func push(_ element: Element) { elements.append(element) }
        mutating func pop() -> Element? { elements.isEmpty ? nil : elements.removeFirst() }
    }

    private let mailbox = Mailbox<Everything, Never>(backlog: Everything())
    private let log = Locked<[Element]>([])
    private let finished = Latch<Void>()
    private let task = Locked<Task<Void, Never>?>(nil)
    private let failure = Locked<(any Error)?>(nil)

    /// One that is filled by hand.
    init() {}

    /// One that follows `sequence` until it ends or `stop` is called.
    init<Source: AsyncSequence & Sendable>(_ sequence: Source) where Source.Element == Element {
        let task = Task { [weak self] in
            do {
                for try await element in sequence { self?.put(element) }
            } catch {
                self?.failure.withLock { $0 = error }
            }
            self?.end()
        }
        self.task.withLock { $0 = task }
    }

    deinit { task.withLock { $0 }?.cancel() }

    /// Everything that came so far.
    var all: [Element] { log.withLock { $0 } }

    /// The error with which the sequence ended, if it did.
    var error: (any Error)? { failure.withLock { $0 } }

    func put(_ element: Element) {
        log.withLock { $0.append(element) }
        mailbox.push(element)
    }

    func end() {
        mailbox.finish()
        finished.close(())
    }

    /// Stops following and waits until that is done.
    func stop() async {
        task.withLock { $0 }?.cancel()
        await task.withLock { $0 }?.value
    }

    /// Waits until nothing can come any more.
    func ended() async {
        try? await finished.value()
    }

    /// The first element that fits, of those that nobody has taken yet; those before it are passed over.
    func first(
        within limit: Duration,
        where fits: @escaping @Sendable (Element) -> Bool = { _ in true }
    ) async throws -> Element {
        let search = Task { [mailbox] () -> Element? in
            while let element = await mailbox.next() {
                if fits(element) { return element }
            }
            return nil
        }
        let timer = EventLoop.shared.schedule(after: limit) { search.cancel() }
        defer { timer.cancel() }
        guard let element = await search.value else { throw TimedOut(seen: all, limit: limit) }
        return element
    }

    /// Waits until everything that came so far fits, taken or not.
    func wait(within limit: Duration, until fits: @escaping @Sendable ([Element]) -> Bool) async throws {
        if fits(all) { return }
        _ = try await first(within: limit) { [log] _ in fits(log.withLock { $0 }) }
    }

    /// Whatever comes within `limit` and was not taken yet: for promises that nothing comes.
    func rest(within limit: Duration) async -> [Element] {
        var elements: [Element] = []
        let end = MonotonicClock.now.advanced(by: limit)
        while true {
            let left = MonotonicClock.now.duration(to: end)
            guard let element = try? await first(within: left) else { return elements }
            elements.append(element)
        }
    }
}
