extension Advertisement {
    /// Refuses what the daemon would refuse, or take and never tell, before anything is sent.
    /// - Throws: `DiscoveryError`: `invalidArgument` for no entry at all, for more than 32, for names that contradict each
    ///   other, two services or unique records under one name, and a time to live of 0 or of more than 2,147,483,647; `invalidName` for control characters in the name of a service (RFC 6763 section
    ///   4.1.1) and for host names without a domain; `invalidTXTRecord` and `invalidRecord` for more than 8,900 bytes.
    package func check() throws(DiscoveryError) {
        try checkEntries()
        for service in services { try check(service) }
        try checkNames()
        for alias in aliases { try checkTimeToLive(alias.timeToLive) }
        for record in records { try check(record) }
        try checkOverlaps()
    }

    /// What is being done where publishing fails.
    package var operation: String {
        let rest = entryCount - services.count
        if let service = services.first, services.count == 1, rest == service.subtypes.count {
            return "publishing \"\(service.name)\" (\(service.type))"
        }
        let others = entryCount > 1 ? " and \(entryCount - 1) other entries" : ""
        return "publishing \"\(primaryName)\"\(others)"
    }

    /// What it is called where one name must do.
    private var primaryName: String {
        services.first?.name.text ?? hosts.first?.name.text ?? aliases.first?.name.text ?? records.first?.record.name
            .text
            ?? "nothing"
    }

    private func checkEntries() throws(DiscoveryError) {
        if entryCount == 0 {
            throw refuse(.invalidArgument, "there is nothing to publish; add a service, a host, an alias or a record")
        }
        if entryCount > Self.maximumEntries {
            throw refuse(
                .invalidArgument,
                "it has \(entryCount) entries (each service, subtype, address, alias and record is one), and avahi-daemon "
                    + "takes \(Self.maximumEntries) in one group (entries-per-entry-group-max); publish it in parts"
            )
        }
    }

    private func check(_ service: ServiceAdvertisement) throws(DiscoveryError) {
        if service.name.hasControlCharacters {
            throw refuse(
                .invalidName,
                "the name holds ASCII control characters, which RFC 6763 section 4.1.1 forbids; remove them"
            )
        }
        try service.txt.checkLength(while: operation)
        if let host = service.host { try checkHost(host) }
        // Whether the full name is short enough for DNS.
        _ = try DNSName(
            ServiceInstance(name: service.name, type: service.type, domain: service.domain ?? .local)
        )
    }

    private func check(_ record: RecordAdvertisement) throws(DiscoveryError) {
        let length = record.record.data.encodedLength
        if length > TXTRecord.maximumLength {
            throw refuse(.invalidRecord, "the \(record.record.type) record of \(record.record.name) \(tooLong(length))")
        }
        if length == 0 {
            throw refuse(
                .invalidRecord,
                "the \(record.record.type) record of \(record.record.name) has no data, and one such record ends an "
                    + "avahi-daemon 0.8 (CVE-2023-38472); give it at least a byte"
            )
        }
        try checkTimeToLive(record.timeToLive)
    }

    private func checkTimeToLive(_ seconds: UInt32) throws(DiscoveryError) {
        if seconds == 0 {
            throw refuse(.invalidArgument, "a time to live of 0 seconds withdraws a record; give at least 1")
        }
        // RFC 2181 section 8.
        if seconds > UInt32(Int32.max) {
            throw refuse(.invalidArgument, "a time to live has at most 2147483647 seconds; give less than \(seconds)")
        }
    }

    /// An alias is a name that has nothing else (RFC 1034 section 3.6.2).
    private func checkNames() throws(DiscoveryError) {
        for host in hosts { try checkHost(host.name) }
        var targets: [DNSName: DNSName?] = [:]
        for alias in aliases {
            try checkHost(alias.name)
            if let target = alias.target { try checkHost(target) }
            if alias.name == alias.target { throw refuse(.invalidArgument, "\(alias.name) is an alias of itself") }
            if let other = targets.updateValue(alias.target, forKey: alias.name), other != alias.target {
                throw refuse(.invalidArgument, "\(alias.name) is an alias of two hosts; remove one")
            }
        }
        let taken = hosts.map(\.name) + records.map(\.record.name)
        if let name = taken.first(where: { targets[$0] != nil }) {
            throw refuse(.invalidArgument, "\(name) is an alias and has records of its own too; rename one of both")
        }
    }

    private func checkHost(_ name: DNSName) throws(DiscoveryError) {
        if name.labels.count < 2 || IPAddress(name.text) != nil {
            throw refuse(
                .invalidName,
                "\"\(name)\" is no full host name; write it with its domain, such as printer.local"
            )
        }
    }

    private func refuse(_ code: DiscoveryError.Code, _ explanation: String) -> DiscoveryError {
        DiscoveryError(code, operation: operation, explanation: explanation)
    }
}

private func tooLong(_ length: Int) -> String {
    "has \(length) bytes, and a multicast DNS packet carries \(TXTRecord.maximumLength); keep it under 1,300"
}

extension TXTRecord {
    /// Refuses what the daemon would take and never tell. A record that was read from the network may be longer than one
    /// that was made here.
    /// - Throws: `DiscoveryError` with code `invalidTXTRecord`.
    package func checkLength(while operation: String) throws(DiscoveryError) {
        if encodedLength > Self.maximumLength {
            throw DiscoveryError(
                .invalidTXTRecord,
                operation: operation,
                explanation: "the TXT record \(tooLong(encodedLength))"
            )
        }
    }
}

// MARK: - Names that are looked for before they are claimed

/// A name that a publication wants for itself and that cannot be exchanged for another one. Avahi notices when another host
/// has other records of the same type, but not when a name that is to become an alias has addresses already; so such names
/// are looked for first.
package struct NameClaim: Hashable, Sendable {
    /// The name.
    package let name: DNSName
    /// The type of records that others must not have, or only the same.
    package let type: RecordType
    /// The records that are ours.
    package let own: Set<RecordData>
    /// Whether other records are allowed where they are this host's too: an address more, as Avahi allows it.
    package let allowsLocal: Bool

    /// Whether a record of the name, seen on the network, stands in the way.
    package func isBroken(by data: RecordData, isLocal: Bool) -> Bool {
        !own.contains(data) && !(allowsLocal && isLocal)
    }
}

extension Advertisement {
    /// Whether there are names to look for first.
    package var hasClaims: Bool {
        !hosts.isEmpty || !aliases.isEmpty || records.contains(where: \.isUnique)
    }

    /// The names to look for, each once a type.
    /// - Parameter host: this host's full name, for aliases that stand for it.
    package func claims(of host: DNSName) -> [NameClaim] {
        var own: [DNSName: [RecordType: Set<RecordData>]] = [:]
        for alias in aliases {
            own[alias.name, default: [.a: [], .aaaa: []]][.cname, default: []].insert(.cname(alias.target ?? host))
        }
        for host in hosts {
            own[host.name, default: [.a: [], .aaaa: [], .cname: []]][host.data.type, default: []].insert(host.data)
            if host.hasReverse {
                own[DNSName(reverseOf: host.address), default: [:]][.ptr, default: []].insert(.ptr(host.name))
            }
        }
        for record in records where record.isUnique {
            own[record.record.name, default: [:]][record.record.type, default: []].insert(record.record.data)
        }
        let aliased = Set(aliases.map(\.name))
        return own.flatMap { name, types in
            types.map { type, own in
                NameClaim(name: name, type: type, own: own, allowsLocal: !aliased.contains(name) && type != .cname)
            }
        }.sorted { ($0.name, $0.type) < ($1.name, $1.type) }
    }
}

extension HostAdvertisement {
    fileprivate var data: RecordData {
        switch address {
        case .v4(let address): .a(address)
        case .v6(let address): .aaaa(address)
        }
    }
}
