/// What records are asked for: a name, a type, and where.
public struct RecordQuestion: Hashable, Sendable, CustomStringConvertible {
    /// The name.
    public var name: DNSName
    /// The type of the records.
    public var type: RecordType
    /// The part of the network that is asked.
    public var scope: DiscoveryScope

    /// A question.
    public init(_ name: DNSName, _ type: RecordType, on scope: DiscoveryScope = .everywhere) {
        self.name = name
        self.type = type
        self.scope = scope
    }

    /// For people: `the A records of beta.local`.
    public var description: String {
        "the \(type) records of \(name)" + (scope == .everywhere ? "" : " \(scope)")
    }
}

/// A record with the ways on which it is told.
public struct BrowsedRecord: Browsed {
    /// The record.
    public let record: DNSRecord
    /// The ways on which it is told, sorted; empty only in a `removed` event.
    public let paths: [ServicePath]

    /// The record.
    public var identity: DNSRecord { record }

    /// A record with its paths.
    public init(identity: DNSRecord, paths: [ServicePath]) {
        record = identity
        self.paths = paths
    }
}

/// An address of a host with the ways on which it is told.
public struct BrowsedAddress: Browsed {
    /// An address; with its interface where it means something on one link only (fe80::/10).
    public struct Identity: Hashable, Comparable, Sendable, CustomStringConvertible {
        /// The address.
        public let ip: IPAddress
        /// The interface that gives a link-local IPv6 address its meaning; nil for every other address.
        public let scope: InterfaceIndex?

        /// An address as it was told on an interface.
        public init(_ ip: IPAddress, on interface: InterfaceIndex?) {
            self.ip = ip
            scope = ip.needsScope ? interface : nil
        }

        /// Orders by address, then interface.
        public static func < (left: Identity, right: Identity) -> Bool {
            (left.ip, left.scope?.rawValue ?? 0) < (right.ip, right.scope?.rawValue ?? 0)
        }

        /// `192.0.2.1`, `fe80::1%3`; the scope is the interface's number.
        public var description: String { "\(ip)" + (scope.map { "%\($0.rawValue)" } ?? "") }
    }

    /// The address, with its interface where it needs one.
    public let identity: Identity
    /// The ways on which it is told, sorted; empty only in a `removed` event.
    public let paths: [ServicePath]

    /// The address.
    public var ip: IPAddress { identity.ip }
    /// The interfaces on which it is told, sorted: an address is reachable through one of these.
    public var interfaces: [InterfaceIndex] { Set(paths.map(\.interface)).sorted() }

    /// An address with its paths.
    public init(identity: Identity, paths: [ServicePath]) {
        self.identity = identity
        self.paths = paths
    }

    /// With a port, ready to be connected to.
    public func endpoint(port: UInt16) -> SocketAddress { SocketAddress(ip, port: port, scope: identity.scope) }
}

extension BrowsedAddress {
    /// The addresses that one A or AAAA record tells: one, or a link-local one for each interface. None for other records.
    public static func told(by found: BrowsedRecord) -> [BrowsedAddress] {
        let ip: IPAddress
        switch found.record.data {
        case .a(let address): ip = .v4(address)
        case .aaaa(let address): ip = .v6(address)
        case .cname, .ptr, .srv, .txt, .hinfo, .raw: return []
        }
        let places = Dictionary(grouping: found.paths) { Identity(ip, on: $0.interface) }
        return places.map { BrowsedAddress(identity: $0.key, paths: $0.value) }.sorted { $0.identity < $1.identity }
    }
}
