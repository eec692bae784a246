/// Something that a browse finds on several paths and tells as one.
public protocol Browsed: Hashable, Sendable {
    /// What makes two sightings the same thing.
    associatedtype Identity: Hashable & Comparable & Sendable
    /// What makes two sightings the same thing.
    var identity: Identity { get }
    /// The ways on which it is seen, sorted; empty only in a `removed` event.
    var paths: [ServicePath] { get }
    /// A thing with its paths.
    init(identity: Identity, paths: [ServicePath])
}

/// What a browse tells.
public enum BrowseEvent<Found: Browsed>: Hashable, Sendable {
    /// Something appeared.
    case added(Found)
    /// The paths on which it is seen changed; at least one is left.
    case updated(Found)
    /// Its last path is gone.
    case removed(Found)
    /// What is on the network now has been told; what follows are changes. Comes once for each consumer.
    case settled
}

/// A service that was found, with all the ways on which it is seen. Not yet where it listens: `Discovery.resolve` tells.
public struct BrowsedService: Browsed {
    /// Which service.
    public let instance: ServiceInstance
    /// The ways on which it is seen, sorted; empty only in a `removed` event.
    public let paths: [ServicePath]

    /// Which service.
    public var identity: ServiceInstance { instance }

    /// A service with its paths.
    public init(identity: ServiceInstance, paths: [ServicePath]) {
        instance = identity
        self.paths = paths
    }
}

/// A service type of which there are instances.
public struct BrowsedServiceType: Browsed {
    /// A type in its domain.
    public struct Identity: Hashable, Comparable, Sendable {
        /// The type.
        public let type: ServiceType
        /// The domain in which there are instances of it.
        public let domain: Domain

        /// A type in a domain.
        public init(type: ServiceType, domain: Domain) {
            self.type = type
            self.domain = domain
        }

        /// Orders by type, then domain.
        public static func < (left: Identity, right: Identity) -> Bool {
            (left.type, left.domain) < (right.type, right.domain)
        }
    }

    /// The type in its domain.
    public let identity: Identity
    /// The ways on which instances are seen, sorted; empty only in a `removed` event.
    public let paths: [ServicePath]

    /// The type.
    public var type: ServiceType { identity.type }
    /// The domain in which there are instances of it.
    public var domain: Domain { identity.domain }

    /// A type with its paths.
    public init(identity: Identity, paths: [ServicePath]) {
        self.identity = identity
        self.paths = paths
    }
}

/// One thing seen on one path.
public struct Sighting<Identity: Hashable & Sendable>: Hashable, Sendable {
    /// What was seen.
    public let identity: Identity
    /// Where.
    public let path: ServicePath

    /// A thing on a path.
    public init(_ identity: Identity, on path: ServicePath) {
        self.identity = identity
        self.path = path
    }
}
