import DiscoverableCore
import TestSupport
import Testing

@Suite("What waits for a slow consumer of a browse")
struct BrowseBacklogTests {
    private typealias Event = BrowseEvent<BrowsedService>

    /// The kinds of events about one service.
    enum Kind: CaseIterable {
        case added, updated, removed

        func event(_ found: BrowsedService) -> BrowseEvent<BrowsedService> {
            switch self {
            case .added: .added(found)
            case .updated: .updated(found)
            case .removed: .removed(found)
            }
        }
    }

    @Test(
        "Two events about one service are told as the one that says both",
        arguments: [
            (Kind.added, Kind.removed, nil), (.added, .updated, .added), (.added, .added, .added),
            (.updated, .updated, .updated), (.updated, .removed, .removed), (.updated, .added, .updated),
            (.removed, .added, .updated), (.removed, .updated, .updated), (.removed, .removed, .removed),
        ] as [(Kind, Kind, Kind?)]
    )
    func merging(first: Kind, second: Kind, told: Kind?) throws {
        let older = try BrowsedService("Office", on: [.ipv4(1)])
        let newer = try BrowsedService("OFFICE", on: [.ipv4(1), .ipv6(1)])
        var backlog = BrowseBacklog<BrowsedService>()
        backlog.push(first.event(older))
        backlog.push(second.event(newer))
        #expect(backlog.count == (told == nil ? 0 : 1))
        #expect(backlog.pop() == told?.event(newer))
        #expect(backlog.pop() == nil)
    }

    @Test("Things are told in the order in which they first had something to tell")
    func order() throws {
        let (first, second, third) = try (
            BrowsedService("1", on: []), BrowsedService("2", on: []), BrowsedService("3", on: [])
        )
        #expect(
            popped([.added(first), .added(second), .added(third), .updated(first)]) == [
                .added(first), .added(second), .added(third),
            ]
        )
        let returned: [Event] = [.added(first), .added(second), .removed(first), .added(third), .added(first)]
        #expect(
            popped(returned) == [.added(second), .added(third), .added(first)],
            "what came to nothing lost its turn"
        )
    }

    @Test("Settled keeps its place behind what was there before it")
    func settled() throws {
        let (first, second) = try (BrowsedService("1", on: []), BrowsedService("2", on: []))
        #expect(popped([.added(first), .settled, .added(second)]) == [.added(first), .settled, .added(second)])
        #expect(popped([.added(first), .settled, .updated(first)]) == [.added(first), .settled])
        #expect(popped([.added(first), .settled, .removed(first)]) == [.settled])
        #expect(popped([.settled, .settled]) == [.settled])
    }

    @Test("What was told already is merged no more")
    func afterPop() throws {
        let office = try BrowsedService("Office", on: [.ipv4(1)])
        var backlog = BrowseBacklog<BrowsedService>()
        backlog.push(.added(office))
        #expect(backlog.pop() == .added(office))
        backlog.push(.removed(office))
        #expect(backlog.pop() == .removed(office))
        #expect(backlog.pop() == nil)
        #expect(backlog.count == 0)
    }

    @Test("100,000 services that come and go leave nothing behind while the consumer sleeps")
    func sleepingConsumer() throws {
        var backlog = BrowseBacklog<BrowsedServiceType>()
        let type = try ServiceType("_http._tcp")
        let staying = BrowsedServiceType(identity: .init(type: type, domain: .local), paths: [.ipv4(1)])
        backlog.push(.added(staying))
        for number in 0..<100_000 {
            let identity = BrowsedServiceType.Identity(type: type, domain: try Domain("d\(number)"))
            backlog.push(.added(BrowsedServiceType(identity: identity, paths: [.ipv4(1)])))
            backlog.push(.removed(BrowsedServiceType(identity: identity, paths: [])))
        }
        #expect(backlog.count == 1)
        #expect(largestStore(of: backlog) < 200)
        #expect(backlog.pop() == .added(staying))
    }

    @Test("20,000 services that go in the opposite order of their coming cost no search each", .timeLimit(.minutes(1)))
    func manyRemovals() throws {
        var backlog = BrowseBacklog<BrowsedService>()
        let found = try (0..<20_000).map { try BrowsedService("\($0)", on: [.ipv4(1)]) }
        for service in found { backlog.push(.added(service)) }
        for service in found.dropFirst().reversed() { backlog.push(.removed(service)) }
        #expect(largestStore(of: backlog) < 200)
        #expect(backlog.pop() == .added(found[0]))
        #expect(backlog.pop() == nil)
    }

    @Test("A consumer that is always one event behind costs no more with time")
    func consumerOneBehind() throws {
        var backlog = BrowseBacklog<BrowsedService>()
        let found = try (0..<10).map { try BrowsedService("\($0)", on: [.ipv4(1)]) }
        backlog.push(.updated(found[9]))
        for turn in 0..<5_000 {
            backlog.push(.updated(found[turn % 9]))
            #expect(backlog.pop() != nil)
        }
        #expect(backlog.count == 1)
        #expect(largestStore(of: backlog) < 200)
    }

    private func popped(_ events: [Event]) -> [Event] {
        var backlog = BrowseBacklog<BrowsedService>()
        for event in events { backlog.push(event) }
        return Array(IteratorSequence(AnyIterator { backlog.pop() }))
    }

    /// How many elements the largest of the backlog's own collections has, whatever it is called.
    private func largestStore(of backlog: some Backlog) -> Int {
        Mirror(reflecting: backlog).children.compactMap { ($0.value as? any Collection)?.count }.max() ?? 0
    }
}

@Suite("Whatever happens to a slow consumer of a browse")
struct BrowseBacklogPropertyTests {
    @Test(
        "A consumer that pops at any moment is told nothing illegal and ends with the truth",
        arguments: 1...40 as ClosedRange<UInt64>
    )
    func anySequence(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let names = try (0..<6).map { try service("\($0)") }
        let diligence = Int.random(in: 1...60, using: &generator)
        var backlog = BrowseBacklog<BrowsedService>()
        var consumer = BelievingConsumer<BrowsedService>()
        var truth: [ServiceInstance: [ServicePath]] = [:]
        backlog.push(.settled)
        for _ in 0..<600 {
            let name = try #require(names.randomElement(using: &generator))
            backlog.push(change(name, in: &truth, &generator))
            try #require(backlog.count <= names.count + 1)
            while Int.random(in: 0..<100, using: &generator) < diligence, let event = backlog.pop() {
                consumer.apply(event)
            }
            try #require(consumer.violations == [])
        }
        while let event = backlog.pop() { consumer.apply(event) }
        #expect(consumer.violations == [])
        #expect(consumer.known == truth)
        #expect(consumer.settlements == 1)
    }

    /// A change that can happen, and the event that tells it.
    private func change(
        _ name: ServiceInstance,
        in truth: inout [ServiceInstance: [ServicePath]],
        _ generator: inout SeededGenerator
    ) -> BrowseEvent<BrowsedService> {
        let paths = [ServicePath.ipv4(UInt32.random(in: 1...9, using: &generator))]
        let wasThere = truth[name] != nil
        let goes = wasThere && Bool.random(using: &generator)
        truth[name] = goes ? nil : paths
        if goes { return .removed(BrowsedService(identity: name, paths: [])) }
        let found = BrowsedService(identity: name, paths: paths)
        return wasThere ? .updated(found) : .added(found)
    }
}
