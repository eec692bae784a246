/// What the error number of a socket call means; DiscoverableRuntime translates the system's numbers.
package enum SystemCondition: Sendable, Hashable {
    /// There is nothing to read, or no room to write, now (`EAGAIN`).
    case wouldBlock
    /// A signal came in between (`EINTR`).
    case interrupted
    /// A queue of the system is full, and the datagram is dropped (`ENOBUFS`).
    case noBufferSpace
    /// The system makes nothing of what the call says (`EINVAL`).
    case invalidArgument
    /// The device cannot do it (`EIO`).
    case inputOutput
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
    /// The descriptor is closed or something else: a broken invariant of ours.
    case notASocket
    case other
}
