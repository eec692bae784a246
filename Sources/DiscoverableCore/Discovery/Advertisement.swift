/// What is to be published as one: it becomes visible together, is withdrawn together, and its services are renamed together.
/// In the daemon it is one entry group.
///
///     var printer = Advertisement([ipp, http])
///     printer.hosts = [HostAdvertisement(name: DNSName("printer.local"), address: address)]
public struct Advertisement: Hashable, Sendable {
    /// What happens when another host holds a name.
    public enum CollisionPolicy: Hashable, Sendable {
        /// The services take another name: `X #2`, `X #3` … Hosts, aliases and records are never renamed.
        case rename
        /// The publication fails with `nameCollision`, also where the collision comes long after it was visible.
        case fail
    }

    /// Services, each under its own name or several of different types under one.
    public var services: [ServiceAdvertisement]
    /// Addresses of host names beside this host's own.
    public var hosts: [HostAdvertisement]
    /// Other names of hosts.
    public var aliases: [AliasAdvertisement]
    /// Any other records.
    public var records: [RecordAdvertisement]
    /// What happens when another host holds the name of a service.
    public var onCollision: CollisionPolicy

    /// The most entries that the daemon takes in one group unless its configuration says otherwise
    /// (`entries-per-entry-group-max`).
    public static let maximumEntries = 32

    /// What is to be published as one.
    public init(
        _ services: [ServiceAdvertisement] = [],
        hosts: [HostAdvertisement] = [],
        aliases: [AliasAdvertisement] = [],
        records: [RecordAdvertisement] = [],
        onCollision: CollisionPolicy = .rename
    ) {
        self.services = services
        self.hosts = hosts
        self.aliases = aliases
        self.records = records
        self.onCollision = onCollision
    }

    /// How many entries it has in the daemon's counting: each service, subtype, address, alias and record is one.
    public var entryCount: Int {
        services.reduce(0) { $0 + 1 + $1.subtypes.count } + hosts.count + aliases.count + records.count
    }
}

/// An address of a host name that is not this host's own.
public struct HostAdvertisement: Hashable, Sendable {
    /// The full name, such as `printer.local`.
    public var name: DNSName
    /// The address.
    public var address: IPAddress
    /// Whether the address is also told to lead back to this name. One address leads to one name, and this host's own
    /// addresses lead to its own name already; so only for an address of another host.
    public var hasReverse: Bool
    /// Where it is told.
    public var scope: DiscoveryScope

    /// An address of a host name.
    public init(name: DNSName, address: IPAddress, hasReverse: Bool = false, scope: DiscoveryScope = .everywhere) {
        self.name = name
        self.address = address
        self.hasReverse = hasReverse
        self.scope = scope
    }
}

/// Another name of a host (a CNAME record).
public struct AliasAdvertisement: Hashable, Sendable {
    /// The full name, such as `shop.local`.
    public var name: DNSName
    /// The host that it stands for; nil for this one, also when its name changes.
    public var target: DNSName?
    /// For how long others may remember it, in seconds.
    public var timeToLive: UInt32
    /// Where it is told.
    public var scope: DiscoveryScope

    /// Another name of a host.
    public init(
        name: DNSName,
        target: DNSName? = nil,
        timeToLive: UInt32 = 120,
        scope: DiscoveryScope = .everywhere
    ) {
        self.name = name
        self.target = target
        self.timeToLive = timeToLive
        self.scope = scope
    }
}

/// Any record.
public struct RecordAdvertisement: Hashable, Sendable {
    /// The record.
    public var record: DNSRecord
    /// Whether this host alone may have records of this name and type: they are claimed as names of services are.
    public var isUnique: Bool
    /// For how long others may remember it, in seconds.
    public var timeToLive: UInt32
    /// Where it is told.
    public var scope: DiscoveryScope

    /// A record; by default others may tell further ones of its name and type.
    public init(
        _ record: DNSRecord,
        isUnique: Bool = false,
        timeToLive: UInt32 = 4_500,
        scope: DiscoveryScope = .everywhere
    ) {
        self.record = record
        self.isUnique = isUnique
        self.timeToLive = timeToLive
        self.scope = scope
    }
}
