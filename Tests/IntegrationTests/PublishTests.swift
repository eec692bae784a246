import AvahiDiscovery
import DiscoverableRuntime
import Foundation
import Testing

extension DiscoveryDaemonTests {
    @Suite("Publishing", .needsTestbed, .timeLimit(.minutes(2)))
    struct Publishing {
        private func advertisement(
            _ name: String,
            _ type: ServiceType,
            _ strings: [String] = []
        ) throws -> ServiceAdvertisement {
            ServiceAdvertisement(
                name: try ServiceName(name),
                type: type,
                port: 4242,
                txt: try TXTRecord(strings: strings.map { Array($0.utf8) })
            )
        }

        @Test("avahi-browse on the other host sees what we publish, and its end")
        func seenByAvahiBrowse() async throws {
            let type = try ServiceType.named("witness", "_tcp")
            let publication = try await Discovery().publish(advertisement("Ours 🎈", type, ["path=/", "b"]))
            #expect(publication.name.text == "Ours 🎈")
            let browser = try Testbed.start(on: Testbed.peer, "avahi-browse", "-rp", type.text)
            defer { browser.end() }
            let line = try await browser.line(within: .seconds(15)) { $0.hasPrefix("=") && $0.contains(#"Ours\032"#) }
            #expect(line.contains(";4242;"))
            // avahi-browse 0.8 prints TXT strings in reverse.
            #expect(line.hasSuffix(#""b" "path=/""#))
            await publication.withdraw()
            #expect(publication.state == .withdrawn)
            _ = try await browser.line(within: .seconds(10)) { $0.hasPrefix("-") && $0.contains(#"Ours\032"#) }
        }

        @Test("python-zeroconf on the other host gets the same TXT bytes in the same order", .needsHosts)
        func seenByZeroconf() async throws {
            let type = try ServiceType.named("bytes", "_tcp")
            let strings = ["z=last first", "flag", "a=ü=🎈", "empty="]
            let publication = try await Discovery().publish(advertisement("Dots a.b", type, strings))
            let script = Testbed.peerScript("zeroconf_browse.py")
            let browser = try Testbed.start(
                on: "beta",
                script + [
                    type.text, "--name", "Dots a.b", "--for", "15", "--interface-address",
                    try await ipv4Address(of: "beta"),
                ]
            )
            let line = try await browser.line(within: .seconds(20)) { $0.contains("added") }
            struct Seen: Decodable {
                let port: Int
                let rdata: String

                private enum CodingKeys: String, CodingKey {
                    case port
                    case rdata = "txt_hex"
                }
            }
            let seen = try JSONDecoder().decode(Seen.self, from: Data(line.utf8))
            let rdata = try TXTRecord(strings: strings.map { Array($0.utf8) }).rdata
            #expect(seen.rdata == rdata.map { String(format: "%02x", $0) }.joined())
            #expect(seen.port == 4242)
            await publication.withdraw()
        }

        @Test("A name that avahi-publish holds is not taken from it: ours becomes another, which the caller is told")
        func collision() async throws {
            let type = try ServiceType.named("collision", "_tcp")
            let rival = try Testbed.start(on: Testbed.peer, "avahi-publish", "-s", "Taken", type.text, "80")
            defer { rival.end() }
            let discovery = try Discovery()
            let events = Follower(discovery.browse(type))
            _ = try await events.first(within: .seconds(15)) { $0.shows("Taken") }
            // A responder does not defend a name against probes while its own announcement is fresh.
            _ = await events.rest(within: .seconds(2))
            let first = try await discovery.publish(advertisement("Taken", type))
            #expect(first.name.text == "Taken #2")
            // The same service published twice by one host is one service to Avahi; with another port it is a rival.
            var other = try advertisement("Taken", type)
            other.port += 1
            let second = try await discovery.publish(other)
            #expect(second.name.text == "Taken #3")
            _ = try await events.first(within: .seconds(15)) { $0.shows("Taken #3") }
            #expect(!events.all.contains { $0.isRemoval })
            await first.withdraw()
            await second.withdraw()
        }

        @Test("Two hosts that hold one name before they meet: one of them is renamed, and knows it", .needsHosts)
        func lateCollision() async throws {
            let type = try ServiceType.named("late", "_tcp")
            let discovery = try Discovery()
            let events = Follower(discovery.browse(type))
            let (rival, publication) = try await cutOff(["lan0", "lan1"]) {
                let rival = try Testbed.start(on: "beta", Testbed.dscv, "publish", "Twice", type.text, "80", "--json")
                _ = try await rival.line(within: .seconds(15)) { $0.contains("established") }
                return (rival, try await discovery.publish(advertisement("Twice", type)))
            }
            defer { rival.end() }
            _ = try await events.first(within: .seconds(30)) { $0.shows("Twice #2") }
            _ = await events.rest(within: .seconds(2))
            let rivalsName = rival.lines.last { $0.contains("established") } ?? ""
            #expect(publication.name.text == "Twice #2" || rivalsName.contains("Twice #2"))
            await publication.withdraw()
        }

        /// Runs `body` while beta is on none of these links.
        private func cutOff<Value>(_ links: ArraySlice<String>, _ body: () async throws -> Value) async throws -> Value
        {
            guard let link = links.first else { return try await body() }
            return try await Testbed.with(["link", "beta", link, "down"], undoneBy: ["link", "beta", link, "up"]) {
                try await cutOff(links.dropFirst(), body)
            }
        }

        @Test("A publication that is dropped or whose call is cancelled is withdrawn")
        func droppedIsWithdrawn() async throws {
            let type = try ServiceType.named("dropped")
            let discovery = try Discovery()
            let events = Follower(discovery.browse(type))
            do {
                let publication = try await discovery.publish(advertisement("Dropped", type))
                _ = try await events.first(within: .seconds(15)) { $0.shows("Dropped") }
                withExtendedLifetime(publication) {}
            }
            _ = try await events.first(within: .seconds(15)) { $0.isRemoval && $0.name == "Dropped" }
            let wanted = try advertisement("Cancelled", type)
            let call = Task { try await discovery.publish(wanted) }
            call.cancel()
            await #expect(throws: DiscoveryError.self) { try await call.value }
            let later = await events.rest(within: .seconds(4))
            #expect(later.last { $0.name == "Cancelled" }?.isRemoval ?? true)
        }

        @Test("Control characters in a name are refused before anything is sent")
        func controlCharacters() async throws {
            let error = await #expect(throws: DiscoveryError.self) {
                try await Discovery().publish(advertisement("bell\u{7}", .named("control")))
            }
            #expect(error?.code == .invalidName)
        }
    }
}
