import CAvahi
import DiscoverableCore
import Testing

@testable import AvahiDiscovery

@Suite("Avahi's error numbers")
struct AvahiFailureTests {
    private func error(_ number: Int) -> DiscoveryError {
        AvahiFailure(number: Int32(number), call: "avahi_x").error(while: "doing it")
    }

    @Test(
        "Each number says what a caller can do",
        arguments: [
            (AVAHI_ERR_TOO_MANY_OBJECTS, DiscoveryError.Code.tooManyObjects, FailureClass.freeResources),
            (AVAHI_ERR_TOO_MANY_CLIENTS, .tooManyObjects, .freeResources),
            (AVAHI_ERR_TOO_MANY_ENTRIES, .tooManyObjects, .freeResources),
            (AVAHI_ERR_COLLISION, .nameCollision, .chooseAnotherName),
            (AVAHI_ERR_NOT_PERMITTED, .notPermitted, .giveUp),
            (AVAHI_ERR_ACCESS_DENIED, .notPermitted, .giveUp),
            (AVAHI_ERR_INVALID_SERVICE_NAME, .invalidName, .giveUp),
            (AVAHI_ERR_INVALID_RECORD, .invalidTXTRecord, .giveUp),
            (AVAHI_ERR_INVALID_INTERFACE, .invalidArgument, .giveUp),
            (AVAHI_ERR_NO_DAEMON, .daemonUnavailable, .tryAgain),
            (AVAHI_ERR_DBUS_ERROR, .daemonNotResponding, .tryAgain),
            (AVAHI_ERR_OS, .daemonError, .tryAgain),
        ]
    )
    func classes(number: Int, code: DiscoveryError.Code, failureClass: FailureClass) {
        #expect(error(number).code == code)
        #expect(error(number).failureClass == failureClass)
    }

    @Test("An error names the call, Avahi's text and the number")
    func underlying() {
        let error = error(AVAHI_ERR_TOO_MANY_OBJECTS)
        #expect(error.underlying?.number == -17)
        #expect(error.underlying?.domain == .avahi)
        #expect(error.description.hasPrefix("doing it: "))
        #expect(error.description.hasSuffix("[avahi_x: Too many objects (-17)]"))
    }

    @Test("Only what leaves the daemon's side unknown ends the connection")
    func endsConnection() {
        let numbers = (AVAHI_ERR_MAX + 1)..<AVAHI_OK
        let ending = numbers.filter { AvahiFailure(number: Int32($0), call: "x").endsConnection }
        #expect(
            Set(ending) == [
                AVAHI_ERR_DBUS_ERROR, AVAHI_ERR_DISCONNECTED, AVAHI_ERR_NO_DAEMON, AVAHI_ERR_INVALID_OBJECT,
            ]
        )
    }
}
