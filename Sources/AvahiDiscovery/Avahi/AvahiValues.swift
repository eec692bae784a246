internal import CAvahi
internal import DiscoverableCore

/// Avahi's number of an interface; nil is all of them. The daemon also takes one that no interface has.
func avahiInterface(_ interface: InterfaceIndex?) -> AvahiIfIndex {
    interface.map { AvahiIfIndex(clamping: $0.rawValue) } ?? AvahiIfIndex(AVAHI_IF_UNSPEC)
}

extension ServicePath {
    /// The path of a callback; nil where it is none, as in events that belong to no single path.
    init?(interface: AvahiIfIndex, protocol number: AvahiProtocol) {
        guard interface > 0, let family = AddressFamily(number) else { return nil }
        self.init(interface: InterfaceIndex(rawValue: UInt32(interface)), family: family)
    }
}

/// Avahi's number of a family; nil is both.
func avahiFamily(_ family: AddressFamily?) -> AvahiProtocol {
    switch family {
    case .ipv4: AvahiProtocol(AVAHI_PROTO_INET)
    case .ipv6: AvahiProtocol(AVAHI_PROTO_INET6)
    case nil: AvahiProtocol(AVAHI_PROTO_UNSPEC)
    }
}

extension SightingFlags {
    /// Avahi's flags, as far as they say how it knows a record.
    init(_ flags: AvahiLookupResultFlags) {
        self = []
        if flags.rawValue & AVAHI_LOOKUP_RESULT_CACHED.rawValue != 0 { insert(.cached) }
        if flags.rawValue & AVAHI_LOOKUP_RESULT_LOCAL.rawValue != 0 { insert(.local) }
        if flags.rawValue & AVAHI_LOOKUP_RESULT_OUR_OWN.rawValue != 0 { insert(.own) }
    }
}

extension DomainKind {
    /// Avahi's number.
    var avahiType: AvahiDomainBrowserType {
        switch self {
        case .browse: AVAHI_DOMAIN_BROWSER_BROWSE
        case .defaultBrowse: AVAHI_DOMAIN_BROWSER_BROWSE_DEFAULT
        case .register: AVAHI_DOMAIN_BROWSER_REGISTER
        case .defaultRegister: AVAHI_DOMAIN_BROWSER_REGISTER_DEFAULT
        case .legacy: AVAHI_DOMAIN_BROWSER_BROWSE_LEGACY
        }
    }
}

extension AddressFamily {
    fileprivate init?(_ number: AvahiProtocol) {
        switch number {
        case AvahiProtocol(AVAHI_PROTO_INET): self = .ipv4
        case AvahiProtocol(AVAHI_PROTO_INET6): self = .ipv6
        default: return nil
        }
    }
}

extension IPAddress {
    /// The bytes of an A or an AAAA record; nil for any other length.
    init?(rdata: [UInt8]) {
        switch rdata.count {
        case 4: self = .v4(IPv4Address(rdata[0], rdata[1], rdata[2], rdata[3]))
        case 16:
            guard let address = IPv6Address(bytes: rdata) else { return nil }
            self = .v6(address)
        default: return nil
        }
    }

    /// Avahi's address; nil where there is none.
    init?(_ address: UnsafePointer<AvahiAddress>?) {
        guard let address = unsafe address?.pointee else { return nil }
        switch AddressFamily(address.proto) {
        case .ipv4: self = .v4(unsafe IPv4Address(rawValue: UInt32(bigEndian: address.data.ipv4.address)))
        case .ipv6:
            var bytes = unsafe address.data.ipv6.address
            guard let ip = unsafe withUnsafeBytes(of: &bytes, { unsafe IPv6Address(bytes: $0) }) else { return nil }
            self = .v6(ip)
        case nil: return nil
        }
    }
}

/// The strings of a list, in the order of the list.
func strings(of list: UnsafeMutablePointer<AvahiStringList>?) -> [[UInt8]] {
    var strings: [[UInt8]] = []
    var next = unsafe list
    while let node = unsafe next {
        let text = unsafe UnsafeBufferPointer(
            start: avahi_string_list_get_text(node),
            count: avahi_string_list_get_size(node)
        )
        strings.append(unsafe Array(text))
        unsafe next = avahi_string_list_get_next(node)
    }
    return strings
}

/// Calls `body` with a list of the strings in this order, which is freed afterwards.
func withStringList<Result>(
    _ strings: [[UInt8]],
    _ body: (UnsafeMutablePointer<AvahiStringList>?) -> Result
) -> Result {
    var list: UnsafeMutablePointer<AvahiStringList>? = nil
    for string in strings.reversed() {
        unsafe list = avahi_string_list_add_arbitrary(list, string, string.count)
    }
    defer { unsafe avahi_string_list_free(list) }
    return unsafe body(list)
}
