/// What to do after a send call has failed.
package enum SendDecision: Sendable, Hashable {
    /// Make the same call again.
    case again
    /// Wait until the socket is writable.
    case waitForRoom
    /// The message held several datagrams: send each by itself.
    case split(byDevice: Bool)
    /// The datagram cannot be sent. The socket goes on.
    case fail
}

/// What the failures of the calls that send one message mean, in their order.
///
/// On Linux the error of a call may be that of an earlier datagram, which the peer's host or a router has reported since: it is
/// taken by the call that returns it, and the same call succeeds when it is made again. Only an error that comes again
/// and again is the message's own.
package struct SendAttempt: Sendable, Hashable {
    /// More reports than this between two calls are not believed to be others'.
    static let reportLimit = 3

    private var reports = 0

    package init() {}

    /// - Parameters:
    ///   - condition: what the call returned.
    ///   - count: how many datagrams the message holds.
    package mutating func failed(_ condition: SystemCondition, count: Int) -> SendDecision {
        switch condition {
        case .interrupted: return .again
        case .wouldBlock: return .waitForRoom
        case .inputOutput where count > 1: return .split(byDevice: true)
        case .invalidArgument where count > 1, .tooLarge where count > 1: return .split(byDevice: false)
        // A full queue drops the datagram, and does not make the socket unwritable: there is nothing to wait for.
        case .noBufferSpace, .notASocket, .outOfResources: return .fail
        case .invalidArgument, .inputOutput, .refused, .unreachable, .addressInUse, .addressUnavailable,
            .familyUnsupported,
            .permissionDenied, .tooLarge, .noSuchInterface, .other:
            guard reports < Self.reportLimit else { return .fail }
            reports += 1
            return .again
        }
    }
}
