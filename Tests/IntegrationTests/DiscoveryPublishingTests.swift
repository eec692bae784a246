import AvahiDiscovery
import DiscoverableRuntime
import Foundation
import Testing

extension DiscoveryDaemonTests {
    @Suite("Publications", .needsHosts, .timeLimit(.minutes(2)))
    struct Publications {
        private let discovery: Discovery

        init() throws {
            discovery = try Discovery()
        }

        private func service(_ name: String, _ type: ServiceType, _ txt: [String] = []) throws -> ServiceAdvertisement {
            ServiceAdvertisement(
                name: try ServiceName(name),
                type: type,
                port: 4242,
                txt: try TXTRecord(strings: txt.map { Array($0.utf8) })
            )
        }

        private func ownAddress() async throws -> IPAddress {
            try #require(IPAddress(try await ipv4Address(of: "alpha")))
        }

        /// What a command on beta prints.
        private func onBeta(_ command: String...) async throws -> String {
            let process = try Testbed.start(on: "beta", command)
            return try await process.finished(within: .seconds(20)).output
        }

        @Test(
            "22: one group holds services, a subtype, a host, an alias and a record; beta finds them all, and their end at once"
        )
        func group() async throws {
            let (first, second) = (try ServiceType.named("grpa", "_tcp"), try ServiceType.named("grpb"))
            let address = try await ownAddress()
            var advertisement = Advertisement([try service("Till 5", first), try service("Till 5", second)])
            advertisement.services[0].subtypes = [try ServiceSubtype("_printer")]
            advertisement.hosts = [HostAdvertisement(name: try DNSName("till.local"), address: address)]
            advertisement.aliases = [AliasAdvertisement(name: try DNSName("shop.local"))]
            let note = DNSRecord(
                name: try DNSName("note.local"),
                data: .txt(try TXTRecord(strings: [Array("hello".utf8)]))
            )
            advertisement.records = [RecordAdvertisement(note)]
            let publication = try await discovery.publish(advertisement)
            #expect(publication.names.map(\.text) == ["Till 5", "Till 5"])

            let browser = try Testbed.start(on: "beta", "avahi-browse", "-p", "_printer._sub.\(first)")
            defer { browser.end() }
            _ = try await browser.line(within: .seconds(15)) { $0.hasPrefix("+") && $0.contains(#"Till\0325"#) }
            let other = try Testbed.start(on: "beta", "avahi-browse", "-p", second.text)
            defer { other.end() }
            _ = try await other.line(within: .seconds(15)) { $0.hasPrefix("+") && $0.contains(#"Till\0325"#) }
            #expect(try await onBeta("avahi-resolve", "-4n", "till.local").contains("\(address)"))
            // An alias leads to any of the host's addresses.
            let alias = try await onBeta("avahi-resolve", "-4n", "shop.local")
            #expect(try await addresses(of: "alpha").contains(alias.lastWord), "\(alias)")
            // The address still leads to the host's own name.
            #expect(try await onBeta("avahi-resolve", "-a", "\(address)").contains("alpha.local"))

            let start = MonotonicClock.now
            await publication.withdraw()
            _ = try await browser.line(within: .seconds(10)) { $0.hasPrefix("-") }
            _ = try await other.line(within: .seconds(10)) { $0.hasPrefix("-") }
            // A goodbye takes effect after a second; without one it would be 75 minutes.
            #expect(start.duration(to: MonotonicClock.now) < .seconds(4))
        }

        @Test("22: an alias that is another host's name already is refused, and says whose record stands in the way")
        func takenAlias() async throws {
            let alias = AliasAdvertisement(name: try DNSName("Beta.local"))
            let error = await #expect(throws: DiscoveryError.self) {
                try await discovery.publish(Advertisement(aliases: [alias]))
            }
            #expect(error?.code == .nameCollision)
            #expect(error?.failureClass == .chooseAnotherName)
            #expect(error?.description.contains("Beta.local is taken") == true, "\(String(describing: error))")
            // This host's own name counts too.
            let own = await #expect(throws: DiscoveryError.self) {
                try await discovery.publish(Advertisement(aliases: [AliasAdvertisement(name: DNSName("alpha.local"))]))
            }
            #expect(own?.code == .nameCollision)
        }

        @Test(
            "22: a second name for an address has no reverse record unless it is asked for, and then collides with the first"
        )
        func reverse() async throws {
            let address = try await ownAddress()
            let name = try DNSName("second.local")
            let plain = try await discovery.publish(
                Advertisement(hosts: [HostAdvertisement(name: name, address: address)])
            )
            await plain.withdraw()
            let reversed = HostAdvertisement(name: try DNSName("third.local"), address: address, hasReverse: true)
            let error = await #expect(throws: DiscoveryError.self) {
                try await discovery.publish(Advertisement(hosts: [reversed]))
            }
            #expect(error?.code == .nameCollision)
            let foreign = try #require(IPAddress("192.0.2.99"))
            let other = HostAdvertisement(name: try DNSName("fourth.local"), address: foreign, hasReverse: true)
            let publication = try await discovery.publish(Advertisement(hosts: [other]))
            #expect(try await onBeta("avahi-resolve", "-a", "192.0.2.99").contains("fourth.local"))
            await publication.withdraw()
        }

        @Test("25: six TXT strings of 200 bytes are seen on beta as they are")
        func longTXT() async throws {
            let type = try ServiceType.named("longtxt", "_tcp")
            let strings = (0..<6).map { "\($0)=" + String(repeating: "x", count: 198) }
            let publication = try await discovery.publish(service("Long", type, strings))
            let seen = try await firstSeen("Long", type)
            #expect(seen.strings == strings)
            await publication.withdraw()
        }

        @Test(
            "25: the longest TXT record that is accepted is seen on beta; with one byte more it would not be, and is refused"
        )
        func longestTXT() async throws {
            let type = try ServiceType.named("edge", "_tcp")
            func strings(_ length: Int) -> [String] {
                Array(repeating: String(repeating: "a", count: 249), count: 5) + [
                    String(repeating: "b", count: length - 1_251)
                ]
            }
            let publication = try await discovery.publish(service("Edge", type, strings(1_403)))
            #expect(try await firstSeen("Edge", type).strings == strings(1_403))
            let longer = try TXTRecord(strings: strings(1_404).map { Array($0.utf8) })
            let change = #expect(throws: DiscoveryError.self) { try publication.update(txt: longer) }
            #expect(change?.code == .invalidTXTRecord)
            await publication.withdraw()
            let error = await #expect(throws: DiscoveryError.self) {
                try await discovery.publish(service("Edge", type, strings(1_404)))
            }
            #expect(error?.code == .invalidTXTRecord)
        }

        @Test("A TXT record changes in place: the service stays, and of changes that come at once the last is told")
        func changes() async throws {
            let type = try ServiceType.named("changing", "_tcp")
            let publication = try await discovery.publish(service("Changing", type, ["v=1"]))
            let browser = try Testbed.start(
                on: "beta",
                Testbed.peerScript("zeroconf_browse.py") + [type.text, "--for", "20"]
            )
            defer { browser.end() }
            _ = try await browser.line(within: .seconds(20)) { $0.contains("added") }
            for version in 2...9 { try publication.update(txt: TXTRecord(strings: [Array("v=\(version)".utf8)])) }
            _ = try await browser.line(within: .seconds(10)) { $0.contains("v=9") }
            // At most the first of them may have been told before the last.
            let told = browser.lines.filter { $0.contains("v=") }
            #expect(told.count <= 3, "\(told)")
            #expect(!browser.lines.contains { $0.contains("removed") })
            #expect(publication.state == .established(try ServiceName("Changing")))
            let error = #expect(throws: DiscoveryError.self) { try publication.update(txt: .empty, ofService: 1) }
            #expect(error?.code == .invalidArgument)
            await publication.withdraw()
        }

        @Test("33: a daemon that may not publish says so in a typed error that names the setting")
        func publishingDisabled() async throws {
            try await Testbed.with(
                ["config", "alpha", "publish", "disable-user-service-publishing", "yes"],
                undoneBy: ["config", "alpha", "publish", "disable-user-service-publishing", "no"]
            ) {
                let error = await #expect(throws: DiscoveryError.self) {
                    try await discovery.publish(service("Forbidden", .named("forbidden")))
                }
                #expect(error?.code == .notPermitted)
                #expect(error?.failureClass == .giveUp)
                #expect(error?.description.contains("disable-user-service-publishing") == true)
            }
        }

        @Test("One that must not be renamed throws where the name is taken")
        func mustNotBeRenamed() async throws {
            let type = try ServiceType.named("fixed", "_tcp")
            let rival = try Testbed.start(on: "beta", "avahi-publish", "-s", "Taken", type.text, "80")
            defer { rival.end() }
            let events = Follower(discovery.browse(type))
            _ = try await events.first(within: .seconds(15)) { $0.shows("Taken") }
            // A responder does not defend a name against probes while its own announcement is fresh.
            _ = await events.rest(within: .seconds(2))
            let error = await #expect(throws: DiscoveryError.self) {
                try await discovery.publish(service("Taken", type), onCollision: .fail)
            }
            #expect(error?.code == .nameCollision)
            #expect(error?.operation == "publishing \"Taken\" (\(type))")
        }

        @Test("What is told on loopback, or on one interface over one family, is seen there and nowhere else")
        func scopes() async throws {
            let type = try ServiceType.named("scoped", "_tcp")
            var (local, narrow) = (try service("Local", type), try service("Narrow", type))
            local.scope = .loopback
            narrow.scope = DiscoveryScope(interface: .name("lan1"), family: .ipv4)
            let publication = try await discovery.publish(Advertisement([local, narrow]))
            let browser = try Testbed.start(on: "beta", "avahi-browse", "-p", type.text)
            defer { browser.end() }
            _ = try await browser.line(within: .seconds(15)) { $0.contains("Narrow") }
            await publication.withdraw()
            _ = try await browser.line(within: .seconds(15)) { $0.hasPrefix("-") }
            #expect(browser.lines.allSatisfy { $0.contains("lan1;IPv4;Narrow") }, "\(browser.lines)")
        }

        @Test("An interface that does not exist is waited for, and a caller whose time is over is told which one it is")
        func missingInterface() async throws {
            var wanted = try service("Nowhere", .named("nowhere"))
            wanted.scope = .interface(named: "wlan7")
            let error = await #expect(throws: DiscoveryError.self) {
                try await discovery.publish(wanted, timeout: .milliseconds(500))
            }
            #expect(error?.code == .invalidArgument)
            #expect(error?.description.contains("wlan7") == true)
        }

        @Test("Who iterates over the states keeps the publication; who ends that withdraws it")
        func statesKeepThePublication() async throws {
            let type = try ServiceType.named("kept", "_tcp")
            let events = Follower(discovery.browse(type))
            weak var observed: Publication?
            let states: Follower<PublicationState>
            do {
                let publication = try await discovery.publish(service("Kept", type))
                observed = publication
                states = Follower(publication.states)
                _ = try await states.first(within: .seconds(5))
            }
            _ = try await events.first(within: .seconds(15)) { $0.shows("Kept") }
            #expect(observed != nil)
            await states.stop()
            _ = try await events.first(within: .seconds(15)) { $0.isRemoval }
            #expect(observed == nil)
        }
    }
}

extension String {
    /// What stands behind the last blank, as the address in a line of avahi-resolve.
    var lastWord: String { split(whereSeparator: \.isWhitespace).last.map(String.init) ?? "" }
}

/// What python-zeroconf tells of a service.
struct ZeroconfService: Decodable {
    let name: String
    let host: String
    let addresses: [String]
    let strings: [String]

    private enum CodingKeys: String, CodingKey {
        case name, host, addresses
        case strings = "txt"
    }
}

/// Asks the network afresh from beta, with nothing in a cache, until a service is seen.
func firstSeen(
    _ name: String,
    _ type: ServiceType,
    within limit: Duration = .seconds(20)
) async throws -> ZeroconfService {
    let words = [type.text, "--name", name, "--for", "\(limit.components.seconds)"]
    let browser = try Testbed.start(on: "beta", Testbed.peerScript("zeroconf_browse.py") + words)
    defer { browser.end() }
    let line = try await browser.line(within: limit) { $0.contains("added") && $0.contains("\"\(name)\"") }
    return try JSONDecoder().decode(ZeroconfService.self, from: Data(line.utf8))
}
