package import DiscoverableCore
internal import Glibc

/// What the error numbers of socket calls mean to a caller.
package enum SystemCondition: Sendable, Hashable {
    /// Nobody listens on the peer's port.
    case refused
    /// There is no way to the address now: no route, or the host is down.
    case unreachable
    /// The port belongs to another socket.
    case addressInUse
    /// The address is none of this host's.
    case addressUnavailable
    /// The system does not know the address family.
    case familyUnsupported
    case permissionDenied
    /// The datagram is larger than the way allows.
    case tooLarge
    /// Descriptors or memory are used up.
    case outOfResources
    case noSuchInterface
    case other
}

extension UnderlyingError {
    /// What the number means; `other` for numbers that are no `errno`.
    package var condition: SystemCondition {
        guard domain == .errno else { return .other }
        return switch number {
        case ECONNREFUSED: .refused
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, ETIMEDOUT: .unreachable
        case EADDRINUSE: .addressInUse
        case EADDRNOTAVAIL: .addressUnavailable
        case EAFNOSUPPORT, EPROTONOSUPPORT: .familyUnsupported
        case EACCES, EPERM: .permissionDenied
        case EMSGSIZE: .tooLarge
        case EMFILE, ENFILE, ENOMEM, ENOBUFS: .outOfResources
        case ENODEV, ENXIO: .noSuchInterface
        default: .other
        }
    }
}
