package import DiscoverableCore
internal import Glibc

/// What an error number means to somebody who connects, as finely as apps of Apple's platforms tell these apart.
package enum ConnectCondition: Sendable, Hashable, CaseIterable {
    /// The address or the port cannot be used.
    case addressUnavailable
    case permissionDenied
    case deviceBusy
    case canceled
    case refused
    /// The peer's host is down or not reached.
    case hostDown
    case alreadyConnected
    case notConnected
    case timedOut
    /// The network is down, has no way to the peer, or was reset.
    case networkDown
    case other

    /// What a socket call's `errno` means.
    package init(errno number: Int32) {
        self =
            switch number {
            case EADDRINUSE, EADDRNOTAVAIL: .addressUnavailable
            case EACCES, EPERM: .permissionDenied
            case EBUSY: .deviceBusy
            case ECANCELED: .canceled
            case ECONNREFUSED: .refused
            case EHOSTDOWN, EHOSTUNREACH: .hostDown
            case EISCONN: .alreadyConnected
            case ENOTCONN: .notConnected
            case ETIMEDOUT: .timedOut
            case ENETDOWN, ENETUNREACH, ENETRESET: .networkDown
            default: .other
            }
    }

    /// What the number means; nil for numbers that are no `errno`.
    package init?(_ error: UnderlyingError) {
        guard error.domain == .errno else { return nil }
        self.init(errno: error.number)
    }
}
