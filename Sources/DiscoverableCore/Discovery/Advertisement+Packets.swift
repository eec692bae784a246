/// What one packet on an interface can carry.
package struct PacketLimit: Hashable, Sendable {
    /// The interface's name.
    package let interface: String
    /// The largest packet that it takes, in bytes.
    package let mtu: Int

    package init(interface: String, mtu: Int) {
        self.interface = interface
        self.mtu = mtu
    }

    /// What Avahi leaves free for the headers below DNS, the DNS header, and what stands between a record's name and its data.
    private static let headers = 48 + 12 + 10
    /// Every link takes a packet of this length (RFC 791): what needs no more is not asked about.
    fileprivate static let anywhere = PacketLimit(interface: "any", mtu: 576)

    /// How many bytes of data fit behind a name of `length` bytes.
    fileprivate func room(behind length: Int) -> Int { max(0, mtu - Self.headers - length) }
}

extension Advertisement {
    /// Refuses records that Avahi 0.8 would take, call established and never send: it puts a record into one packet of the
    /// interface's size, and one that does not fit there costs a line in its log and is dropped.
    ///
    /// - Parameter limit: the narrowest of the interfaces that a scope means; nil where there is none now.
    /// - Throws: `DiscoveryError`: `invalidTXTRecord`, `invalidRecord`.
    package func check(fitting limit: (DiscoveryScope) -> PacketLimit?) throws(DiscoveryError) {
        for service in services {
            // A name that is taken grows: ` #2`, ` #10`.
            let label = min(ServiceName.maximumLength, service.name.text.utf8.count + 4)
            let rest = try DNSName("\(service.type).\(service.domain ?? .local)")
            let excess = Excess(service.txt.encodedLength, behind: 1 + label + rest.encodedLength) {
                limit(service.scope)
            }
            if let excess { throw refuse(.invalidTXTRecord, "the TXT record", excess) }
        }
        for entry in records {
            let (record, length) = (entry.record, entry.record.data.encodedLength)
            let excess = Excess(length, behind: record.name.encodedLength) { limit(entry.scope) }
            if let excess { throw refuse(.invalidRecord, "the \(record.type) record of \(record.name)", excess) }
        }
    }

    private func refuse(_ code: DiscoveryError.Code, _ what: String, _ excess: Excess) -> DiscoveryError {
        DiscoveryError(
            code,
            operation: operation,
            explanation:
                "\(what) has \(excess.length) bytes, and avahi-daemon sends none that is larger than a packet: on "
                + "\(excess.limit.interface) (MTU \(excess.limit.mtu)) \(excess.room) fit; shorten it, or publish on other interfaces"
        )
    }
}

/// A record that is too long.
private struct Excess {
    let length: Int
    let room: Int
    let limit: PacketLimit
}

extension Excess {
    /// nil where data of `length` bytes fits behind a name of `nameLength` bytes.
    init?(_ length: Int, behind nameLength: Int, _ limit: () -> PacketLimit?) {
        if length <= PacketLimit.anywhere.room(behind: nameLength) { return nil }
        guard let limit = limit(), length > limit.room(behind: nameLength) else { return nil }
        self.init(length: length, room: limit.room(behind: nameLength), limit: limit)
    }
}
