import DiscoverableConnection
import DiscoverableCore
import DiscoverableRuntime
import Glibc
import Testing

@testable import Discoverable

@Suite("Which error becomes which")
struct ErrorTableTests {
    private static let numbers: [(Int32, Discoverable.State)] = [
        (EADDRINUSE, .failed(.connectAddressUnavailable)), (EADDRNOTAVAIL, .failed(.connectAddressUnavailable)),
        (EACCES, .failed(.connectPermissionDenied)), (EPERM, .failed(.connectPermissionDenied)),
        (EBUSY, .failed(.connectDeviceBusy)), (ECANCELED, .failed(.connectCanceled)),
        (ECONNREFUSED, .failed(.connectRefused)),
        (EHOSTDOWN, .failed(.connectHostDown)), (EHOSTUNREACH, .failed(.connectHostDown)),
        (EISCONN, .failed(.connectAlreadyConnected)), (ENOTCONN, .disconnected),
        (ETIMEDOUT, .failed(.connectTimeout)),
        (ENETDOWN, .failed(.connectNetworkDown)), (ENETUNREACH, .failed(.connectNetworkDown)),
        (ENETRESET, .failed(.connectNetworkDown)),
    ]

    @Test("Every errno: those of the table as it says, all others as connectOther")
    func errnos() {
        for number in 0...133 as ClosedRange<Int32> {
            let expected = Self.numbers.first { $0.0 == number }?.1 ?? .failed(.connectOther)
            #expect(Discoverable.State(ConnectCondition(errno: number)) == expected, "errno \(number)")
        }
    }

    @Test("Each condition is one state of its own")
    func conditions() {
        let states = ConnectCondition.allCases.map { Discoverable.State($0) }
        #expect(Set(states).count == states.count)
    }

    @Test("A connecting that fails: what the system said counts where the peer said nothing")
    func connectFailures() {
        func state(_ failure: SessionConnectFailure, _ number: Int32? = nil) -> Discoverable.State {
            let error = number.map { UnderlyingError(domain: .errno, number: $0, call: "connect", text: "") }
            return Discoverable.State(failure, underlying: error)
        }
        #expect(state(.noAnswer) == .failed(.connectShakeNoResponse))
        #expect(state(.noHandshake) == .failed(.connectShakeNoResponse))
        #expect(state(.endedByPeer) == .disconnected)
        #expect(state(.refused) == .failed(.connectRefused))
        #expect(state(.unreachable) == .failed(.connectHostDown))
        #expect(state(.refused, ECONNREFUSED) == .failed(.connectRefused))
        for (number, expected) in Self.numbers { #expect(state(.unreachable, number) == expected) }
        let avahi = UnderlyingError(domain: .avahi, number: -1, call: "x", text: "")
        #expect(Discoverable.State(.unreachable, underlying: avahi) == .failed(.connectHostDown))
    }

    private static let searches: [(DiscoveryError.Code, browsing: DiscoverableError, resolving: DiscoverableError)] = [
        (.notFound, .discoverTimeout, .discoverResolveTimeout),
        (.daemonUnavailable, .discoverTimeout, .discoverResolveFailed),
        (.daemonNotResponding, .discoverTimeout, .discoverResolveTimeout),
        (.tooManyObjects, .discoverResolveBusy, .discoverResolveBusy),
        (.outOfResources, .discoverResolveBusy, .discoverResolveBusy),
        (.invalidName, .discoverIncorrectConfiguration, .discoverIncorrectConfiguration),
        (.invalidTXTRecord, .discoverIncorrectConfiguration, .discoverIncorrectConfiguration),
        (.invalidRecord, .discoverIncorrectConfiguration, .discoverIncorrectConfiguration),
        (.invalidArgument, .discoverIncorrectConfiguration, .discoverIncorrectConfiguration),
        (.notPermitted, .discoverIncorrectConfiguration, .discoverIncorrectConfiguration),
        (.cancelled, .discoverResolveCanceled, .discoverResolveCanceled),
        (.nameCollision, .discoverResolveUnknown, .discoverResolveUnknown),
        (.notSupported, .discoverResolveUnknown, .discoverResolveUnknown),
        (.daemonError, .discoverResolveUnknown, .discoverResolveUnknown),
    ]

    @Test("Every error of a search, while browsing and while resolving", arguments: searches)
    func search(code: DiscoveryError.Code, browsing: DiscoverableError, resolving: DiscoverableError) {
        #expect(DiscoverableError(browsing: code) == browsing)
        #expect(DiscoverableError(resolving: code) == resolving)
    }

    @Test("A name that is not found is another error; only a silent name server is a time-out")
    func names() {
        #expect(DiscoverableError(lookingUp: .nameNotFound) == .connectOther)
        #expect(DiscoverableError(lookingUp: .timedOut) == .connectTimeout)
        #expect(DiscoverableError(lookingUp: .cancelled) == .connectCanceled)
        #expect(DiscoverableError(lookingUp: .other) == .connectOther)
    }
}
