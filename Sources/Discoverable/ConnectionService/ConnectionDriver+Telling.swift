@_spi(Package) internal import DiscoverableRuntime
internal import Dispatch

extension ConnectionDriver {
    /// Has the delegate told what waits: now where the caller is on its queue and not inside a call of the delegate, else there,
    /// afterwards.
    func deliver() {
        let queue = content.withLock { $0.notices.count == 0 || $0.isHandingOut ? nil : $0.notices.queue }
        guard let queue else { return }
        if queue.isCurrent { handOut() } else { queue.queue.async { self.deliver() } }
    }

    /// Tells what waits now, and has the rest told in a turn of its own, so that others on the queue have theirs. One at a time,
    /// even where the app's queue is none that runs one block after the other, or has become another one meanwhile.
    private func handOut() {
        guard let count = content.withLock({ $0.beginHandingOut() }) else { return }
        for _ in 0..<count {
            guard let delivery = content.withLock({ $0.nextDelivery() }) else { break }
            if let notice = delivery.notice { delivery.delegate?.delegate?.tell(notice) }
            delivery.done?.give(())
        }
        guard let queue = content.withLock({ $0.endHandingOut() }) else { return }
        queue.queue.async { self.deliver() }
    }
}

extension ConnectionDriver.Content {
    /// How many notices are to be told now; nil where somebody else is at it, who then sees to them too.
    fileprivate mutating func beginHandingOut() -> Int? {
        guard !isHandingOut, notices.count > 0 else { return nil }
        isHandingOut = true
        return notices.count
    }

    /// The next step; nil where the app wants it on another queue by now.
    fileprivate mutating func nextDelivery() -> Notices.Delivery? {
        notices.queue.isCurrent ? notices.next(in: machine.epoch) : nil
    }

    /// Where the rest is to be told; nil where there is none.
    fileprivate mutating func endHandingOut() -> DelegateQueue? {
        isHandingOut = false
        return notices.count == 0 ? nil : notices.queue
    }
}
