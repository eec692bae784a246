internal import AvahiDiscovery
internal import CInstruments
internal import Glibc

/// Says the milliseconds that browsing and resolving takes, those of computing, the largest resident memory in megabytes, and
/// the share that was resolved rightly.
func resolveServices(of type: String, count: Int) async throws {
    let type = try ServiceType(type)
    let start = instruments_now_nanoseconds()
    let right = try await resolved(count, of: type, by: try Discovery())
    sayFigures(since: start, share: Double(right) / Double(count))
}

/// Says the microseconds of computing that each of so many services takes, in a process that has resolved before, and the share
/// that was resolved rightly.
func resolveAgain(services type: String, count: Int) async throws {
    let type = try ServiceType(type)
    let discovery = try Discovery()
    _ = try await resolved(100, of: ServiceType("_bench100._tcp"), by: discovery)
    let start = instruments_cpu_nanoseconds()
    let right = try await resolved(count, of: type, by: discovery)
    let each = Double(instruments_cpu_nanoseconds() - start) / 1e3 / Double(count)
    print(each, Double(right) / Double(count))
}

/// Browses until so many services are seen, resolves each as it comes, and returns how many were found where they are.
private func resolved(_ count: Int, of type: ServiceType, by discovery: Discovery) async throws -> Int {
    try await withThrowingTaskGroup(of: Bool.self) { group in
        var seen = 0
        for try await event in discovery.browse(type) {
            guard case .added(let service) = event else { continue }
            group.addTask {
                guard let found = try? await discovery.resolve(service, timeout: .seconds(60)) else { return false }
                return found.port == port(ofServiceNamed: found.instance.name.text)
            }
            seen += 1
            if seen == count { break }
        }
        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
}

/// As the references have it: by the number at the end of the name.
private func port(ofServiceNamed name: String) -> UInt16? {
    name.split(separator: " ").last.flatMap { Int($0) }.map { UInt16(10_000 + $0 % 50_000) }
}
