import DiscoverableTestKit
import Testing

@Suite("A scripted network, as an app's publications see it", .timeLimit(.minutes(1)))
struct ScriptedPublishTests {
    private let discovery = ScriptedDiscovery()
    private let type: ServiceType
    private let office: ServiceAdvertisement

    init() throws {
        type = try ServiceType("_ipp._tcp")
        office = ServiceAdvertisement(name: try ServiceName("Office"), type: type, port: 631)
    }

    private var instance: ServiceInstance { ServiceInstance(name: office.name, type: type) }

    @Test("What is published is seen as local and own, changes its TXT record, and goes when it is withdrawn")
    func life() async throws {
        var events = discovery.browse(type).makeAsyncIterator()
        #expect(try await events.next() == .settled)
        let publication = try await discovery.publish(office)
        #expect(publication.state == .established(office.name))
        guard case .added(let found)? = try await events.next() else { return #expect(Bool(false), "not seen") }
        #expect(found.instance == instance && found.isLocal && found.isOwn)
        let txt = try TXTRecord([.init(key: "a", text: "b")])
        try publication.update(txt: txt)
        #expect(try await discovery.resolve(instance).txt == txt)
        await publication.withdraw()
        #expect(publication.state == .withdrawn)
        guard case .removed? = try await events.next() else { return #expect(Bool(false), "still seen") }
        #expect(discovery.activity.publications == 0)
    }

    @Test("A publication that nobody holds any more is withdrawn")
    func dropped() async throws {
        var publication: Publication? = try await discovery.publish(office)
        #expect(publication?.name == office.name && discovery.activity.publications == 1)
        publication = nil
        #expect(discovery.activity.publications == 0)
        await #expect(throws: DiscoveryError.self) { try await discovery.resolve(instance) }
    }

    @Test(
        "A name that is taken is exchanged, or the publication fails, as the app has chosen; also when it is taken later"
    )
    func collisions() async throws {
        discovery.appear(ScriptedService(instance))
        let second = try await discovery.publish(office)
        #expect(second.name.text == "Office #2")
        var failing = office
        failing.name = try ServiceName("Fixed")
        let fixed = try await discovery.publish(failing, onCollision: .fail)
        discovery.appear(ScriptedService(ServiceInstance(name: second.name, type: type)))
        #expect(second.state == .established(try ServiceName("Office #3")) && second.name.text == "Office #3")
        discovery.appear(ScriptedService(ServiceInstance(name: failing.name, type: type)))
        guard case .failed(let error) = fixed.state else { return #expect(Bool(false), "\(fixed.state)") }
        #expect(error.code == .nameCollision)
        let refused = await #expect(throws: DiscoveryError.self) {
            try await discovery.publish(failing, onCollision: .fail)
        }
        #expect(refused?.code == .nameCollision)
    }

    @Test("A publication outlives the daemon under its name; one whose name was taken meanwhile is renamed")
    func daemon() async throws {
        let publication = try await discovery.publish(office)
        var events = discovery.browse(type).makeAsyncIterator()
        guard case .added? = try await events.next() else { return #expect(Bool(false), "not seen") }
        #expect(try await events.next() == .settled)
        discovery.daemonGoes()
        #expect(publication.state == .waitingForDaemon)
        discovery.daemonReturns()
        #expect(publication.state == .established(office.name))
        discovery.daemonGoes()
        discovery.appear(ScriptedService(instance))
        discovery.daemonReturns()
        #expect(publication.state == .established(try ServiceName("Office #2")))
        guard case .added(let renamed)? = try await events.next() else { return #expect(Bool(false), "not seen") }
        #expect(renamed.instance.name.text == "Office #2" && renamed.isOwn)
    }

    @Test("The script refuses to publish: for good, or until it takes that back; and lets what is published wait")
    func refusals() async throws {
        let forGood = DiscoveryError(.notPermitted, operation: "publishing", explanation: "as asked")
        discovery.refusePublishing(with: forGood)
        await #expect(throws: forGood) { try await discovery.publish(office) }
        discovery.refusePublishing(with: DiscoveryError(.daemonError, operation: "publishing", explanation: "as asked"))
        let publication = try discovery.beginPublishing(Advertisement([office]))
        #expect(publication.state == .registering(office.name))
        discovery.refusePublishing(with: nil)
        #expect(publication.state == .established(office.name))

        let waiting = ScriptedDiscovery(establishesAtOnce: false)
        async let visible = waiting.publish(office)
        await waiting.wait { $0.publications == 1 }
        waiting.establish()
        #expect(try await visible.state == .established(office.name))
    }
}
