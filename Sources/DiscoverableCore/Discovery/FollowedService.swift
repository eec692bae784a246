/// A service as it is now, of those that are followed.
public struct FollowedService: Browsed {
    /// How a service is followed.
    public enum Means: Hashable, Sendable {
        /// By its records: changes are seen at once.
        case records
        /// By resolving it again and again, since the daemon has no room for record browsers: changes are seen within
        /// seconds. Goes back to `records` by itself when there is room.
        case resolving
    }

    /// Which service.
    public let instance: ServiceInstance
    /// The ways on which it is seen, sorted; empty where it is not.
    public let paths: [ServicePath]
    /// Where it listens and what it says of itself; nil while that is not known, and when it is gone.
    public let service: ResolvedService?
    /// Whether the network has been asked: a service that is nil then is not there.
    public let isSettled: Bool
    /// How it is followed at present.
    public let means: Means

    /// Which service.
    public var identity: ServiceInstance { instance }

    /// A service of which so much is known.
    public init(
        instance: ServiceInstance,
        paths: [ServicePath],
        service: ResolvedService?,
        isSettled: Bool,
        means: Means = .records
    ) {
        self.instance = instance
        self.paths = paths
        self.service = service
        self.isSettled = isSettled
        self.means = means
    }

    /// A service of which nothing else is known.
    public init(identity: ServiceInstance, paths: [ServicePath]) {
        self.init(instance: identity, paths: paths, service: nil, isSettled: false)
    }
}

/// What the records of a service and of its host say together, as they come and go. Of several SRV or TXT records, of which
/// a service has one, the newest counts: the daemon takes the old one back a second later.
public struct ServiceRecords: Sendable {
    private let instance: ServiceInstance
    private var locations: [BrowsedRecord] = []
    private var texts: [BrowsedRecord] = []
    private var hostAddresses = AddressList()
    private var told: Set<RecordType> = []

    /// A service of which no record is known.
    public init(instance: ServiceInstance) {
        self.instance = instance
    }

    /// The host that offers it, whose addresses are to be followed; nil while it is not known.
    public var host: DNSName? { location.flatMap { $0.target == .root ? nil : $0.target } }

    /// The ways on which its SRV record is told. Also those of an older one: the newest is told on one path after the other,
    /// and the older one is taken back only when it has been told on all.
    public var paths: [ServicePath] { Set(locations.flatMap(\.paths)).sorted() }

    /// Whether the network has told what it knows of it.
    public var isSettled: Bool { service != nil || (told.isSuperset(of: [.srv, .txt]) && isHostSettled) }

    /// Where it listens, as soon as all is known. Only addresses under an interface on which the service is told are its own.
    public var service: ResolvedService? {
        guard let location, let host, case .txt(let txt)? = texts.last?.record.data else { return nil }
        let interfaces = Set(paths.map(\.interface))
        let addresses = hostAddresses.addresses.filter { !interfaces.isDisjoint(with: $0.interfaces) }
        if addresses.isEmpty { return nil }
        return ResolvedService(
            instance: instance,
            host: host.text,
            port: location.port,
            addresses: addresses.map { $0.endpoint(port: location.port) },
            txt: txt,
            interfaces: Dictionary(
                addresses.map { ($0.endpoint(port: location.port), $0.interfaces.filter(interfaces.contains)) },
                uniquingKeysWith: { first, _ in first }
            )
        )
    }

    /// A record of the service or of its host changed.
    public mutating func take(_ event: BrowseEvent<BrowsedRecord>, of type: RecordType) {
        switch type {
        case .srv: Self.apply(event, to: &locations)
        case .txt: Self.apply(event, to: &texts)
        default: _ = hostAddresses.take(event)
        }
    }

    /// The records of one type are told as the network has them now.
    public mutating func settled(_ type: RecordType) {
        if type == .a || type == .aaaa { _ = hostAddresses.settled(type) }
        told.insert(type)
    }

    /// Another host offers it now: what is known of the addresses of the former one is forgotten.
    public mutating func forgetAddresses() { hostAddresses = AddressList() }

    private var location: RecordData.ServiceLocation? {
        if case .srv(let location)? = locations.last?.record.data { location } else { nil }
    }

    private var isHostSettled: Bool { host == nil || hostAddresses.isSettled }

    private static func apply(_ event: BrowseEvent<BrowsedRecord>, to records: inout [BrowsedRecord]) {
        switch event {
        case .added(let record):
            records.removeAll { $0.identity == record.identity }
            records.append(record)
        case .updated(let record):
            if let place = records.firstIndex(where: { $0.identity == record.identity }) { records[place] = record }
        case .removed(let record): records.removeAll { $0.identity == record.identity }
        case .settled: break
        }
    }
}

extension ServiceInstance {
    /// The service whose records stand under a name; nil where that is none of a service of this type in this domain, or its
    /// instance name is not UTF-8.
    public init?(_ name: DNSName, type: ServiceType, domain: Domain) {
        guard let first = name.labels.first, let text = String(validating: first, as: UTF8.self),
            let instance = try? ServiceInstance(name: ServiceName(text), type: type, domain: domain),
            (try? DNSName(instance)) == name
        else { return nil }
        self = instance
    }
}
