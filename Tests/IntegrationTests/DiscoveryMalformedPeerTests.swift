import AvahiDiscovery
import DiscoverableRuntime
import Testing

extension DiscoveryDaemonTests {
    @Suite("A peer that sends what no peer should", .needsHosts, .timeLimit(.minutes(2)))
    struct MalformedPeer {
        private let host = wireName("raw", "local")
        private let ip: [UInt8] = [10, 77, 0, 2]

        /// Runs `body` while the raw peer has beta's place.
        private func with(_ packets: [RawPacket], _ body: () async throws -> Void) async throws {
            try await Testbed.with(["daemon", "beta", "stop"], undoneBy: ["daemon", "beta", "start"]) {
                let peer = try await startRawPeer(packets)
                defer { peer.end() }
                try await body()
            }
        }

        /// A service that is as it should be.
        private func good(_ name: [UInt8], of label: String, text: [UInt8] = [0]) -> RawPacket {
            let type = wireName(label, "_tcp", "local")
            return .service([UInt8(name.count)] + name + type, of: type, port: 4711, text: text, at: host, ip)
        }

        @Test("19: names that are none end no browse, and the good one among them is found")
        func names() async throws {
            let type = wireName("_rawnames", "_tcp", "local")
            let names: [[UInt8]] = [
                wireName("alone"), [0], [5] + Array("a\0b\0c".utf8) + type, [4, 0xff, 0xfe, 0xc3, 0x28] + type,
                [70] + [UInt8](repeating: 0x78, count: 70) + type, [0xc0, 0xff], wireName("other", "_tcp", "local"),
                wireName("deep", "er", "_rawnames", "_tcp", "local"),
            ]
            let packets = names.map { RawPacket(records: [RawPacket.pointer(type, to: $0)]) }
            try await with(packets + [good(Array("Good".utf8), of: "_rawnames")]) {
                let discovery = try Discovery()
                let events = Follower(discovery.browse(try .named("rawnames", "_tcp")))
                let event = try await events.first(within: .seconds(20)) { $0.name == "Good" }
                let resolved = try await discovery.resolve(try #require(event.service), timeout: .seconds(10))
                #expect(resolved.port == 4711)
                #expect(events.error == nil)
                await events.stop()
            }
        }

        @Test("19: types that are none end no browse of all types, and the good one among them is found")
        func types() async throws {
            let all = wireName("_services", "_dns-sd", "_udp", "local")
            let types = [
                wireName("_bad type", "_tcp", "local"), wireName("local"), [0], wireName("_strange", "_sctp", "local"),
                [3, 0x5f, 0xff, 0xfe] + wireName("_tcp", "local"), wireName("_rawtypes", "_tcp", "local"),
            ]
            try await with(types.map { RawPacket(records: [RawPacket.pointer(all, to: $0)]) }) {
                let wanted = try ServiceType.named("rawtypes", "_tcp")
                let discovery = try Discovery()
                let events = Follower(discovery.browseTypes())
                _ = try await events.first(within: .seconds(20)) { event in
                    if case .added(let found) = event { found.type == wanted } else { false }
                }
                try await events.wait(within: .seconds(20)) { $0.contains(.settled) }
                // Avahi passes over most of them itself.
                #expect(discovery.malformedItemCount > 0)
                #expect(events.error == nil)
                await events.stop()
            }
        }

        @Test("24: names with dots, backslashes and what looks like escapes are found as they are, and resolved")
        func exactNames() async throws {
            let names = [
                #"a.b\c "é" 🖨 _x"#, #"\046"#, ".", #"\"#, "FQDN._rawexact._tcp.local",
                String(repeating: "n", count: 63),
            ]
            try await with(names.map { good(Array($0.utf8), of: "_rawexact") }) {
                let discovery = try Discovery()
                let events = Follower(discovery.browse(try .named("rawexact", "_tcp")))
                try await events.wait(within: .seconds(20)) { Set($0.compactMap(\.name)).count == names.count }
                #expect(Set(events.all.compactMap(\.name)) == Set(names))
                for service in events.all.filter(\.isAddition).compactMap(\.service) {
                    #expect(try await discovery.resolve(service, timeout: .seconds(10)).port == 4711, "\(service)")
                }
                await events.stop()
            }
        }

        @Test("26: every form of a TXT string is read as RFC 6763 says, in the order of the wire")
        func texts() async throws {
            let strings: [[UInt8]] = [
                Array("=x".utf8), Array("a=1".utf8), Array("A=2".utf8), Array("key".utf8), Array("e=".utf8),
                Array("bin=".utf8) + [0xff, 0, 1], [0xc3, 0xa9, 0x3d, 0x31],
            ]
            // The last string has no bytes.
            let text: [UInt8] = (strings + [[]]).flatMap { (string: [UInt8]) in [UInt8(string.count)] + string }
            try await with([good(Array("Texts".utf8), of: "_rawtexts", text: text)]) {
                let discovery = try Discovery()
                let events = Follower(discovery.browse(try .named("rawtexts", "_tcp")))
                let service = try #require(try await events.first(within: .seconds(20)) { $0.name == "Texts" }.service)
                let txt = try await discovery.resolve(service, timeout: .seconds(10)).txt
                #expect(txt.strings == strings)
                #expect(txt.entries.map(\.key) == ["a", "key", "e", "bin"])
                #expect(txt["A"]?.text == "1")
                #expect(txt["key"] == TXTRecord.Entry(key: "key", value: nil))
                #expect(txt["e"]?.value == [])
                #expect(txt["bin"]?.value == [0xff, 0, 1])
                await events.stop()
            }
        }

        @Test("19, 26: record data that ends too early spoils neither the browse nor the good service beside it")
        func recordData() async throws {
            let type = wireName("_rawdata", "_tcp", "local")
            func broken(_ name: String, _ type: UInt16, _ data: [UInt8], claims length: Int? = nil) -> RawPacket {
                let record = RawPacket.Record(
                    name: wireName(name, "_rawdata", "_tcp", "local"),
                    type: type,
                    data: data,
                    claimedLength: length
                )
                return RawPacket(records: [
                    RawPacket.pointer(wireName("_rawdata", "_tcp", "local"), to: record.name), record,
                ])
            }
            let packets = [
                broken("NoText", RawPacket.text, []), broken("CutText", RawPacket.text, [9, 0x61]),
                broken("CutPort", RawPacket.service, [0, 0, 0, 0, 1]),
                broken("NoTarget", RawPacket.service, [0, 0, 0, 0, 1, 2]),
                broken("Beyond", RawPacket.text, [1, 0x61], claims: 400),
                RawPacket(records: [RawPacket.pointer(type, to: [0xc0])]),
            ]
            try await with(packets + [good(Array("Good".utf8), of: "_rawdata")]) {
                let discovery = try Discovery()
                let events = Follower(discovery.browse(try .named("rawdata", "_tcp")))
                let service = try #require(try await events.first(within: .seconds(20)) { $0.name == "Good" }.service)
                #expect(try await discovery.resolve(service, timeout: .seconds(10)).port == 4711)
                #expect(events.error == nil)
                await events.stop()
            }
        }
    }
}
