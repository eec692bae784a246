import DiscoverableCore

extension Instant {
    static func milliseconds(_ count: Int) -> Instant { Instant(sinceOrigin: .milliseconds(count)) }
    static func seconds(_ count: Int) -> Instant { Instant(sinceOrigin: .seconds(count)) }
}

extension ServicePath {
    static func ipv4(_ interface: UInt32) -> ServicePath {
        ServicePath(interface: InterfaceIndex(rawValue: interface), family: .ipv4)
    }

    static func ipv6(_ interface: UInt32) -> ServicePath {
        ServicePath(interface: InterfaceIndex(rawValue: interface), family: .ipv6)
    }
}

func service(_ name: String) throws(DiscoveryError) -> ServiceInstance {
    ServiceInstance(name: try ServiceName(name), type: try ServiceType("_http._tcp"))
}

extension BrowsedService {
    init(_ name: String, on paths: [ServicePath]) throws(DiscoveryError) {
        self.init(identity: try service(name), paths: paths)
    }
}

/// A consumer that believes what a browse tells, and notes what it must never be told.
struct BelievingConsumer<Found: Browsed> {
    private(set) var known: [Found.Identity: [ServicePath]] = [:]
    private(set) var settlements = 0
    private(set) var violations: [String] = []

    mutating func apply(_ event: BrowseEvent<Found>) {
        switch event {
        case .added(let found):
            check(known[found.identity] == nil && !found.paths.isEmpty, event)
            known[found.identity] = found.paths
        case .updated(let found):
            check(known[found.identity] != nil && !found.paths.isEmpty, event)
            known[found.identity] = found.paths
        case .removed(let found):
            check(known[found.identity] != nil && found.paths.isEmpty, event)
            known[found.identity] = nil
        case .settled:
            settlements += 1
            check(settlements == 1, event)
        }
    }

    private mutating func check(_ isLegal: Bool, _ event: BrowseEvent<Found>) {
        if !isLegal { violations.append("\(event) after \(known)") }
    }
}
