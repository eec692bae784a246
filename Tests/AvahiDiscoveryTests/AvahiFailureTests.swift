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
            (AVAHI_ERR_INVALID_RECORD, .invalidRecord, .giveUp),
            (AVAHI_ERR_INVALID_RDATA, .invalidRecord, .giveUp),
            (AVAHI_ERR_TIMEOUT, .notFound, .tryAgain),
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

    /// The class of each number from -1 down, as a caller of the C library has to treat it.
    private static let classes: [FailureClass] = [
        .tryAgain, .tryAgain, .giveUp, .giveUp, .tryAgain, .giveUp, .giveUp, .chooseAnotherName, .giveUp,  // -1 … -9
        .giveUp, .giveUp, .giveUp, .giveUp, .giveUp, .tryAgain, .freeResources, .freeResources, .freeResources,
        .tryAgain,
        .giveUp, .giveUp, .tryAgain, .tryAgain, .freeResources, .tryAgain, .tryAgain, .giveUp, .giveUp, .giveUp,
        .tryAgain, .giveUp, .giveUp, .giveUp, .tryAgain, .tryAgain, .tryAgain, .tryAgain, .tryAgain, .giveUp,
        .giveUp, .chooseAnotherName, .chooseAnotherName, .tryAgain, .giveUp, .giveUp, .giveUp, .giveUp, .giveUp,
        .giveUp,
        .giveUp, .giveUp, .giveUp, .giveUp,  // -50 … -53
    ]

    @Test("Every number has a code of its class and a sentence of its own that says what to do")
    func everyNumber() throws {
        let numbers = (AVAHI_ERR_MAX + 1)...(AVAHI_OK - 1)
        #expect(Self.classes.count == numbers.count)
        var sentences: Set<String> = []
        for number in numbers {
            let error = error(number)
            #expect(error.failureClass == Self.classes[-number - 1], "\(number): \(error)")
            #expect(error.operation == "doing it")
            #expect(error.underlying?.number == Int32(number))
            #expect(error.explanation.count > 30, "\(number)")
            #expect(
                error.explanation.contains { $0 == ";" || $0 == "," } && !error.explanation.hasSuffix("."),
                "\(number)"
            )
            #expect(!error.explanation.contains("newer than this library"), "\(number) is not in the table")
            #expect(sentences.insert(error.explanation).inserted, "\(number): says what another number says")
        }
    }

    @Test("A number that Avahi does not have yet is told as such", arguments: [AVAHI_ERR_MAX, -1_000])
    func unknownNumber(number: Int) {
        let error = error(number)
        #expect(error.code == .daemonError)
        #expect(error.failureClass == .tryAgain)
        #expect(error.explanation.contains("newer than this library"))
        #expect(error.explanation.contains("journalctl -u avahi-daemon"))
        #expect(error.underlying?.number == Int32(number))
    }

    @Test("Who may not set the host's name is told who may")
    func accessDenied() {
        #expect(error(AVAHI_ERR_ACCESS_DENIED).explanation.contains("run as root or as a member of the group netdev"))
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
