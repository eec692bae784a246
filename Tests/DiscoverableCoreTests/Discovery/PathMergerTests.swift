import DiscoverableCore
import Testing

@Suite("Merging the daemon's paths")
struct PathMergerTests {
    private var merger = PathMerger<BrowsedService>()

    @Test("The first path adds a service, the next ones update it, the last one's end removes it")
    mutating func life() throws {
        #expect(merger.appeared(try seen("Office", .ipv6(2))) == .added(try BrowsedService("Office", on: [.ipv6(2)])))
        #expect(
            merger.appeared(try seen("Office", .ipv4(2)))
                == .updated(try BrowsedService("Office", on: [.ipv4(2), .ipv6(2)]))
        )
        #expect(merger.vanished(try seen("Office", .ipv6(2))) == .updated(try BrowsedService("Office", on: [.ipv4(2)])))
        #expect(merger.vanished(try seen("Office", .ipv4(2))) == .removed(try BrowsedService("Office", on: [])))
        #expect(merger.appeared(try seen("Office", .ipv4(2))) == .added(try BrowsedService("Office", on: [.ipv4(2)])))
    }

    @Test("What is told twice, or ends without having begun, is no news")
    mutating func repetitions() throws {
        #expect(merger.vanished(try seen("Office", .ipv4(1))) == nil)
        _ = merger.appeared(try seen("Office", .ipv4(1)))
        #expect(merger.appeared(try seen("Office", .ipv4(1))) == nil)
        #expect(merger.vanished(try seen("Office", .ipv6(1))) == nil)
        #expect(merger.vanished(try seen("Office 2", .ipv4(1))) == nil)
        _ = merger.vanished(try seen("Office", .ipv4(1)))
        #expect(merger.vanished(try seen("Office", .ipv4(1))) == nil)
    }

    @Test("Spellings of one name are one service, told as it was first spelt")
    mutating func spellings() throws {
        _ = merger.appeared(try seen("Office", .ipv4(1)))
        let updated = try #require(merger.appeared(try seen("OFFICE", .ipv6(1))))
        guard case .updated(let found) = updated else { throw Unexpected() }
        #expect(found.instance.name.text == "Office")
        #expect(merger.vanished(try seen("office", .ipv4(1))) == .updated(try BrowsedService("Office", on: [.ipv6(1)])))
    }

    @Test("Settled is told once, also over reconnections")
    mutating func settledOnce() {
        #expect(merger.allForNow(now: .origin) == .settled)
        #expect(merger.allForNow(now: .origin) == nil)
        merger.connectionLost()
        #expect(merger.allForNow(now: .origin) == nil)
    }

    @Test("A connection lost before the first list was complete settles on the next one")
    mutating func settledAfterReconnection() throws {
        _ = merger.appeared(try seen("Office", .ipv4(1)))
        merger.connectionLost()
        #expect(merger.allForNow(now: .origin) == .settled)
    }

    @Test("Nothing is reviewed where nothing is in doubt")
    mutating func nothingToReview() throws {
        _ = merger.appeared(try seen("Office", .ipv4(1)))
        _ = merger.allForNow(now: .origin)
        #expect(merger.nextDeadline == nil)
        #expect(merger.deadlineReached(now: .seconds(1_000)) == [])
    }

    private func seen(_ name: String, _ path: ServicePath) throws -> Sighting<ServiceInstance> {
        Sighting(try service(name), on: path)
    }
}

@Suite("Carrying a browse over a reconnection")
struct PathMergerReconnectionTests {
    private var merger = PathMerger<BrowsedService>()
    private let office: Sighting<ServiceInstance>
    private let officeOnIPv6: Sighting<ServiceInstance>
    private let workshop: Sighting<ServiceInstance>

    init() throws {
        office = Sighting(try service("Office"), on: .ipv4(1))
        officeOnIPv6 = Sighting(try service("Office"), on: .ipv6(1))
        workshop = Sighting(try service("Workshop"), on: .ipv4(1))
        for sighting in [office, officeOnIPv6, workshop] { _ = merger.appeared(sighting) }
        _ = merger.allForNow(now: .origin)
        merger.connectionLost()
    }

    @Test("What comes back is no news")
    mutating func reconfirmation() {
        #expect(merger.nextDeadline == nil, "the review waits for the new list")
        for sighting in [office, officeOnIPv6, workshop] { #expect(merger.appeared(sighting) == nil) }
        #expect(merger.allForNow(now: .seconds(1)) == nil)
        #expect(merger.nextDeadline == nil, "nothing is in doubt")
    }

    @Test("What does not come back is removed when the review is due, not before; paths one by one")
    mutating func review() throws {
        _ = merger.appeared(office)
        _ = merger.allForNow(now: .seconds(1))
        let due = Instant.seconds(1).advanced(by: PathMerger<BrowsedService>.reviewDelay)
        #expect(merger.nextDeadline == due)
        #expect(merger.deadlineReached(now: due.advanced(by: .nanoseconds(-1))) == [])
        #expect(
            merger.deadlineReached(now: due) == [
                .updated(try BrowsedService("Office", on: [.ipv4(1)])),
                .removed(try BrowsedService("Workshop", on: [])),
            ]
        )
        #expect(merger.nextDeadline == nil)
        #expect(merger.deadlineReached(now: due) == [])
    }

    @Test("What is confirmed between the list and the review stays")
    mutating func lateConfirmation() {
        _ = merger.allForNow(now: .seconds(1))
        for sighting in [office, officeOnIPv6, workshop] { #expect(merger.appeared(sighting) == nil) }
        #expect(merger.deadlineReached(now: .seconds(6)) == [])
        #expect(merger.nextDeadline == nil)
    }

    @Test("A goodbye for what is in doubt counts at once, and once")
    mutating func goodbyeWhileInDoubt() throws {
        _ = merger.allForNow(now: .seconds(1))
        #expect(merger.vanished(workshop) == .removed(try BrowsedService("Workshop", on: [])))
        #expect(merger.vanished(officeOnIPv6) == .updated(try BrowsedService("Office", on: [.ipv4(1)])))
        #expect(merger.deadlineReached(now: .seconds(6)) == [.removed(try BrowsedService("Office", on: []))])
    }

    @Test("A connection lost during the review starts it anew")
    mutating func secondLoss() throws {
        _ = merger.allForNow(now: .seconds(1))
        _ = merger.appeared(office)
        merger.connectionLost()
        #expect(merger.nextDeadline == nil)
        #expect(merger.deadlineReached(now: .seconds(6)) == [])
        _ = merger.appeared(workshop)
        _ = merger.allForNow(now: .seconds(10))
        #expect(merger.deadlineReached(now: .seconds(14)) == [])
        #expect(merger.deadlineReached(now: .seconds(15)) == [.removed(try BrowsedService("Office", on: []))])
    }

    @Test("What is new after the reconnection is added; a new path is an update")
    mutating func newAfterReconnection() throws {
        let kitchen = Sighting(try service("Kitchen"), on: ServicePath.ipv4(1))
        #expect(merger.appeared(kitchen) == .added(try BrowsedService("Kitchen", on: [.ipv4(1)])))
        let elsewhere = Sighting(try service("Workshop"), on: ServicePath.ipv4(2))
        #expect(merger.appeared(elsewhere) == .updated(try BrowsedService("Workshop", on: [.ipv4(1), .ipv4(2)])))
        _ = merger.allForNow(now: .origin)
        #expect(
            merger.deadlineReached(now: .seconds(5)) == [
                .removed(try BrowsedService("Office", on: [])),
                .updated(try BrowsedService("Workshop", on: [.ipv4(2)])),
            ]
        )
    }
}

/// A result of another kind than the test is about.
struct Unexpected: Error {}
