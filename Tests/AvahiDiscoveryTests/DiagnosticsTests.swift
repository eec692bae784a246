import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Testing

@testable import AvahiDiscovery

@Suite("Diagnostics", .timeLimit(.minutes(1)))
struct DiagnosticsTests {
    /// The first events that a connection tells after it was made to do something.
    private func events(
        _ count: Int,
        from minimumLevel: DiscoveryDiagnostics.Level,
        _ body: @escaping @Sendable (isolated DaemonConnection) -> Void
    ) async throws -> [DiscoveryDiagnostics.Event] {
        let (stream, continuation) = AsyncStream.makeStream(of: DiscoveryDiagnostics.Event.self)
        let diagnostics = DiscoveryDiagnostics(minimumLevel: minimumLevel) { continuation.yield($0) }
        let connection = try DaemonConnection(diagnostics: diagnostics)
        connection.onLoop { connection in
            body(connection)
            continuation.finish()
        }
        var events: [DiscoveryDiagnostics.Event] = []
        for await event in stream { events.append(event) }
        #expect(events.count == count)
        return events
    }

    @Test("Only what matters enough is told, and nothing else is put together")
    func levels() async throws {
        let told = try await events(2, from: .warning) { connection in
            connection.tell(.debug, .postponed, inVain())
            connection.tell(.info, .postponed, inVain())
            connection.tell(.warning, .postponed, "later")
            connection.tell(.error, .postponed, "never")
        }
        #expect(told.map(\.level) == [.warning, .error])
        #expect(told.map(\.description) == ["warning: later", "error: never"])
        #expect(DiscoveryDiagnostics.Level.allCases.sorted() == [.debug, .info, .warning, .error])
    }

    @Test("A connection to which nobody listens puts nothing together")
    func unset() async throws {
        let told = try await events(1, from: .debug) { connection in
            connection.tell(.debug, .postponed, "before")
            connection.diagnostics = nil
            connection.tell(.error, .postponed, inVain())
        }
        #expect(told.map(\.message) == ["before"])
    }

    @Test("What the network sends neither breaks the line nor steers a terminal")
    func printable() {
        let event = DiscoveryDiagnostics.Event(
            .info,
            .postponed,
            "a\nb\u{1b}[31m" + String(repeating: "x", count: 2_000)
        )
        #expect(event.message.hasPrefix("a\u{fffd}b\u{fffd}[31mx"))
        #expect(event.message.count == 1_001)
    }

    @Test("A state of the daemon is told once, as a warning where the daemon is not reachable")
    func states() async throws {
        let told = try await events(3, from: .info) { connection in
            connection.tellState(.idle)
            for state in [DaemonState.noBus, .noBus, .waitingForDaemon, .running, .running] {
                connection.tellState(state)
            }
        }
        #expect(told.map(\.kind) == [.daemonState(.noBus), .daemonState(.waitingForDaemon), .daemonState(.running)])
        #expect(told.map(\.level) == [.warning, .warning, .info])
        #expect(told[0].message.contains("systemctl start dbus"))
    }

    @Test("What hinders a publication is told once, where it is to be tried again")
    func obstacles() async throws {
        let service = ServiceAdvertisement(name: try ServiceName("X"), type: try ServiceType("_http._tcp"), port: 80)
        let advertisement = Advertisement([service])
        let told = try await events(2, from: .warning) { connection in
            let publication = PublishTask(advertisement, record: PublicationRecord(advertisement))
            let missing = ["lan8", "lan8", "lan9"].map { publication.absence(ofInterface: $0) }
            for obstacle in missing { connection.hinder(publication, by: obstacle, .unregister) }
            connection.hinder(publication, by: missing[0], .end)
            #expect(publication.obstacle == missing[0])
        }
        #expect(told.map(\.kind) == [.postponed, .postponed])
        #expect(told.first?.message.contains("there is no interface lan8 now") == true)
    }

    @Test("19: malformed items are counted all, and told ever more rarely")
    func malformedItems() async throws {
        let told = try await events(4, from: .warning) { connection in
            for _ in 1...9 { connection.countMalformedItem() }
            #expect(connection.malformedItems.withLock { $0 } == 9)
        }
        #expect(told.map(\.kind) == [1, 2, 4, 8].map { DiscoveryDiagnostics.Kind.malformedItem(count: $0) })
    }

    @Test("An event is malformed where its report is, whatever browser it is of")
    func malformedReports() {
        #expect(AvahiEvent.serviceBrowser(.malformed).isMalformed)
        #expect(AvahiEvent.typeBrowser(.malformed).isMalformed)
        #expect(AvahiEvent.hostRecord(.malformed).isMalformed)
        #expect(!AvahiEvent.serviceBrowser(.networkTold).isMalformed)
        #expect(!AvahiEvent.group(.established).isMalformed)
    }
}

/// What must not be put together.
private func inVain() -> String {
    Issue.record("put together in vain")
    return ""
}
