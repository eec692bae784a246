internal import DiscoverableRuntime
internal import Dispatch

/// What waits for the delegate, and who that is. Lives inside the driver's lock.
struct Notices: Sendable {
    /// What is to be told, and in which epoch it came about.
    private struct Entry {
        var epoch: ConnectionMachine.Epoch
        let notice: ConnectionMachine.Notice
        let done: SingleAnswer<Void>?
        /// Whether it says something of a connection, which nobody wants to know once that is closed.
        let isOfConnection: Bool
        var isDropped = false
    }

    /// One step on the delegate queue.
    struct Delivery: Sendable {
        let delegate: DelegateReference?
        /// nil where it is too late for it.
        let notice: ConnectionMachine.Notice?
        /// Who waits for the step.
        let done: SingleAnswer<Void>?
    }

    var delegate: DelegateReference?
    var queue = DelegateQueue(.main)
    private var waiting: [Entry] = []
    private var toldState = Discoverable.State.disconnected

    var count: Int { waiting.count }

    mutating func append(
        _ notice: ConnectionMachine.Notice,
        _ epoch: ConnectionMachine.Epoch,
        done: SingleAnswer<Void>? = nil,
        isOfConnection: Bool = true
    ) {
        waiting.append(Entry(epoch: epoch, notice: notice, done: done, isOfConnection: isOfConnection))
    }

    /// One attempt has replaced another: what was said of messages that were not sent is told all the same.
    mutating func keepUnsent(of replaced: ConnectionMachine.Epoch, in epoch: ConnectionMachine.Epoch) {
        for index in waiting.indices where waiting[index].epoch == replaced {
            if case .notSent = waiting[index].notice { waiting[index].epoch = epoch }
        }
    }

    /// The app has closed what was over already: what still waits of it is not told, apart from how it has ended.
    mutating func dropConnection(of epoch: ConnectionMachine.Epoch, keepsEnd: Bool) {
        let end = waiting.lastIndex { $0.epoch == epoch && $0.notice.isState }
        for index in waiting.indices where waiting[index].epoch == epoch && waiting[index].isOfConnection {
            if index != end || !keepsEnd { waiting[index].isDropped = true }
        }
    }

    /// The next step. What belongs to an earlier epoch by now is not told, and no state twice.
    mutating func next(in epoch: ConnectionMachine.Epoch) -> Delivery? {
        guard !waiting.isEmpty else { return nil }
        let entry = waiting.removeFirst()
        var notice: ConnectionMachine.Notice? = entry.notice
        if entry.isDropped || entry.epoch != epoch || entry.notice == .state(toldState) { notice = nil }
        if case .state(let state)? = notice { toldState = state }
        return Delivery(delegate: delegate, notice: notice, done: entry.done)
    }
}

extension ConnectionMachine.Notice {
    fileprivate var isState: Bool {
        switch self {
        case .state: true
        case .strength, .received, .notSent: false
        }
    }
}
