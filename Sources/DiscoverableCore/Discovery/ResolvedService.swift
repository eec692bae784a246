/// Where a service listens, and what it says of itself.
public struct ResolvedService: Hashable, Sendable {
    /// Which service.
    public let instance: ServiceInstance
    /// The host that offers it, as a DNS name: `beta.local`.
    public let host: String
    /// The port on that host.
    public let port: UInt16
    /// Every address of the host that the network told of, ready to be connected to: IPv4 first, then IPv6, link-local
    /// IPv6 last and with its interface. Never empty.
    public let addresses: [SocketAddress]
    /// The service's TXT record.
    public let txt: TXTRecord
    /// The interfaces on which each address was told, sorted: it is to be reached through one of these.
    public let interfaces: [SocketAddress: [InterfaceIndex]]

    /// A service with all that was found out about it.
    public init(
        instance: ServiceInstance,
        host: String,
        port: UInt16,
        addresses: [SocketAddress],
        txt: TXTRecord,
        interfaces: [SocketAddress: [InterfaceIndex]] = [:]
    ) {
        self.instance = instance
        self.host = host
        self.port = port
        self.addresses = addresses
        self.txt = txt
        self.interfaces = interfaces
    }

    /// The addresses that were told on one interface, in the order of `addresses`.
    public func addresses(on interface: InterfaceIndex) -> [SocketAddress] {
        addresses.filter { interfaces[$0]?.contains(interface) ?? false }
    }
}

/// One resolving of one service, as a machine: the daemon's resolver tells host, port, TXT and one address; the host's
/// address records tell the rest. It ends as soon as every path of the service has an address, and otherwise when the
/// daemon has asked the network.
public struct Resolution: Sendable {
    /// What the driver has to do.
    public enum Action: Hashable, Sendable {
        /// Nothing.
        case none
        /// Follow the A and AAAA records of this host (in place of another one's).
        case lookUpAddresses(host: String)
        /// Done: free everything and tell the caller.
        case finish(ResolvedService)
    }

    /// An address record, under the interface on which it was seen.
    public struct HostAddress: Hashable, Sendable {
        /// The address.
        public var ip: IPAddress
        /// Where it was seen.
        public var interface: InterfaceIndex

        /// An address as seen on an interface.
        public init(ip: IPAddress, interface: InterfaceIndex) {
            self.ip = ip
            self.interface = interface
        }
    }

    /// How far the records of one family are told.
    public enum Progress: Int, Comparable, Sendable {
        /// Nothing is known.
        case asked
        /// What the daemon had cached is told.
        case cacheTold
        /// What the network has now is told.
        case networkTold

        /// In the order in which they are reached.
        public static func < (left: Progress, right: Progress) -> Bool { left.rawValue < right.rawValue }
    }

    private struct Found {
        var host: String
        var port: UInt16
        var txt: TXTRecord
        var hint: HostAddress?
    }

    /// A host tells all addresses of a link in one packet; this is the time that the daemon needs to pass them on.
    private static let quietTime = Duration.milliseconds(50)

    private let instance: ServiceInstance
    private let paths: [ServicePath]
    private var found: Found?
    private var addresses: Set<HostAddress> = []
    private var progress: [AddressFamily: Progress] = [:]
    private var quietUntil: Instant?

    /// A resolving of `instance`, which was seen on `paths`; none where nobody has browsed for it.
    public init(instance: ServiceInstance, paths: [ServicePath] = []) {
        self.instance = instance
        self.paths = paths
    }

    /// When to call `deadlineReached`: no further address came for a moment.
    public var nextDeadline: Instant? { quietUntil }

    /// The resolver found the service, or found it changed.
    public mutating func serviceFound(host: String, port: UInt16, txt: TXTRecord, address: HostAddress?) -> Action {
        let isOtherHost = found.map { !ASCIIFolding.areEqual($0.host, host) } ?? true
        found = Found(host: host, port: port, txt: txt, hint: address)
        guard isOtherHost else { return isNetworkTold ? finish() : .none }
        addresses = []
        progress = [:]
        quietUntil = nil
        return .lookUpAddresses(host: host)
    }

    /// An address record of the host appeared.
    public mutating func addressAppeared(_ address: HostAddress, now: Instant) -> Action {
        addresses.insert(address)
        guard isEnough else { return .none }
        quietUntil = now.advanced(by: Self.quietTime)
        return .none
    }

    /// An address record of the host vanished.
    public mutating func addressVanished(_ address: HostAddress) {
        addresses.remove(address)
        if !isEnough { quietUntil = nil }
    }

    /// The records of one family are told so far.
    public mutating func recordsTold(_ family: AddressFamily, _ reached: Progress) -> Action {
        progress[family] = max(reached, progress[family] ?? .asked)
        if isNetworkTold || (isCacheTold && isCovered && quietUntil == nil) { return finish() }
        return .none
    }

    /// `nextDeadline` has passed.
    public mutating func deadlineReached(now: Instant) -> Action {
        guard let deadline = quietUntil, deadline <= now else { return .none }
        quietUntil = nil
        return finish()
    }

    private var isCacheTold: Bool { AddressFamily.allCases.allSatisfy { (progress[$0] ?? .asked) >= .cacheTold } }
    private var isNetworkTold: Bool { AddressFamily.allCases.allSatisfy { progress[$0] == .networkTold } }

    /// Whether an address that comes now may be the last to wait for: also where the network had told of none.
    private var isEnough: Bool { isNetworkTold || (isCacheTold && isCovered) }

    /// Whether each path has an address of its own family; unknown paths are never covered.
    private var isCovered: Bool {
        !paths.isEmpty
            && paths.allSatisfy { path in
                addresses.contains { $0.interface == path.interface && $0.ip.family == path.family }
            }
    }

    /// A service whose host has no address is not found: the caller's time-out says so, unless one still comes.
    private func finish() -> Action {
        guard let found else { return .none }
        let told = addresses.isEmpty ? Set([found.hint].compactMap { $0 }) : addresses
        if told.isEmpty { return .none }
        // Where no path has an address, the others are better than none.
        let known = told.contains(where: isOnPath) ? told.filter(isOnPath) : told
        let targets = Dictionary(grouping: known) { SocketAddress($0.ip, port: found.port, scope: $0.interface) }
        return .finish(
            ResolvedService(
                instance: instance,
                host: found.host,
                port: found.port,
                addresses: targets.keys.sorted { ($0.ip.needsScope ? 1 : 0, $0) < ($1.ip.needsScope ? 1 : 0, $1) },
                txt: found.txt,
                interfaces: targets.mapValues { $0.map(\.interface).sorted() }
            )
        )
    }

    /// The host may have other interfaces, on which it does not offer the service.
    private func isOnPath(_ address: HostAddress) -> Bool {
        paths.isEmpty || paths.contains { $0.interface == address.interface }
    }
}
