extension Advertisement {
    /// Refuses what would be taken for a collision with another host, and is one with itself: two services, or two unique
    /// records that differ, under one name in the same place. A service that is in it twice would become one when its TXT
    /// record changes.
    /// - Throws: `DiscoveryError` with code `invalidArgument`.
    func checkOverlaps() throws(DiscoveryError) {
        for (position, service) in services.enumerated() where services[..<position].contains(where: service.overlaps) {
            throw overlap("\"\(service.name)\" (\(service.type)) is in it twice")
        }
        for (position, entry) in records.enumerated() where records[..<position].contains(where: entry.contradicts) {
            let record = entry.record
            throw overlap(
                "\(record.name) has two \(record.type) records, of which one is to be the only one (isUnique)"
            )
        }
    }

    private func overlap(_ what: String) -> DiscoveryError {
        DiscoveryError(
            .invalidArgument,
            operation: operation,
            explanation:
                "\(what), so that each takes the other one's name; remove one, or tell them in different scopes"
        )
    }
}

extension ServiceAdvertisement {
    fileprivate func overlaps(_ other: ServiceAdvertisement) -> Bool {
        name == other.name && type == other.type && (domain ?? .local) == (other.domain ?? .local)
            && scope.overlaps(other.scope)
    }
}

extension RecordAdvertisement {
    fileprivate func contradicts(_ other: RecordAdvertisement) -> Bool {
        (isUnique || other.isUnique) && record.name == other.record.name && record.type == other.record.type
            && record.data != other.record.data && scope.overlaps(other.scope)
    }
}

extension DiscoveryScope {
    /// Whether both surely have packets in common. Whether a name and a number are the same interface's only the system knows.
    fileprivate func overlaps(_ other: DiscoveryScope) -> Bool {
        (interface == other.interface || interface == .any || other.interface == .any)
            && (family == other.family || family == nil || other.family == nil)
    }
}
