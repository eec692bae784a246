/// Something that a browse finds on several paths and tells as one.
public protocol Browsed: Hashable, Sendable {
    /// What makes two sightings the same thing.
    associatedtype Identity: Hashable & Comparable & Sendable
    /// What makes two sightings the same thing.
    var identity: Identity { get }
    /// The ways on which it is seen, sorted; empty in a `removed` event, and for what is only configured.
    var paths: [ServicePath] { get }
    /// The ways on which it is seen, with the daemon's flags, where these are kept.
    var sightings: Sightings { get }
    /// A thing with its paths.
    init(identity: Identity, paths: [ServicePath])
    /// A thing with the ways on which it is seen.
    init(identity: Identity, sightings: Sightings)
}

extension Browsed {
    /// The ways on which it is seen, for things that keep no flags.
    public var sightings: Sightings { Sightings(paths: paths) }

    /// A thing that keeps no flags.
    public init(identity: Identity, sightings: Sightings) {
        self.init(identity: identity, paths: sightings.paths)
    }

    /// Whether it is this host's own.
    public var isLocal: Bool { sightings.flags.contains(.local) }

    /// Whether this process published it, through the same `Discovery`.
    public var isOwn: Bool { sightings.flags.contains(.own) }
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
    /// The ways on which it is seen, with the daemon's flags; empty only in a `removed` event.
    public let sightings: Sightings

    /// Which service.
    public var identity: ServiceInstance { instance }

    /// A service with the ways on which it is seen.
    public init(identity: ServiceInstance, sightings: Sightings) {
        instance = identity
        self.sightings = sightings
    }

    /// A thing with its paths, of which the daemon says nothing more.
    public init(identity: ServiceInstance, paths: [ServicePath]) {
        self.init(identity: identity, sightings: Sightings(paths: paths))
    }

    /// The ways on which it is seen, sorted; empty only in a `removed` event.
    public var paths: [ServicePath] { sightings.paths }
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
    /// The ways on which instances are seen, with the daemon's flags; empty only in a `removed` event.
    public let sightings: Sightings

    /// The type.
    public var type: ServiceType { identity.type }
    /// The domain in which there are instances of it.
    public var domain: Domain { identity.domain }

    /// A type with the ways on which instances are seen.
    public init(identity: Identity, sightings: Sightings) {
        self.identity = identity
        self.sightings = sightings
    }

    /// A thing with its paths, of which the daemon says nothing more.
    public init(identity: Identity, paths: [ServicePath]) {
        self.init(identity: identity, sightings: Sightings(paths: paths))
    }

    /// The ways on which instances are seen, sorted; empty only in a `removed` event.
    public var paths: [ServicePath] { sightings.paths }
}

/// One thing seen on one path.
public struct Sighting<Identity: Hashable & Sendable>: Hashable, Sendable {
    /// What was seen.
    public let identity: Identity
    /// Where.
    public let path: ServicePath
    /// How the daemon knows it there.
    public let flags: SightingFlags

    /// A thing on a path.
    public init(_ identity: Identity, on path: ServicePath, flags: SightingFlags = []) {
        self.identity = identity
        self.path = path
        self.flags = flags
    }
}
