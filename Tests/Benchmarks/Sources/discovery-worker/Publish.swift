internal import AvahiDiscovery
internal import CInstruments
internal import Glibc

/// Says the figures of publishing so many services, in as few groups as the daemon takes, until all of them are visible.
func publishServices(count: Int) async throws {
    let services = try (0..<count).map(service)
    let start = instruments_now_nanoseconds()
    let discovery = try Discovery()
    let size = Advertisement.maximumEntries
    let publications = try await withThrowingTaskGroup(of: Publication.self) { group in
        for first in stride(from: 0, to: count, by: size) {
            let advertisement = Advertisement(Array(services[first..<min(first + size, count)]))
            group.addTask { try await discovery.publish(advertisement) }
        }
        return try await group.reduce(into: []) { $0.append($1) }
    }
    sayFigures(since: start, share: publications.isEmpty ? 0 : 1)
}

/// Under a name of this process's own: those of the one before it are still being taken back.
private func service(_ number: Int) throws -> ServiceAdvertisement {
    ServiceAdvertisement(
        name: try ServiceName("Swift \(getpid()) \(number)"),
        type: try ServiceType("_published._tcp"),
        port: UInt16(10_000 + number),
        txt: try TXTRecord([.init(key: "path", text: "/"), .init(key: "id", text: String(number))])
    )
}
