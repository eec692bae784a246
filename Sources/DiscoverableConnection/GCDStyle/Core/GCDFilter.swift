internal import Dispatch

/// A filter of the app's, with the queue that it runs on.
struct GCDFilter<Block>: Sendable {
    let block: Carried<Block>
    let queue: DispatchQueue
    /// Whether nobody waits for it.
    let isAsynchronous: Bool

    /// Nil where either is missing: then there is no filter.
    init?(_ block: Block?, queue: DispatchQueue?, isAsynchronous: Bool) {
        guard let block, let queue else { return nil }
        self.block = Carried(block)
        self.queue = queue
        self.isAsynchronous = isAsynchronous
    }
}
