/// Why a connection failed, as `Discoverable.State.failed` tells it: `connect…` while connecting to an address, `discover…`
/// while looking for a service, `discoverResolve…` while finding out the address of one that was found.
public enum DiscoverableError: Error, Hashable, Sendable, CaseIterable {
    /// Another error of the system, or a host name that is unknown.
    case connectOther
    /// The address or the port cannot be used (`EADDRINUSE`, `EADDRNOTAVAIL`, port 0).
    case connectAddressUnavailable
    /// The system does not allow it (`EACCES`, `EPERM`), as for a broadcast address.
    case connectPermissionDenied
    /// The device is busy (`EBUSY`).
    case connectDeviceBusy
    /// The operation was cancelled (`ECANCELED`).
    case connectCanceled
    /// Nobody listens on the peer's port (`ECONNREFUSED`), also after the last repetition.
    case connectRefused
    /// The peer's host is down or not reached (`EHOSTDOWN`, `EHOSTUNREACH`).
    case connectHostDown
    /// The socket is connected already (`EISCONN`).
    case connectAlreadyConnected
    /// The time was over (`ETIMEDOUT`), also that of a name server.
    case connectTimeout
    /// The network is down, has no way to the peer, or was reset (`ENETDOWN`, `ENETUNREACH`, `ENETRESET`).
    case connectNetworkDown
    /// The peer answered none of five greetings in 10 s, or did not admit us.
    case connectShakeNoResponse

    /// No service of the type was found in 5 s, perhaps since there is no avahi-daemon.
    case discoverTimeout
    /// The service that was found went away before it told its address.
    case discoverResolveServiceNotFound
    /// The daemon, or this process, has no room for another search now.
    case discoverResolveBusy
    /// What was given is no service type, the prefix cannot be one, or the daemon may not be used for it.
    case discoverIncorrectConfiguration
    /// The search was cancelled.
    case discoverResolveCanceled
    /// The service that was found did not tell its address in 5 s.
    case discoverResolveTimeout
    /// The daemon went away, or knows no address of the service.
    case discoverResolveFailed
    /// Another error of the daemon.
    case discoverResolveUnknown
}
