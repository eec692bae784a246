internal import Discoverable
internal import Foundation

extension DaemonProbe {
    /// The names of this host's services that end with a number, as those do whose name another service holds (RFC 6763 Appendix
    /// D); nil where they cannot be listed.
    ///
    /// - Parameter host: this host's name, as its services tell it.
    func renamedServices(of host: String) async -> [String]? {
        await cancelling(after: .seconds(8)) {
            guard let types = await listed(discovery.browseTypes()) else { return nil }
            return await withTaskGroup(of: [String]?.self) { group in
                for type in types {
                    group.addTask { await renamedServices(of: type.type, on: host) }
                }
                var names: [String] = []
                for await found in group {
                    guard let found else { return nil }
                    names += found
                }
                return names.sorted()
            }
        }
    }

    private func renamedServices(of type: ServiceType, on host: String) async -> [String]? {
        guard let services = await listed(discovery.browse(type)) else { return nil }
        var names: [String] = []
        for service in services where service.instance.name.text.isNumbered {
            // One that does not resolve is of a host that is gone, and so not of this one.
            let resolved = try? await discovery.resolve(service, timeout: .seconds(2))
            if resolved?.host == host { names.append(service.instance.name.text) }
        }
        return names
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
