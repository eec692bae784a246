import DiscoverableTestKit
import Testing

@Suite("A scripted network, as an app's browse sees it", .timeLimit(.minutes(1)))
struct ScriptedDiscoveryTests {
    private let discovery = ScriptedDiscovery()
    private let type: ServiceType
    private let office: ScriptedService

    init() throws {
        type = try ServiceType("_ipp._tcp")
        office = try ScriptedService("Office", type: "_ipp._tcp", port: 631)
    }

    private func browser() -> ServiceBrowser.Iterator {
        (discovery as any ServiceDiscovery).browse(type).makeAsyncIterator()
    }

    @Test("What appears, changes its paths and vanishes is told in that order, after settled where nothing was there")
    func life() async throws {
        var events = browser()
        #expect(try await events.next() == .settled)
        discovery.appear(office)
        #expect(try await events.next() == .added(BrowsedService(identity: office.instance, paths: [.scripted])))
        let other = ServicePath(interface: InterfaceIndex(rawValue: 3), family: .ipv6)
        discovery.change(office.instance) { $0.paths.append(other) }
        #expect(
            try await events.next() == .updated(BrowsedService(identity: office.instance, paths: [.scripted, other]))
        )
        discovery.vanish(office.instance)
        #expect(try await events.next() == .removed(BrowsedService(identity: office.instance, paths: [])))
        discovery.vanish(office.instance)
        discovery.appear(office)
        #expect(try await events.next() == .added(BrowsedService(identity: office.instance, paths: [.scripted])))
    }

    @Test("Whoever comes late is told all that is there, then settled; a service of another type is not told")
    func lateConsumer() async throws {
        discovery.appear(office)
        discovery.appear(try ScriptedService("Web", type: "_http._tcp"))
        var events = browser()
        #expect(try await events.next() == .added(BrowsedService(identity: office.instance, paths: [.scripted])))
        #expect(try await events.next() == .settled)
    }

    @Test("A consumer that did not look is not told what came and went")
    func coalescing() async throws {
        var events = browser()
        discovery.appear(office)
        discovery.vanish(office.instance)
        discovery.appear(try ScriptedService("Second", type: "_ipp._tcp"))
        #expect(try await events.next() == .settled)
        guard case .added(let found)? = try await events.next() else {
            return #expect(Bool(false), "nothing was added")
        }
        #expect(found.instance.name.text == "Second")
    }

    @Test("Settling can wait for the script")
    func settling() async throws {
        let discovery = ScriptedDiscovery(settlesAtOnce: false)
        var events = discovery.browse(type).makeAsyncIterator()
        discovery.appear(office)
        guard case .added? = try await events.next() else { return #expect(Bool(false), "nothing was added") }
        discovery.settle()
        discovery.settle()
        #expect(try await events.next() == .settled)
        discovery.vanish(office.instance)
        guard case .removed? = try await events.next() else { return #expect(Bool(false), "settled twice") }
    }

    @Test("Subtypes, domains, interfaces and families narrow a browse; what is found keeps its type")
    func narrowing() async throws {
        var printer = office
        printer.subtypes = [try ServiceSubtype("_color")]
        printer.paths = [.scripted, ServicePath(interface: InterfaceIndex(rawValue: 1), family: .ipv6)]
        printer.flags = [.local]
        discovery.appear(printer)
        func first(_ browser: ServiceBrowser) async throws -> BrowseEvent<BrowsedService>? {
            var events = browser.makeAsyncIterator()
            return try await events.next()
        }
        let color = try await first(discovery.browse(type, subtype: ServiceSubtype("_color")))
        guard case .added(let found)? = color else { return #expect(Bool(false), "the subtype was not found") }
        #expect(found.instance == office.instance && found.paths.count == 2 && found.isLocal && !found.isOwn)
        #expect(try await first(discovery.browse(type, subtype: ServiceSubtype("_duplex"))) == .settled)
        #expect(try await first(discovery.browse(type, domain: Domain("example.com"))) == .settled)
        #expect(try await first(discovery.browse(type, on: .interface(named: "eth7"))) == .settled)
        for scope: DiscoveryScope in [.loopback, .interface(named: "lo"), .family(.ipv6)] {
            guard case .added(let found)? = try await first(discovery.browse(type, on: scope)) else {
                return #expect(Bool(false), "not found \(scope)")
            }
            #expect(found.paths == [ServicePath(interface: InterfaceIndex(rawValue: 1), family: .ipv6)])
        }
    }

    @Test("A type is there as long as one of its services is")
    func types() async throws {
        var events = discovery.browseTypes().makeAsyncIterator()
        #expect(try await events.next() == .settled)
        let second = try ScriptedService("Second", type: "_ipp._tcp")
        discovery.appear(office)
        guard case .added(let found)? = try await events.next() else { return #expect(Bool(false), "no type") }
        #expect(found.type == type)
        discovery.appear(second)
        discovery.vanish(office.instance)
        discovery.vanish(second.instance)
        #expect(try await events.next() == .removed(BrowsedServiceType(identity: found.identity, paths: [])))
    }

    @Test("Domains are recommended, for one purpose each")
    func domains() async throws {
        let domain = try Domain("example.com")
        var events = discovery.browseDomains(.register).makeAsyncIterator()
        #expect(try await events.next() == .settled)
        discovery.recommend(domain, as: .browse)
        discovery.recommend(domain, as: .register)
        #expect(try await events.next() == .added(BrowsedDomain(identity: domain, paths: [.scripted])))
        discovery.stopRecommending(domain, as: .register)
        #expect(try await events.next() == .removed(BrowsedDomain(identity: domain, paths: [])))
    }

    @Test("While the daemon is away nothing is told; when it is back, what truly changed meanwhile")
    func daemon() async throws {
        let stays = try ScriptedService("Stays", type: "_ipp._tcp")
        var states = discovery.states.makeAsyncIterator()
        #expect(await states.next() == .running)
        discovery.appear(office)
        discovery.appear(stays)
        var events = browser()
        for _ in 0..<2 { _ = try await events.next() }
        #expect(try await events.next() == .settled)
        discovery.daemonGoes(.noBus)
        #expect(await states.next() == .noBus)
        #expect(discovery.failure(while: "testing")?.code == .daemonUnavailable)
        discovery.vanish(office.instance)
        let new = try ScriptedService("New", type: "_ipp._tcp")
        discovery.appear(new)
        discovery.daemonReturns()
        #expect(await states.next() == .running)
        #expect(try await events.next() == .added(BrowsedService(identity: new.instance, paths: [.scripted])))
        #expect(try await events.next() == .removed(BrowsedService(identity: office.instance, paths: [])))
        discovery.vanish(stays.instance)
        #expect(try await events.next() == .removed(BrowsedService(identity: stays.instance, paths: [])))
    }

    @Test("What begins while the daemon is away is told when it comes")
    func beforeTheDaemon() async throws {
        discovery.daemonGoes()
        discovery.appear(office)
        var events = browser()
        discovery.daemonReturns()
        guard case .added? = try await events.next() else { return #expect(Bool(false), "nothing was added") }
        #expect(try await events.next() == .settled)
    }

    @Test("A browse can be made to fail, and a cancelled one ends")
    func failing() async throws {
        var events = browser()
        let error = DiscoveryError(.tooManyObjects, operation: "browsing", explanation: "as asked")
        discovery.failBrowses(with: error)
        #expect(try await events.next() == .settled, "what was told before is still delivered")
        await #expect(throws: error) { try await events.next() }
        #expect(try await events.next() == nil)
        let browser = discovery.browse(type)
        let cancelled = Task { try await browser.contains { $0 != .settled } }
        cancelled.cancel()
        #expect(try await cancelled.value == false)
    }
}

@Suite("A scripted network, as an app's resolve sees it", .timeLimit(.minutes(1)))
struct ScriptedResolveTests {
    private let discovery = ScriptedDiscovery()
    private let office: ScriptedService

    init() throws {
        office = try ScriptedService(
            "Office",
            type: "_ipp._tcp",
            port: 631,
            txt: TXTRecord([.init(key: "a", text: "b")])
        )
    }

    private func code(_ body: () async throws(DiscoveryError) -> ResolvedService) async -> DiscoveryError.Code? {
        do throws(DiscoveryError) {
            _ = try await body()
            return nil
        } catch {
            return error.code
        }
    }

    @Test("What is on the network is resolved as it is now; what is not there is not found")
    func network() async throws {
        let instance = office.instance
        #expect(await code { () throws(DiscoveryError) in try await discovery.resolve(instance) } == .notFound)
        discovery.appear(office)
        let resolved = try await discovery.resolve(instance)
        #expect(resolved == office.resolved && resolved.txt["a"]?.text == "b")
        #expect(resolved.addresses.map(\.port) == [631])
        discovery.change(instance) { $0.port = 632 }
        #expect(
            try await discovery.resolve(BrowsedService(identity: instance, paths: [])).addresses.map(\.port) == [632]
        )
        discovery.daemonGoes()
        #expect(await code { () throws(DiscoveryError) in try await discovery.resolve(instance) } == .daemonUnavailable)
    }

    @Test("The script answers with an error, or lets the app wait until it has an answer")
    func answers() async throws {
        let (discovery, instance) = (self.discovery, office.instance)
        discovery.appear(office)
        let error = DiscoveryError(.notFound, operation: "resolving", explanation: "as asked")
        discovery.answer(resolving: instance, with: .failure(error))
        await #expect(throws: error) { try await discovery.resolve(instance) }
        discovery.answer(resolving: instance, with: .nothingYet)
        async let waiting = discovery.resolve(instance)
        discovery.answer(resolving: instance, with: .asOnTheNetwork)
        #expect(try await waiting == office.resolved)
    }

    @Test("Waiting for an answer ends with the task")
    func cancelling() async throws {
        let (discovery, instance) = (self.discovery, office.instance)
        discovery.answer(resolving: instance, with: .nothingYet)
        let resolving = Task { await code { () throws(DiscoveryError) in try await discovery.resolve(instance) } }
        resolving.cancel()
        #expect(await resolving.value == .cancelled)
    }
}
