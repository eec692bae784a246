internal import CAvahi
internal import DiscoverableCore

/// What can be done with an entry group. Each is a blocking call.
extension AvahiObject {
    /// Adds a service under `name`, of this host where it names none.
    borrowing func add(_ service: ServiceAdvertisement, as name: ServiceName, on scope: AvahiScope) throws(AvahiFailure)
    {
        let number = unsafe withTXTList(service.txt) { list in
            unsafe avahi_entry_group_add_service_strlst(
                pointer,
                scope.interface,
                scope.family,
                serviceFlags,
                name.text,
                service.type.text,
                service.domain?.text,
                service.host?.text,
                service.port,
                list
            )
        }
        try check(number, "avahi_entry_group_add_service_strlst")
    }

    /// Adds a narrower kind under which a service that was added is found too.
    borrowing func add(
        _ subtype: ServiceSubtype,
        of service: ServiceAdvertisement,
        as name: ServiceName,
        on scope: AvahiScope
    ) throws(AvahiFailure) {
        let number = unsafe avahi_entry_group_add_service_subtype(
            pointer,
            scope.interface,
            scope.family,
            AvahiPublishFlags(rawValue: 0),
            name.text,
            service.type.text,
            service.domain?.text,
            subtype.fullText(of: service.type)
        )
        try check(number, "avahi_entry_group_add_service_subtype")
    }

    /// Adds an address of a host name.
    borrowing func add(_ host: HostAdvertisement, on scope: AvahiScope) throws(AvahiFailure) {
        var address = host.address.avahi
        let number = unsafe avahi_entry_group_add_address(
            pointer,
            scope.interface,
            scope.family,
            AvahiPublishFlags(host.hasReverse ? 0 : AVAHI_PUBLISH_NO_REVERSE.rawValue),
            host.name.text,
            &address
        )
        try check(number, "avahi_entry_group_add_address")
    }

    /// Adds any record.
    borrowing func add(_ entry: RecordAdvertisement, on scope: AvahiScope) throws(AvahiFailure) {
        let rdata = entry.record.data.rdata
        let number = unsafe avahi_entry_group_add_record(
            pointer,
            scope.interface,
            scope.family,
            AvahiPublishFlags(entry.isUnique ? AVAHI_PUBLISH_UNIQUE.rawValue : 0),
            entry.record.name.text,
            UInt16(AVAHI_DNS_CLASS_IN),
            entry.record.type.rawValue,
            entry.timeToLive,
            rdata,
            rdata.count
        )
        try check(number, "avahi_entry_group_add_record")
    }

    /// Claims the names on the network and tells of everything.
    borrowing func commit() throws(AvahiFailure) {
        try check(unsafe avahi_entry_group_commit(pointer), "avahi_entry_group_commit")
    }

    /// Exchanges the TXT record of a service that is in the group under `name` with the same scope.
    borrowing func change(
        _ service: ServiceAdvertisement,
        as name: ServiceName,
        on scope: AvahiScope
    ) throws(AvahiFailure) {
        let number = unsafe withTXTList(service.txt) { list in
            unsafe avahi_entry_group_update_service_txt_strlst(
                pointer,
                scope.interface,
                scope.family,
                serviceFlags,
                name.text,
                service.type.text,
                service.domain?.text,
                list
            )
        }
        try check(number, "avahi_entry_group_update_service_txt_strlst")
    }

    private func check(_ number: Int32, _ call: String) throws(AvahiFailure) {
        if number < 0 { throw AvahiFailure(number: number, call: call) }
    }
}

/// The daemon adds nothing to the TXT record.
private let serviceFlags = AvahiPublishFlags(AVAHI_PUBLISH_NO_COOKIE.rawValue)

/// libavahi and the daemon turn the list round three times between here and the wire.
private func withTXTList(
    _ record: TXTRecord,
    _ body: (UnsafeMutablePointer<AvahiStringList>?) -> Int32
) -> Int32 {
    unsafe withStringList(record.strings.reversed(), body)
}

extension IPAddress {
    fileprivate var avahi: AvahiAddress {
        var address = AvahiAddress()
        switch self {
        case .v4(let ip):
            address.proto = AvahiProtocol(AVAHI_PROTO_INET)
            unsafe address.data.ipv4.address = ip.rawValue.bigEndian
        case .v6(let ip):
            address.proto = AvahiProtocol(AVAHI_PROTO_INET6)
            unsafe withUnsafeMutableBytes(of: &address.data.ipv6.address) { unsafe $0.copyBytes(from: ip.bytes) }
        }
        return address
    }
}
