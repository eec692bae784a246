import CAvahi
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Testing

@testable import AvahiDiscovery

@Suite("Scopes in Avahi's numbers")
struct AvahiScopeTests {
    private func failure(_ body: () throws(AvahiFailure) -> AvahiScope) -> Int? {
        do throws(AvahiFailure) {
            _ = try body()
            return nil
        } catch {
            return Int(error.number)
        }
    }

    @Test("An interface that does not exist is refused, by name and by number: the daemon would take it")
    func missing() throws {
        #expect(
            failure { () throws(AvahiFailure) in try AvahiScope(.interface(named: "gone0")) }
                == AVAHI_ERR_INVALID_INTERFACE
        )
        for number: UInt32 in [0, 2_000_000_000] {
            let scope = DiscoveryScope.interface(InterfaceIndex(rawValue: number))
            #expect(failure { () throws(AvahiFailure) in try AvahiScope(scope) } == AVAHI_ERR_INVALID_INTERFACE)
        }
        let loopback = try #require(NetworkInterface.loopback)
        #expect(try AvahiScope(.interface(loopback)).interface == AvahiIfIndex(loopback.rawValue))
        #expect(try AvahiScope(.everywhere).interface == AvahiIfIndex(AVAHI_IF_UNSPEC))
    }

    @Test("An interface that was looked up before is not looked up again")
    func known() throws {
        let known = ["gone0": InterfaceIndex(rawValue: 7)]
        #expect(try AvahiScope(.interface(named: "gone0"), known: known).interface == 7)
    }
}

@Suite("Looking for names that are to be claimed")
struct NameLookTests {
    @Test("A record that goes on one path still stands in the way on another")
    func paths() throws {
        let name = try DNSName("shop.local")
        let claims = Advertisement(aliases: [AliasAdvertisement(name: name)]).claims(of: try DNSName("alpha.local"))
        let claim = try #require(claims.first { $0.type == .a })
        var question = NameLook.Question(claim: claim)
        let sightings = [1, 2].map { number in
            ClaimSighting(
                name: name,
                data: .a(.loopback),
                path: ServicePath(interface: InterfaceIndex(rawValue: number), family: .ipv4),
                isLocal: false
            )
        }
        for sighting in sightings { question.appeared(sighting) }
        question.vanished(sightings[0])
        #expect(question.obstacles == [sightings[1]])
        question.vanished(sightings[1])
        #expect(question.obstacles.isEmpty)
    }
}
