/// What a list of domains is for (RFC 6763 section 11).
public enum DomainKind: Hashable, Sendable, CaseIterable {
    /// Domains that are recommended for browsing.
    case browse
    /// The one domain that is recommended for browsing where none is named.
    case defaultBrowse
    /// Domains that are recommended for publishing.
    case register
    /// The one domain that is recommended for publishing where none is named.
    case defaultRegister
    /// Domains in which programs browse that let nobody choose: "legacy browsing", also called automatic.
    case legacy

    /// The name under which such domains are listed, without the domain that is asked: `b._dns-sd._udp`.
    public var listName: String {
        switch self {
        case .browse: "b._dns-sd._udp"
        case .defaultBrowse: "db._dns-sd._udp"
        case .register: "r._dns-sd._udp"
        case .defaultRegister: "dr._dns-sd._udp"
        case .legacy: "lb._dns-sd._udp"
        }
    }
}

/// A domain that is recommended to this host.
public struct BrowsedDomain: Browsed {
    /// The domain.
    public let identity: Domain
    /// The ways on which it is told, with the daemon's flags. A domain that a configuration names has none.
    public let sightings: Sightings

    /// The domain.
    public var domain: Domain { identity }
    /// Whether a configuration names it: the daemon's (`browse-domains` in avahi-daemon.conf) or the environment variable
    /// `AVAHI_BROWSE_DOMAINS` of this process.
    public var isConfigured: Bool { sightings.isConfigured }

    /// A domain with the ways on which it is told.
    public init(identity: Domain, sightings: Sightings) {
        self.identity = identity
        self.sightings = sightings
    }

    /// A thing with its paths, of which the daemon says nothing more.
    public init(identity: Domain, paths: [ServicePath]) {
        self.init(identity: identity, sightings: Sightings(paths: paths))
    }

    /// The ways on which it is told, sorted; empty only in a `removed` event and for one that is only configured.
    public var paths: [ServicePath] { sightings.paths }
}
