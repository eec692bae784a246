internal import CAvahi
internal import DiscoverableCore

/// An error number of Avahi with the call that gave it.
struct AvahiFailure: Error {
    let number: Int32
    let call: String

    /// As the C header's constants are imported.
    private var code: Int { Int(number) }

    /// After these nobody knows what the daemon holds for us: the connection has to be made anew, which makes the daemon
    /// free everything. A call that got no answer in time comes as `AVAHI_ERR_DBUS_ERROR`.
    var endsConnection: Bool {
        [
            AVAHI_ERR_DBUS_ERROR, AVAHI_ERR_DISCONNECTED, AVAHI_ERR_NO_DAEMON, AVAHI_ERR_INVALID_OBJECT,
        ].contains(code)
    }

    /// The call got no answer, as far as libdbus tells them apart.
    var isNoAnswer: Bool { code == AVAHI_ERR_DBUS_ERROR }
    var isTimeout: Bool { code == AVAHI_ERR_TIMEOUT }
    var isCollision: Bool { code == AVAHI_ERR_COLLISION }
    /// The call came at a time when the object does not take it.
    var isBadState: Bool { code == AVAHI_ERR_BAD_STATE }
    var isNoBus: Bool { [AVAHI_ERR_NO_DAEMON, AVAHI_ERR_DBUS_ERROR, AVAHI_ERR_DISCONNECTED].contains(code) }
    var isQuota: Bool { [AVAHI_ERR_TOO_MANY_OBJECTS, AVAHI_ERR_TOO_MANY_CLIENTS].contains(code) }

    static let noAnswer = AvahiFailure(number: Int32(AVAHI_ERR_DBUS_ERROR), call: "a call to avahi-daemon")
    static let disconnected = AvahiFailure(number: Int32(AVAHI_ERR_DISCONNECTED), call: "a call to avahi-daemon")

    var underlying: UnderlyingError {
        let text = unsafe avahi_strerror(number).map { unsafe String(cString: $0) } ?? "unknown error"
        return UnderlyingError(domain: .avahi, number: number, call: call, text: text)
    }

    /// The error that a caller gets who was doing `operation`.
    func error(while operation: String) -> DiscoveryError {
        let (code, explanation) = meaning
        return DiscoveryError(code, operation: operation, explanation: explanation, underlying: underlying)
    }

    /// What can be done about it.
    var failureClass: FailureClass { error(while: "").failureClass }

    private var meaning: (DiscoveryError.Code, String) {
        switch code {
        case AVAHI_ERR_TOO_MANY_OBJECTS:
            (
                .tooManyObjects,
                "avahi-daemon allows this process no more objects; end some browses or publications, or raise "
                    + "objects-per-client-max in avahi-daemon.conf"
            )
        case AVAHI_ERR_TOO_MANY_CLIENTS:
            (.tooManyObjects, "avahi-daemon allows no more clients; raise clients-max in avahi-daemon.conf")
        case AVAHI_ERR_TOO_MANY_ENTRIES:
            (
                .tooManyObjects,
                "avahi-daemon allows no more entries in a group; raise entries-per-entry-group-max in avahi-daemon.conf"
            )
        case AVAHI_ERR_COLLISION: (.nameCollision, "the name is taken on this network; choose another one")
        case AVAHI_ERR_NOT_PERMITTED:
            (
                .notPermitted,
                "avahi-daemon is configured not to do this; look for disable-publishing and "
                    + "disable-user-service-publishing in avahi-daemon.conf"
            )
        case AVAHI_ERR_ACCESS_DENIED: (.notPermitted, "the system's D-Bus policy forbids it to this user")
        case AVAHI_ERR_INVALID_SERVICE_NAME, AVAHI_ERR_INVALID_SERVICE_TYPE, AVAHI_ERR_INVALID_DOMAIN_NAME,
            AVAHI_ERR_INVALID_HOST_NAME, AVAHI_ERR_INVALID_SERVICE_SUBTYPE:
            (.invalidName, "avahi-daemon takes this for no valid name; correct it")
        case AVAHI_ERR_INVALID_RECORD: (.invalidTXTRecord, "avahi-daemon takes this for no valid record; correct it")
        case AVAHI_ERR_INVALID_INTERFACE:
            (.invalidArgument, "there is no such interface, or avahi-daemon does not use it; see `ip link`")
        case AVAHI_ERR_INVALID_PORT, AVAHI_ERR_INVALID_ADDRESS, AVAHI_ERR_INVALID_PROTOCOL, AVAHI_ERR_INVALID_FLAGS,
            AVAHI_ERR_INVALID_ARGUMENT, AVAHI_ERR_INVALID_KEY, AVAHI_ERR_NOT_SUPPORTED:
            (.invalidArgument, "avahi-daemon refuses this argument; correct it")
        case AVAHI_ERR_NO_NETWORK:
            (.daemonError, "avahi-daemon has no usable network interface; bring one up that does multicast")
        case AVAHI_ERR_NO_DAEMON, AVAHI_ERR_DISCONNECTED:
            (.daemonUnavailable, "avahi-daemon is not running; start it with: systemctl start avahi-daemon")
        case AVAHI_ERR_DBUS_ERROR, AVAHI_ERR_TIMEOUT:
            (.daemonNotResponding, "avahi-daemon did not answer; see whether it hangs: systemctl status avahi-daemon")
        default: (.daemonError, "avahi-daemon refused")
        }
    }
}
