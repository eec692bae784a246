import DiscoverableCore
import Testing

private let lan0 = InterfaceIndex(rawValue: 2)
private let lan1 = InterfaceIndex(rawValue: 3)
private let quiet = Duration.milliseconds(50)

private func address(_ text: String, _ interface: InterfaceIndex) throws -> Resolution.HostAddress {
    Resolution.HostAddress(ip: try #require(IPAddress(text)), interface: interface)
}

/// A resolution of a service that was seen on `paths`, whose host is known and whose addresses are being asked for.
private func begun(on paths: [ServicePath], hint: Resolution.HostAddress? = nil) throws -> Resolution {
    var resolution = Resolution(instance: try service("Office"), paths: paths)
    let txt = try TXTRecord([TXTRecord.Entry(key: "k", text: "v")])
    let action = resolution.serviceFound(host: "beta.local", port: 80, txt: txt, address: hint)
    #expect(action == .lookUpAddresses(host: "beta.local"))
    return resolution
}

/// What a resolution came to; nil where it goes on.
private func finished(_ action: Resolution.Action) -> ResolvedService? {
    if case .finish(let service) = action { service } else { nil }
}

@Suite("Resolving: when it ends")
struct ResolutionTests {
    @Test("It ends with what the daemon had cached, where that covers every path")
    func coveredByCache() throws {
        var resolution = try begun(on: [.ipv4(2), .ipv6(2)])
        #expect(resolution.addressAppeared(try address("192.0.2.1", lan0), now: .origin) == .none)
        #expect(resolution.addressAppeared(try address("2001:db8::1", lan0), now: .origin) == .none)
        #expect(resolution.nextDeadline == nil)
        #expect(resolution.recordsTold(.ipv4, .cacheTold) == .none, "the other family has not been told")
        let service = try #require(finished(resolution.recordsTold(.ipv6, .cacheTold)))
        #expect(service.instance == (try DiscoverableCoreTests.service("Office")))
        #expect(service.host == "beta.local" && service.port == 80)
        #expect(service.txt["k"]?.text == "v")
        #expect(service.addresses.map(\.description) == ["192.0.2.1:80", "[2001:db8::1]:80"])
    }

    @Test(
        "It waits for the network where the cache leaves a path uncovered",
        arguments: [[.ipv4(2), .ipv6(2)], [.ipv4(2), .ipv4(3)], []] as [[ServicePath]]
    )
    func waitsForNetwork(paths: [ServicePath]) throws {
        var resolution = try begun(on: paths)
        _ = resolution.addressAppeared(try address("192.0.2.1", lan0), now: .origin)
        #expect(resolution.recordsTold(.ipv4, .cacheTold) == .none)
        #expect(resolution.recordsTold(.ipv6, .cacheTold) == .none)
        #expect(resolution.nextDeadline == nil)
        #expect(resolution.recordsTold(.ipv6, .networkTold) == .none)
        let service = finished(resolution.recordsTold(.ipv4, .networkTold))
        #expect(service?.addresses.map(\.description) == ["192.0.2.1:80"])
    }

    @Test("An address that covers the last path ends it after a moment of quiet; a further one begins the moment anew")
    func quietTime() throws {
        var resolution = try begun(on: [.ipv4(2)])
        _ = resolution.recordsTold(.ipv4, .cacheTold)
        _ = resolution.recordsTold(.ipv6, .cacheTold)
        #expect(resolution.addressAppeared(try address("192.0.2.1", lan0), now: .origin) == .none)
        #expect(resolution.nextDeadline == Instant.origin.advanced(by: quiet))
        #expect(resolution.addressAppeared(try address("192.0.2.2", lan0), now: .milliseconds(40)) == .none)
        #expect(resolution.nextDeadline == Instant.milliseconds(40).advanced(by: quiet))
        #expect(resolution.deadlineReached(now: .milliseconds(89)) == .none)
        let service = finished(resolution.deadlineReached(now: .milliseconds(90)))
        #expect(service?.addresses.map(\.description) == ["192.0.2.1:80", "192.0.2.2:80"])
        #expect(resolution.nextDeadline == nil)
    }

    @Test("The network's word ends it also within the moment of quiet")
    func networkToldWithinQuietTime() throws {
        var resolution = try begun(on: [.ipv4(2)])
        _ = resolution.recordsTold(.ipv4, .cacheTold)
        _ = resolution.recordsTold(.ipv6, .cacheTold)
        _ = resolution.addressAppeared(try address("192.0.2.1", lan0), now: .origin)
        #expect(resolution.recordsTold(.ipv4, .cacheTold) == .none, "no news")
        #expect(resolution.recordsTold(.ipv4, .networkTold) == .none)
        #expect(finished(resolution.recordsTold(.ipv6, .networkTold)) != nil)
    }

    @Test("A late word about the cache takes nothing back")
    func progressOnlyRises() throws {
        var resolution = try begun(on: [])
        _ = resolution.addressAppeared(try address("192.0.2.1", lan0), now: .origin)
        _ = resolution.recordsTold(.ipv4, .networkTold)
        _ = resolution.recordsTold(.ipv4, .cacheTold)
        #expect(finished(resolution.recordsTold(.ipv6, .networkTold)) != nil)
    }

    @Test("An address that vanishes uncovers its path")
    func vanishedAddress() throws {
        var resolution = try begun(on: [.ipv4(2)])
        let gone = try address("192.0.2.1", lan0)
        _ = resolution.recordsTold(.ipv4, .cacheTold)
        _ = resolution.recordsTold(.ipv6, .cacheTold)
        _ = resolution.addressAppeared(gone, now: .origin)
        resolution.addressVanished(gone)
        #expect(resolution.nextDeadline == nil)
        #expect(resolution.deadlineReached(now: .seconds(1)) == .none)
        _ = resolution.addressAppeared(try address("192.0.2.2", lan0), now: .seconds(2))
        let service = finished(resolution.deadlineReached(now: Instant.seconds(2).advanced(by: quiet)))
        #expect(service?.addresses.map(\.description) == ["192.0.2.2:80"])
    }

    @Test("Another host starts the search for addresses anew; the same one, however spelt, does not")
    func hostChange() throws {
        var resolution = try begun(on: [.ipv4(2)])
        _ = resolution.addressAppeared(try address("192.0.2.1", lan0), now: .origin)
        _ = resolution.recordsTold(.ipv4, .networkTold)
        #expect(resolution.serviceFound(host: "BETA.local", port: 81, txt: .empty, address: nil) == .none)
        let other = resolution.serviceFound(host: "beta-2.local", port: 82, txt: .empty, address: nil)
        #expect(other == .lookUpAddresses(host: "beta-2.local"))
        _ = resolution.addressAppeared(try address("192.0.2.7", lan0), now: .origin)
        #expect(resolution.recordsTold(.ipv6, .networkTold) == .none, "what the first host was asked counts no more")
        let service = finished(resolution.recordsTold(.ipv4, .networkTold))
        #expect(service?.host == "beta-2.local" && service?.port == 82)
        #expect(service?.addresses.map(\.description) == ["192.0.2.7:82"])
    }

    @Test("A port or TXT record that changes meanwhile is told as it is now")
    func serviceChange() throws {
        var resolution = try begun(on: [.ipv4(2)])
        _ = resolution.addressAppeared(try address("192.0.2.1", lan0), now: .origin)
        _ = resolution.recordsTold(.ipv4, .cacheTold)
        #expect(resolution.serviceFound(host: "beta.local", port: 81, txt: .empty, address: nil) == .none)
        let service = finished(resolution.recordsTold(.ipv6, .cacheTold))
        #expect(service?.port == 81 && service?.txt == .empty)
    }
}

@Suite("Resolving: which addresses it tells")
struct ResolutionAddressTests {
    @Test("Addresses come IPv4 first, link-local IPv6 last, and only those carry their interface; each once")
    func order() throws {
        var resolution = try begun(on: [])
        let known = [
            ("fe80::1", lan1), ("fe80::1", lan0), ("2001:db8::1", lan0), ("2001:db8::1", lan1), ("fd00::1", lan0),
            ("192.0.2.9", lan0),
            ("192.0.2.1", lan1),
        ]
        for (text, interface) in known { _ = resolution.addressAppeared(try address(text, interface), now: .origin) }
        _ = resolution.recordsTold(.ipv4, .networkTold)
        let service = finished(resolution.recordsTold(.ipv6, .networkTold))
        #expect(
            service?.addresses.map(\.description) == [
                "192.0.2.1:80", "192.0.2.9:80", "[2001:db8::1]:80", "[fd00::1]:80", "[fe80::1%2]:80", "[fe80::1%3]:80",
            ]
        )
    }

    @Test("The resolver's own address has to do where no record came, and is none more where one did")
    func hint() throws {
        let hint = try address("fe80::7", lan1)
        var alone = try begun(on: [.ipv4(2)], hint: hint)
        _ = alone.recordsTold(.ipv4, .networkTold)
        let service = finished(alone.recordsTold(.ipv6, .networkTold))
        #expect(service?.addresses.map(\.description) == ["[fe80::7%3]:80"])

        var beside = try begun(on: [.ipv4(2)], hint: hint)
        _ = beside.addressAppeared(try address("192.0.2.1", lan0), now: .origin)
        _ = beside.recordsTold(.ipv4, .cacheTold)
        #expect(finished(beside.recordsTold(.ipv6, .cacheTold))?.addresses.count == 1)
    }

    @Test("A service whose host has no address is not found", arguments: [[], [.ipv4(2)]] as [[ServicePath]])
    func noAddress(paths: [ServicePath]) throws {
        var resolution = try begun(on: paths)
        #expect(resolution.recordsTold(.ipv4, .networkTold) == .none)
        #expect(resolution.recordsTold(.ipv6, .networkTold) == .none)
        #expect(resolution.nextDeadline == nil)
    }

    @Test(
        "An address that comes when the network has told all it had still ends it",
        arguments: [[], [.ipv6(3)], [.ipv4(2)]] as [[ServicePath]]
    )
    func addressAfterAll(paths: [ServicePath]) throws {
        var resolution = try begun(on: paths)
        _ = resolution.recordsTold(.ipv4, .networkTold)
        _ = resolution.recordsTold(.ipv6, .networkTold)
        _ = resolution.addressAppeared(try address("192.0.2.1", lan0), now: .seconds(2))
        #expect(resolution.nextDeadline == Instant.seconds(2).advanced(by: quiet))
        let service = finished(resolution.deadlineReached(now: Instant.seconds(2).advanced(by: quiet)))
        #expect(service?.addresses.map(\.description) == ["192.0.2.1:80"])
    }

    @Test("An address that the resolver finds when the network has told all it had still ends it")
    func hintAfterAll() throws {
        var resolution = try begun(on: [.ipv4(2)])
        _ = resolution.recordsTold(.ipv4, .networkTold)
        _ = resolution.recordsTold(.ipv6, .networkTold)
        let action = resolution.serviceFound(
            host: "beta.local",
            port: 80,
            txt: .empty,
            address: try address("192.0.2.1", lan0)
        )
        #expect(finished(action)?.addresses.map(\.description) == ["192.0.2.1:80"])
    }

    @Test("Nothing ends before the resolver has found the service")
    func notFound() throws {
        var resolution = Resolution(instance: try service("Office"))
        #expect(resolution.recordsTold(.ipv4, .networkTold) == .none)
        #expect(resolution.recordsTold(.ipv6, .networkTold) == .none)
        #expect(resolution.deadlineReached(now: .seconds(9)) == .none)
    }
}
