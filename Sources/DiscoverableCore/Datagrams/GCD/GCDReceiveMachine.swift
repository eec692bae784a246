/// Whether a socket in GCD style wants datagrams now, and how many.
///
/// Datagrams come in batches. Each is on its way for a while: in the filter, and to the delegate. Only so many are on their way at
/// once; what comes then waits in the kernel.
package struct GCDReceiveMachine: Sendable, Hashable {
    package enum Mode: Sendable, Hashable {
        /// Nothing is wanted.
        case paused
        /// One datagram is wanted; then it is paused.
        case once
        case continuous
    }

    /// How much of what has arrived goes on.
    package enum Take: Sendable, Hashable {
        case nothing
        case one
        case all
    }

    /// How many batches may be on their way.
    package static let limit = 6

    package private(set) var mode = Mode.paused
    /// Whether the one datagram that is wanted is being looked at by the filter.
    private var isOneAsked = false
    private var onTheWay = 0
    /// Whether the mode has changed while batches were on their way to the delegate. What they have left comes back: it goes first.
    private var isSettling = false
    /// Whether the reading has stopped for want of room, or of a wish.
    private var hasStopped = true

    package init() {}

    /// Whether more is to be read. Where not, whoever changes that starts the reading again.
    ///
    /// - Parameters:
    ///   - hasLeftovers: whether something that was read waits.
    ///   - limit: how many batches may be on their way: one, where whoever tells it reads the next.
    package mutating func hasRoom(hasLeftovers: Bool, limit: Int = Self.limit) -> Bool {
        hasStopped = !isWanted(limit) || hasLeftovers
        return !hasStopped
    }

    private func isWanted(_ limit: Int) -> Bool {
        guard !isSettling else { return false }
        return switch mode {
        case .paused: false
        case .once: !isOneAsked
        case .continuous: onTheWay < limit
        }
    }

    /// Whether the reading is to be started: it had stopped, and there is room.
    package mutating func starts(hasLeftovers: Bool, limit: Int = Self.limit) -> Bool {
        guard hasStopped, isWanted(limit), !hasLeftovers else { return false }
        hasStopped = false
        return true
    }

    /// The app wants another mode.
    ///
    /// - Returns: false where it has that one already.
    package mutating func change(to mode: Mode) -> Bool {
        guard mode != self.mode else { return false }
        if self.mode == .continuous, onTheWay > 0 { isSettling = true }
        self.mode = mode
        return true
    }

    /// Something is there: how much of it goes on now. It is on its way then, to the filter where there is one.
    package mutating func take(hasFilter: Bool) -> Take {
        guard !isSettling else { return .nothing }
        switch mode {
        case .paused: return .nothing
        case .once:
            guard !isOneAsked else { return .nothing }
            if hasFilter { isOneAsked = true } else { mode = .paused }
            onTheWay += 1
            return .one
        case .continuous:
            onTheWay += 1
            return .all
        }
    }

    /// The filter has let `passed` datagrams of a batch through, which go to the delegate; a batch without any is on its way no more.
    package mutating func filtered(passed: Int) {
        isOneAsked = false
        if passed > 0, mode == .once { mode = .paused }
        if passed == 0 { arrived() }
    }

    /// A batch has reached the delegate, or was given up.
    package mutating func arrived() {
        onTheWay = max(0, onTheWay - 1)
        if onTheWay == 0 { isSettling = false }
    }

    /// The socket is closed: nothing that was read, or is being filtered, counts any more.
    package mutating func closed() { self = GCDReceiveMachine() }
}
