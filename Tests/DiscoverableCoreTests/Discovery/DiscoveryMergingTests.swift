import DiscoverableCore
import Testing

/// Merging, apart from the life of paths and of the connection (`PathMergerTests`): flags, configurations, late consumers,
/// interfaces that go.
@Suite("Merging: flags, configurations, late consumers")
struct DiscoveryMergingTests {
    private var merger = PathMerger<BrowsedService>()

    private func seen(
        _ name: String,
        _ path: ServicePath,
        _ flags: SightingFlags = []
    ) throws -> Sighting<ServiceInstance> {
        Sighting(try service(name), on: path, flags: flags)
    }

    @Test("17: four sightings of one service are one added; a path lost is an update, the last one lost a removal")
    mutating func fourSightings() throws {
        let paths: [ServicePath] = [.ipv4(2), .ipv6(2), .ipv4(3), .ipv6(3)]
        var events: [BrowseEvent<BrowsedService>] = []
        for path in paths { events += [merger.appeared(try seen("Office", path))].compactMap { $0 } }
        for path in paths { events += [merger.vanished(try seen("Office", path))].compactMap { $0 } }
        let kinds = events.map { event in
            switch event {
            case .added: "added"
            case .updated: "updated"
            case .removed: "removed"
            case .settled: "settled"
            }
        }
        #expect(kinds == ["added", "updated", "updated", "updated", "updated", "updated", "updated", "removed"])
        #expect(events.last == .removed(try BrowsedService("Office", on: [])))
    }

    @Test("The daemon's flags are told for each path, and together")
    mutating func flags() throws {
        _ = merger.appeared(try seen("Office", .ipv4(1), [.local, .own]))
        guard case .updated(let found)? = merger.appeared(try seen("Office", .ipv6(1), .cached)) else {
            throw Unexpected()
        }
        #expect(found.sightings.flags(on: .ipv4(1)) == [.local, .own])
        #expect(found.sightings.flags(on: .ipv6(1)) == .cached)
        #expect(found.sightings.flags(on: .ipv4(9)) == [])
        #expect(found.sightings.flags == [.local, .own, .cached])
        #expect(found.isLocal && found.isOwn)
    }

    @Test("Flags that change are no news; whoever comes later hears the new ones")
    mutating func changedFlags() throws {
        _ = merger.appeared(try seen("Office", .ipv4(1), .cached))
        #expect(merger.appeared(try seen("Office", .ipv4(1))) == nil)
        guard case .added(let found)? = merger.story.first else { throw Unexpected() }
        #expect(found.sightings.flags == [])
        merger.connectionLost()
        #expect(merger.appeared(try seen("Office", .ipv4(1), [.local, .own])) == nil)
        guard case .updated(let later)? = merger.appeared(try seen("Office", .ipv4(2))) else { throw Unexpected() }
        #expect(later.isOwn && later.sightings.flags(on: .ipv4(2)) == [])
    }

    @Test("A late consumer is told all that is there, in order, and that it has settled where it has")
    mutating func story() throws {
        #expect(merger.story == [])
        for name in ["b", "a", "c"] { _ = merger.appeared(try seen(name, .ipv4(1))) }
        _ = merger.appeared(try seen("a", .ipv6(1)))
        _ = merger.vanished(try seen("c", .ipv4(1)))
        let additions: [BrowseEvent] = [
            .added(try BrowsedService("a", on: [.ipv4(1), .ipv6(1)])), .added(try BrowsedService("b", on: [.ipv4(1)])),
        ]
        #expect(merger.story == additions)
        _ = merger.allForNow(now: .origin)
        #expect(merger.story == additions + [.settled])
        merger.connectionLost()
        #expect(merger.story == additions + [.settled], "what is in doubt is still believed")
    }

    @Test("An interface that goes takes all sightings with it, and its review")
    mutating func interfaceLost() throws {
        for name in ["b", "a"] { _ = merger.appeared(try seen(name, .ipv4(1))) }
        _ = merger.allForNow(now: .origin)
        merger.connectionLost()
        _ = merger.allForNow(now: .origin)
        #expect(
            merger.interfaceLost() == [
                .removed(try BrowsedService("a", on: [])), .removed(try BrowsedService("b", on: [])),
            ]
        )
        #expect(merger.nextDeadline == nil && merger.story == [.settled])
        #expect(merger.interfaceLost() == [])
        #expect(merger.appeared(try seen("a", .ipv4(7))) == .added(try BrowsedService("a", on: [.ipv4(7)])))
    }
}

@Suite("Merging domains that a configuration names")
struct ConfiguredDomainTests {
    private var merger = PathMerger<BrowsedDomain>()
    private let domain: Domain
    private let seen: Sighting<Domain>
    private let configured: BrowsedDomain

    init() throws {
        domain = try Domain("example.com")
        seen = Sighting(domain, on: .ipv4(1))
        configured = BrowsedDomain(identity: domain, sightings: Sightings([:], isConfigured: true))
    }

    @Test("A configured domain is there without any path, once, and stays when nobody tells it any more")
    mutating func life() {
        #expect(merger.configured(domain) == .added(configured))
        #expect(merger.configured(domain) == nil)
        guard case .updated(let both)? = merger.appeared(seen) else { return #expect(Bool(false), "no update") }
        #expect(both.isConfigured && both.paths == [.ipv4(1)])
        #expect(merger.vanished(seen) == .updated(configured))
        #expect(merger.interfaceLost() == [])
    }

    @Test("What a new daemon's configuration names no more is removed by the review")
    mutating func reconfigured() {
        _ = merger.configured(domain)
        merger.connectionLost()
        _ = merger.allForNow(now: .origin)
        #expect(merger.deadlineReached(now: .seconds(5)) == [.removed(BrowsedDomain(identity: domain, paths: []))])
        _ = merger.configured(domain)
        merger.connectionLost()
        #expect(merger.configured(domain) == nil)
        _ = merger.allForNow(now: .seconds(10))
        #expect(merger.nextDeadline == nil && merger.story == [.added(configured), .settled])
    }
}
