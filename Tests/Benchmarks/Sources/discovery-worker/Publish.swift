internal import AvahiDiscovery
internal import CInstruments
internal import Glibc

/// Says the figures of publishing so many services until all of them are visible.
func publishServices(count: Int) async throws {
    let type = try ServiceType("_published._tcp")
    let start = instruments_now_nanoseconds()
    let discovery = try Discovery()
    let publications = try await withThrowingTaskGroup(of: Publication.self) { group in
        for number in 0..<count {
            // Names of this process's own: those of the one before it are still being taken back.
            let advertisement = ServiceAdvertisement(
                name: try ServiceName("Swift \(getpid()) \(number)"),
                type: type,
                port: UInt16(10_000 + number),
                txt: try TXTRecord([.init(key: "path", text: "/"), .init(key: "id", text: String(number))])
            )
            group.addTask { try await discovery.publish(advertisement) }
        }
        return try await group.reduce(into: []) { $0.append($1) }
    }
    sayFigures(since: start, share: Double(publications.count) / Double(count))
}
