/// Turns what is told of a host's A and AAAA records into what is told of its addresses: a link-local address that several
/// links know is one for each.
public struct AddressList: Sendable {
    private var told: [DNSRecord: [BrowsedAddress]] = [:]
    private var settled: Set<RecordType> = []

    /// A host of which nothing is known.
    public init() {}

    /// The addresses: IPv4 first, then IPv6, link-local IPv6 last.
    public var addresses: [BrowsedAddress] {
        told.values.flatMap { $0 }.sorted {
            ($0.ip.needsScope ? 1 : 0, $0.identity) < ($1.ip.needsScope ? 1 : 0, $1.identity)
        }
    }

    /// Whether the records of both families are told as the network has them now.
    public var isSettled: Bool { settled.count == 2 }

    /// The records of one type are all told. Returns the event where these were the last.
    public mutating func settled(_ type: RecordType) -> BrowseEvent<BrowsedAddress>? {
        settled.insert(type).inserted && isSettled ? .settled : nil
    }

    /// A record changed.
    public mutating func take(_ event: BrowseEvent<BrowsedRecord>) -> [BrowseEvent<BrowsedAddress>] {
        switch event {
        case .added(let record), .updated(let record), .removed(let record):
            let before = told[record.identity] ?? []
            let now = BrowsedAddress.told(by: record)
            told[record.identity] = now.isEmpty ? nil : now
            return changes(from: before, to: now)
        case .settled: return []
        }
    }

    private func changes(from before: [BrowsedAddress], to now: [BrowsedAddress]) -> [BrowseEvent<BrowsedAddress>] {
        let gone = before.filter { old in !now.contains { $0.identity == old.identity } }
        let events = now.compactMap { address -> BrowseEvent<BrowsedAddress>? in
            guard let old = before.first(where: { $0.identity == address.identity }) else { return .added(address) }
            return old == address ? nil : .updated(address)
        }
        return gone.map { .removed(BrowsedAddress(identity: $0.identity, paths: [])) } + events
    }
}
