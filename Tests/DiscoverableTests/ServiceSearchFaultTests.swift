import DiscoverableCore
import Testing

@testable import Discoverable

@Suite("Which service is taken")
struct ServiceSearchFaultTests {
    private static func service(_ name: String) throws -> BrowsedService {
        let type = try ServiceType("_discoverable._udp")
        return BrowsedService(identity: ServiceInstance(name: try ServiceName(name), type: type), paths: [])
    }

    private static func resolved(_ service: BrowsedService, port: UInt16 = 1024) throws -> ResolvedService {
        let addresses = [
            SocketAddress(.v4(IPv4Address(192, 0, 2, 1)), port: port),
            SocketAddress(.v6(IPv6Address(high: 0xfe80 << 48, low: 1)), port: port, scope: InterfaceIndex(rawValue: 2)),
        ]
        return ResolvedService(
            instance: service.instance,
            host: "beta.local",
            port: port,
            addresses: addresses,
            txt: .empty
        )
    }

    private func error(_ code: DiscoveryError.Code) -> DiscoveryError {
        DiscoveryError(code, operation: "testing", explanation: "as asked")
    }

    @Test(
        "26: every service that is found is resolved, and the first one that answers is taken; one that is gone blocks none"
    )
    func first() throws {
        var search = ServiceSearch()
        let (stale, alive) = (try Self.service("stale"), try Self.service("alive"))
        #expect(search.browsed(.added(stale)) == .resolve(stale))
        #expect(search.browsed(.settled) == .none)
        #expect(search.browsed(.added(alive)) == .resolve(alive))
        #expect(search.browsed(.updated(alive)) == .none)
        let found = try Self.resolved(alive)
        #expect(search.resolved(alive.instance, .success(found)) == .finish(.success(found)))
        #expect(search.resolved(stale.instance, .success(try Self.resolved(stale))) == .none)
        #expect(search.browsingTimedOut() == .none)
        #expect(search.browsed(.added(stale)) == .none)
    }

    @Test("26: nothing found in time is one error, and not an unknown one too")
    func nothing() {
        var search = ServiceSearch()
        #expect(search.browsed(.settled) == .none)
        #expect(search.browsingTimedOut() == .finish(.failure(.discoverTimeout)))
        #expect(search.browsingFailed(error(.daemonError)) == .none)
        #expect(search.browsingTimedOut() == .none)
    }

    @Test("26: the time to find is not the time to resolve: what was found late has its own five seconds")
    func late() throws {
        var search = ServiceSearch()
        let service = try Self.service("late")
        _ = search.browsed(.added(service))
        #expect(search.browsingTimedOut() == .none)
        #expect(search.browsed(.added(try Self.service("too late"))) == .none)
        #expect(
            search.resolved(service.instance, .failure(error(.notFound)))
                == .finish(.failure(.discoverResolveTimeout))
        )
    }

    @Test("A service that fails while others may still come ends nothing before the time is over")
    func failing() throws {
        var search = ServiceSearch()
        let service = try Self.service("broken")
        _ = search.browsed(.added(service))
        #expect(search.resolved(service.instance, .failure(error(.daemonError))) == .none)
        // It is told again where it has changed: another try.
        #expect(search.browsed(.updated(service)) == .resolve(service))
        #expect(search.resolved(service.instance, .failure(error(.tooManyObjects))) == .none)
        #expect(search.browsingTimedOut() == .finish(.failure(.discoverResolveBusy)))
    }

    @Test("A service that went away before it was resolved is told as not found")
    func vanished() throws {
        var search = ServiceSearch()
        let service = try Self.service("gone")
        _ = search.browsed(.added(service))
        #expect(search.browsed(.removed(service)) == .none)
        #expect(search.browsingTimedOut() == .none)
        #expect(
            search.resolved(service.instance, .failure(error(.notFound)))
                == .finish(.failure(.discoverResolveServiceNotFound))
        )
    }

    @Test("A service without an address is told as not resolved")
    func withoutAddress() throws {
        var search = ServiceSearch()
        let service = try Self.service("bare")
        _ = search.browsed(.added(service))
        let bare = ResolvedService(instance: service.instance, host: "x.local", port: 1, addresses: [], txt: .empty)
        #expect(search.resolved(service.instance, .success(bare)) == .none)
        #expect(search.browsingTimedOut() == .finish(.failure(.discoverResolveFailed)))
    }

    @Test("A browse that fails ends the search with what it names")
    func browseFails() {
        var search = ServiceSearch()
        #expect(search.browsingFailed(error(.tooManyObjects)) == .finish(.failure(.discoverResolveBusy)))
    }

    @Test(
        "26: the port that is told counts, unless the app names one; 1024 where neither says one; all addresses are tried"
    )
    func ports() throws {
        let service = try Self.service("port")
        for (told, asked, expected) in [(4242, nil, 4242), (4242, 1024, 1024), (0, nil, 1024), (0, 7, 7)]
            as [(UInt16, UInt16?, UInt16)]
        {
            let addresses = try Self.resolved(service, port: told).addresses(port: asked)
            #expect(addresses.map(\.port) == [expected, expected])
            #expect(addresses.map(\.ip.family) == [.ipv4, .ipv6])
            #expect(addresses[1].scope == InterfaceIndex(rawValue: 2))
        }
    }
}
