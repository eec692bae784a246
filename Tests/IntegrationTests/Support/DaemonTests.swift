import AvahiDiscovery
import Testing

/// Tests with a real daemon, one after the other: many of them kill it. These are the ones of sessions and of the facade.
@Suite(.serialized)
enum DaemonTests {}

/// Those of `dscv`.
@Suite(.serialized, .beside)
enum ToolDaemonTests {}

/// Those of discovery, with a daemon that lives.
@Suite(.serialized, .beside)
enum DiscoveryDaemonTests {}

/// Those of what is known of services and records, and of the daemon's quotas.
@Suite(.serialized, .beside)
enum KnowledgeDaemonTests {}

/// Those with a daemon that ends, hangs or comes late.
@Suite(.serialized, .beside)
enum OutageDaemonTests {}

extension ServiceType {
    /// A type of a test's own, so that tests do not see each other's services.
    static func named(_ name: String, _ transport: String = "_udp") throws -> ServiceType {
        try ServiceType("_\(name).\(transport)")
    }
}

extension BrowseEvent<BrowsedService> {
    var service: BrowsedService? {
        switch self {
        case .added(let service), .updated(let service), .removed(let service): service
        case .settled: nil
        }
    }

    var name: String? { service?.instance.name.text }
    var isAddition: Bool { if case .added = self { true } else { false } }
    var isRemoval: Bool { if case .removed = self { true } else { false } }

    /// Whether the event tells of a service of this name, seen on at least so many paths.
    func shows(_ name: String, paths: Int = 1) -> Bool {
        !isRemoval && self.name == name && (service?.paths.count ?? 0) >= paths
    }
}

/// The paths on which a peer is seen: two links with two families each, or the loopback interface with as many as the
/// daemon uses there.
var expectedPaths: Int { Testbed.hasHosts ? 4 : 1 }
