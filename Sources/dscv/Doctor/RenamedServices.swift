internal import Discoverable
internal import Foundation

extension DaemonProbe {
    /// The names of this host's services that end with a number, as those do whose name another service holds (RFC 6763 Appendix
    /// D); nil where they cannot be listed.
    func renamedServices() async -> [String]? {
        await cancelling(after: .seconds(8)) {
            guard let types = await listed(discovery.browseTypes()) else { return nil }
            return await withTaskGroup(of: [BrowsedService]?.self) { group in
                for type in types {
                    group.addTask { await listed(discovery.browse(type.type)) }
                }
                var names: [String] = []
                for await services in group {
                    guard let services else { return nil }
                    names += services.filter(\.isLocal).map(\.instance.name.text).filter(\.isNumbered)
                }
                return names.sorted()
            }
        }
    }

    /// What a browse lists until it settles; nil where it fails or is cancelled.
    private func listed<Found: Browsed>(_ browser: Browser<Found>) async -> [Found]? {
        var found: [Found.Identity: Found] = [:]
        do throws(DiscoveryError) {
            for try await event in browser {
                switch event {
                case .added(let item), .updated(let item): found[item.identity] = item
                case .removed(let item): found[item.identity] = nil
                case .settled: return Array(found.values)
                }
            }
            return nil
        } catch {
            return nil
        }
    }
}

extension String {
    /// Whether it ends as Avahi ends the name of the second, third … who wants it.
    var isNumbered: Bool {
        guard let mark = range(of: " #", options: .backwards) else { return false }
        return Int(self[mark.upperBound...]).map { $0 >= 2 } ?? false
    }
}
