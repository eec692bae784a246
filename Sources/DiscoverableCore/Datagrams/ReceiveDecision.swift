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
