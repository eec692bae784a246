import DiscoverableCore
import DiscoverableRuntime
import Testing

@testable import AvahiDiscovery

@Suite("Several consumers of one browse")
struct DiscoverySharingTests {
    private let question: ServiceQuestion
    private let office: Sighting<ServiceInstance>

    init() throws {
        let type = try ServiceType("_http._tcp")
        question = ServiceQuestion(type: type, subtype: nil, domain: nil, scope: .everywhere)
        let path = ServicePath(interface: InterfaceIndex(rawValue: 2), family: .ipv4)
        office = Sighting(ServiceInstance(name: try ServiceName("Office"), type: type), on: path)
    }

    private func tell(_ browse: Browse<ServiceQuestion>, _ reports: AvahiListReport<Sighting<ServiceInstance>>...) {
        for report in reports { _ = browse.process(.serviceBrowser(report), now: MonotonicClock.now) }
    }

    private func waiting(in output: BrowseOutput<BrowsedService>) async throws -> [BrowseEvent<BrowsedService>] {
        output.finish()
        var events: [BrowseEvent<BrowsedService>] = []
        while let event = try await output.next() { events.append(event) }
        return events
    }

    @Test("Each is told everything; one that comes late is told what is there first")
    func stories() async throws {
        let browse = Browse(question)
        let (early, late) = (BrowseOutput<BrowsedService>.forTests(), BrowseOutput<BrowsedService>.forTests())
        browse.join(1, early)
        let added = BrowseEvent.added(BrowsedService(identity: office.identity, paths: [office.path]))
        tell(browse, .appeared(office), .networkTold)
        #expect(try await early.next() == added)
        browse.join(2, late)
        tell(browse, .vanished(office))
        #expect(
            try await waiting(in: early) == [.settled, .removed(BrowsedService(identity: office.identity, paths: []))]
        )
        #expect(try await waiting(in: late) == [.settled], "what came and went before anybody looked is not told")
    }

    @Test("One who sleeps holds up nobody and keeps one event for each thing")
    func sleeper() async throws {
        let browse = Browse(question)
        let (asleep, awake) = (BrowseOutput<BrowsedService>.forTests(), BrowseOutput<BrowsedService>.forTests())
        browse.join(1, asleep)
        browse.join(2, awake)
        for _ in 0..<1_000 {
            tell(browse, .appeared(office))
            guard case .added? = try await awake.next() else { return #expect(Bool(false), "not told at once") }
            tell(browse, .vanished(office))
            guard case .removed? = try await awake.next() else { return #expect(Bool(false), "not told at once") }
        }
        tell(browse, .appeared(office))
        #expect(
            try await waiting(in: asleep) == [.added(BrowsedService(identity: office.identity, paths: [office.path]))]
        )
    }

    @Test("The last one who leaves ends the browse; an error ends all")
    func leaving() async throws {
        var table = BrowseTable()
        let browse = Browse(question)
        let output = BrowseOutput<BrowsedService>.forTests()
        for consumer: UInt64 in 1...2 {
            browse.join(consumer, output)
            table.join(consumer, to: 7)
        }
        table.insert(browse, for: question, id: 7)
        #expect(table.browse(for: question)?.id == 7)
        #expect(table.leave(1) == nil)
        #expect(table.leave(1) == nil, "leaving twice changes nothing")
        #expect(table.leave(3) == nil)
        #expect(table.leave(2)?.id == 7)
        #expect(table.browse(for: question) == nil && table[7] == nil)
        browse.join(4, output)
        browse.fail(.cancelled(while: "testing"))
        let error = await #expect(throws: DiscoveryError.self) { try await output.next() }
        #expect(error?.code == .cancelled)
    }

    @Test("Questions are equal as DNS sees them, and different where anything else differs")
    func questions() throws {
        var table = BrowseTable()
        table.insert(Browse(question), for: question, id: 1)
        let same = ServiceQuestion(type: try ServiceType("_HTTP._tcp"), subtype: nil, domain: nil, scope: .everywhere)
        #expect(table.browse(for: same)?.id == 1)
        let others = [
            ServiceQuestion(type: question.type, subtype: try ServiceSubtype("_ab"), domain: nil, scope: .everywhere),
            ServiceQuestion(type: question.type, subtype: nil, domain: .local, scope: .everywhere),
            ServiceQuestion(type: question.type, subtype: nil, domain: nil, scope: .loopback),
        ]
        for other in others { #expect(table.browse(for: other) == nil) }
        #expect(table.browse(for: TypeQuestion(domain: nil, scope: .everywhere)) == nil)
    }

    @Test("A browse of domains tells what the environment names before there is a daemon, and keeps it over its end")
    func environment() async throws {
        let domains = DomainQuestion.domains(listedIn: "example.com:..:b.example:")
        #expect(domains.map(\.text) == ["example.com", "b.example"])
        let question = DomainQuestion(kind: .browse, domain: nil, scope: .everywhere, configured: domains)
        let browse = Browse(question)
        let output = BrowseOutput<BrowsedDomain>.forTests()
        browse.join(1, output)
        browse.connectionLost()
        _ = browse.process(.domainBrowser(.network(.networkTold)), now: MonotonicClock.now)
        #expect(browse.nextDeadline == nil)
        output.finish()
        var told: [String] = []
        while case .added(let found)? = try await output.next() {
            #expect(found.isConfigured && found.paths == [])
            told.append(found.domain.text)
        }
        #expect(told == ["b.example", "example.com"])
    }
}

extension Mailbox {
    fileprivate static func forTests<Found: Browsed>() -> BrowseOutput<Found>
    where Store == BrowseBacklog<Found>, Failure == DiscoveryError {
        BrowseOutput<Found>(backlog: BrowseBacklog())
    }
}
