@_spi(Package) internal import DiscoverableRuntime
internal import Dispatch

/// A queue that knows whether the caller runs on it.
///
/// By a mark of the queue's own: on Linux the same queue is another object each time that it is asked for.
struct DelegateQueue: Sendable {
    private static let markKey = DispatchSpecificKey<UInt64>()
    private static let lastMark = Locked<UInt64>(0)

    let queue: DispatchQueue
    private let mark: UInt64

    init(_ queue: DispatchQueue) {
        self.queue = queue
        mark = Self.lastMark.withLock { lastMark in
            if let mark = queue.getSpecific(key: Self.markKey) { return mark }
            lastMark += 1
            queue.setSpecific(key: Self.markKey, value: lastMark)
            return lastMark
        }
    }

    /// Whether the caller runs on this queue, or on one whose work runs on it and that has no mark of its own.
    var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.markKey) == mark }
}
