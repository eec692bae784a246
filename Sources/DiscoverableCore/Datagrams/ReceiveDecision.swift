/// What to do after a receive call has failed.
package enum ReceiveDecision: Sendable, Hashable {
    /// Nothing is there: wait until the socket is readable.
    case wait
    /// The system is short of memory: come back a little later.
    case waitForMemory
    /// Make the same call again.
    case again
    /// It is the report of a peer's host, or of a router, about an earlier datagram, and is taken now. Read on.
    case report
    /// The descriptor is not ours any more.
    case stop

    /// What a receive call's failure means. No peer, and nothing that the network reports, ends the socket.
    package init(_ condition: SystemCondition) {
        switch condition {
        case .wouldBlock: self = .wait
        case .interrupted: self = .again
        case .notASocket: self = .stop
        case .noBufferSpace, .outOfResources: self = .waitForMemory
        case .invalidArgument, .inputOutput, .refused, .unreachable, .addressInUse, .addressUnavailable,
            .familyUnsupported,
            .permissionDenied, .tooLarge, .noSuchInterface, .other:
            self = .report
        }
    }
}

/// The kernel's count of datagrams that were dropped for want of room (`SO_RXQ_OVFL`), which rises for ever and wraps.
package struct DropCounter: Sendable, Hashable {
    private var last: UInt32 = 0

    package init() {}

    /// How many were dropped since the count was last seen.
    package mutating func advance(to count: UInt32) -> UInt32 {
        defer { last = count }
        return count &- last
    }

    /// Has the next one that is told be told of these as well.
    package mutating func putBack(_ count: UInt32) { last &-= count }
}

/// How many messages the next receive call looks for.
///
/// The kernel looks for one message more than there are, which costs a tenth of a call. A peer that waits for each answer sends one
/// at a time: there a few calls look for no second one, and then one looks whether that still holds.
package struct ReceivePace: Sendable, Hashable {
    private static let limit = 8
    private var singlesLeft = 0

    package init() {}

    /// As many as there is room for, or one.
    package var slots: Int { singlesLeft > 0 ? 1 : .max }

    /// A call has brought so many messages.
    ///
    /// - Parameter isAll: whether nothing more was there.
    package mutating func received(_ count: Int, isAll: Bool) {
        if singlesLeft > 0 {
            singlesLeft -= 1
        } else if count == 1, isAll {
            singlesLeft = Self.limit
        }
    }
}
