internal import CSockets
package import DiscoverableCore
internal import Glibc

extension UnderlyingError {
    /// What the number means; `other` for numbers that are no `errno`.
    package var condition: SystemCondition { domain == .errno ? SystemCondition(errno: number) : .other }
}

extension SystemCondition {
    /// What a socket call's `errno` means.
    package init(errno number: Int32) {
        self =
            switch number {
            case EAGAIN: .wouldBlock
            case EINTR: .interrupted
            case ENOBUFS: .noBufferSpace
            case EINVAL: .invalidArgument
            case EIO: .inputOutput
            case ECONNREFUSED: .refused
            case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, ETIMEDOUT: .unreachable
            case EADDRINUSE: .addressInUse
            case EADDRNOTAVAIL: .addressUnavailable
            case EAFNOSUPPORT, EPROTONOSUPPORT: .familyUnsupported
            case EACCES, EPERM: .permissionDenied
            case EMSGSIZE: .tooLarge
            case EMFILE, ENFILE, ENOMEM: .outOfResources
            case ENODEV, ENXIO: .noSuchInterface
            case EBADF, ENOTSOCK: .notASocket
            default: .other
            }
    }
}
