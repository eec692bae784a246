@_spi(Package) internal import DiscoverableRuntime
internal import Dispatch

/// A delegate with its queue, and what it is still to be told. Another delegate, or another queue, is another target.
final class GCDTarget: Sendable {
    private struct State: Sendable {
        var notices: [GCDNotice] = []
        /// Whether a block that will tell them stands on the queue, or runs.
        var isScheduled = false
    }

    nonisolated(unsafe) private weak let held: (any GCDAsyncUdpSocketDelegate)?  // safe because only handed on
    let queue: DispatchQueue?
    private let state = Locked(State())

    init(_ delegate: (any GCDAsyncUdpSocketDelegate)?, queue: DispatchQueue?) {
        unsafe held = delegate
        self.queue = queue
    }

    var delegate: (any GCDAsyncUdpSocketDelegate)? { unsafe held }

    /// Adds what is to be told; returns whether the caller has to see to it that it is.
    func add(_ notice: GCDNotice) -> Bool {
        state.withLock { state in
            state.notices.append(notice)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
    }

    func add(_ notices: [GCDNotice]) -> Bool {
        state.withLock { state in
            state.notices += notices
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
    }

    /// Replaces `notices` by what is to be told; where that is nothing, the next that is added needs another block.
    func take(_ notices: inout [GCDNotice]) {
        // What was told goes outside the lock; its room stays in use.
        notices.removeAll(keepingCapacity: notices.count <= 4096)
        state.withLock { state in
            state.isScheduled = !state.notices.isEmpty
            swap(&state.notices, &notices)
        }
    }
}

/// Whom a socket tells: the present target.
final class GCDOutlet: Sendable {
    private let target = Locked(GCDTarget(nil, queue: nil))
    nonisolated(unsafe) private weak var weakOwner: GCDAsyncUdpSocket?  // safe because it is set before all else

    /// The socket that the delegate is told about.
    var owner: GCDAsyncUdpSocket? { unsafe weakOwner }

    func setOwner(_ owner: GCDAsyncUdpSocket) { unsafe weakOwner = owner }

    var current: GCDTarget { target.withLock { $0 } }

    var delegate: (any GCDAsyncUdpSocketDelegate)? { current.delegate }

    var queue: DispatchQueue? { current.queue }

    var delegateAndQueue: ((any GCDAsyncUdpSocketDelegate)?, DispatchQueue?) {
        let target = current
        return (target.delegate, target.queue)
    }

    /// Changes what is given.
    func setTarget(delegate: (any GCDAsyncUdpSocketDelegate)?? = nil, queue: DispatchQueue?? = nil) {
        let delegate = Carried(delegate)
        // The old one goes outside the lock.
        let old = target.withLock { target in
            let old = target
            target = GCDTarget(delegate.value ?? old.delegate, queue: queue ?? old.queue)
            return old
        }
        withExtendedLifetime(old) {}
    }
}
