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
    /// What was asked for is so already.
    var isNoChange: Bool { code == AVAHI_ERR_NO_CHANGE }
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
        let meaning = AvahiMeaning(number: code)
        return DiscoveryError(
            meaning.code,
            operation: operation,
            explanation: meaning.explanation,
            underlying: underlying
        )
    }

    /// What can be done about it.
    var failureClass: FailureClass { AvahiMeaning(number: code).code.failureClass }
}
