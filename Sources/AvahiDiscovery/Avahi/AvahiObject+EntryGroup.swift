internal import CAvahi
internal import DiscoverableCore

/// What can be done with an entry group. Each is a blocking call.
extension AvahiObject {
    /// Adds a service under `name` on this host.
    borrowing func add(_ advertisement: ServiceAdvertisement, as name: ServiceName) throws(AvahiFailure) {
        // libavahi and the daemon turn the list round three times between here and the wire.
        let number = unsafe withStringList(advertisement.txt.strings.reversed()) { list in
            unsafe avahi_entry_group_add_service_strlst(
                pointer,
                avahiInterface(advertisement.interface),
                AvahiProtocol(AVAHI_PROTO_UNSPEC),
                AvahiPublishFlags(AVAHI_PUBLISH_NO_COOKIE.rawValue),
                name.text,
                advertisement.type.text,
                advertisement.domain?.text,
                nil,
                advertisement.port,
                list
            )
        }
        try check(number, "avahi_entry_group_add_service_strlst")
    }

    /// Claims the names on the network and tells of the services.
    borrowing func commit() throws(AvahiFailure) {
        try check(unsafe avahi_entry_group_commit(pointer), "avahi_entry_group_commit")
    }

    private func check(_ number: Int32, _ call: String) throws(AvahiFailure) {
        if number < 0 { throw AvahiFailure(number: number, call: call) }
    }
}
