internal import CAvahi
internal import DiscoverableCore

// Avahi's callbacks. Each copies its arguments into a value and leaves that in the inbox; strings, addresses and lists are
// Avahi's own and valid only until the callback returns.

func context(_ userdata: UnsafeMutableRawPointer?) -> CallbackContext? {
    guard let userdata = unsafe userdata else { return nil }
    return unsafe Unmanaged<CallbackContext>.fromOpaque(userdata).takeUnretainedValue()
}

func text(_ string: UnsafePointer<CChar>?) -> String? {
    unsafe string.flatMap { unsafe String(validatingCString: $0) }
}

let clientCallback: AvahiClientCallback = { _, state, userdata in
    let report: AvahiClientReport? =
        switch state {
        case AVAHI_CLIENT_S_REGISTERING: .connected(.registering)
        case AVAHI_CLIENT_S_RUNNING: .connected(.running)
        case AVAHI_CLIENT_S_COLLISION: .connected(.collision)
        case AVAHI_CLIENT_CONNECTING: .waiting
        case AVAHI_CLIENT_FAILURE: .failed
        default: nil
        }
    if let report { unsafe context(userdata)?.put(.client(report)) }
}

let serviceBrowserCallback: AvahiServiceBrowserCallback = {
    browser,
    interface,
    proto,
    event,
    name,
    type,
    domain,
    flags,
    userdata in
    guard let context = unsafe context(userdata) else { return }
    let path = ServicePath(interface: interface, protocol: proto)
    let item = unsafe sighting(name, type, domain, path, SightingFlags(flags))
    let report = listReport(event, item) { unsafe avahi_client_errno(avahi_service_browser_get_client(browser)) }
    if let report { context.put(.serviceBrowser(report)) }
}

private func sighting(
    _ name: UnsafePointer<CChar>?,
    _ type: UnsafePointer<CChar>?,
    _ domain: UnsafePointer<CChar>?,
    _ path: ServicePath?,
    _ flags: SightingFlags
) -> Sighting<ServiceInstance>? {
    guard let path, let name = unsafe text(name), let type = unsafe text(type), let domain = unsafe text(domain),
        let instance = try? ServiceInstance(name: ServiceName(name), type: ServiceType(type), domain: Domain(domain))
    else { return nil }
    return Sighting(instance, on: path, flags: flags)
}

let typeBrowserCallback: AvahiServiceTypeBrowserCallback = {
    browser,
    interface,
    proto,
    event,
    type,
    domain,
    flags,
    userdata in
    guard let context = unsafe context(userdata) else { return }
    var item: Sighting<BrowsedServiceType.Identity>?
    if let path = ServicePath(interface: interface, protocol: proto), let type = unsafe text(type),
        let domain = unsafe text(domain), let type = try? ServiceType(type), let domain = try? Domain(domain)
    {
        let identity = BrowsedServiceType.Identity(type: type, domain: domain)
        item = Sighting(identity, on: path, flags: SightingFlags(flags))
    }
    let report = listReport(event, item) { unsafe avahi_client_errno(avahi_service_type_browser_get_client(browser)) }
    if let report { context.put(.typeBrowser(report)) }
}

let domainBrowserCallback: AvahiDomainBrowserCallback = {
    browser,
    interface,
    proto,
    event,
    domain,
    flags,
    userdata in
    guard let context = unsafe context(userdata) else { return }
    let domain = unsafe text(domain).flatMap { try? Domain($0) }
    if event == AVAHI_BROWSER_NEW, flags.rawValue & AVAHI_LOOKUP_RESULT_STATIC.rawValue != 0, let domain {
        return context.put(.domainBrowser(.configured(domain)))
    }
    var item: Sighting<Domain>?
    if let path = ServicePath(interface: interface, protocol: proto), let domain {
        item = Sighting(domain, on: path, flags: SightingFlags(flags))
    }
    let report = listReport(event, item) { unsafe avahi_client_errno(avahi_domain_browser_get_client(browser)) }
    if let report { context.put(.domainBrowser(.network(report))) }
}

let addressBrowserCallback: AvahiRecordBrowserCallback = {
    browser,
    interface,
    proto,
    event,
    _,
    _,
    _,
    rdata,
    size,
    _,
    userdata in
    guard let context = unsafe context(userdata) else { return }
    var item: Sighting<IPAddress>?
    if let path = ServicePath(interface: interface, protocol: proto), let rdata = unsafe rdata {
        let bytes = unsafe Array(UnsafeRawBufferPointer(start: rdata, count: size))
        item = IPAddress(rdata: bytes).map { Sighting($0, on: path) }
    }
    let report = listReport(event, item) { unsafe avahi_client_errno(avahi_record_browser_get_client(browser)) }
    if let report { context.put(.hostRecord(report)) }
}

let claimBrowserCallback: AvahiRecordBrowserCallback = {
    browser,
    interface,
    family,
    event,
    name,
    _,
    type,
    rdata,
    size,
    flags,
    userdata in
    guard let context = unsafe context(userdata) else { return }
    var item: ClaimSighting?
    if let rdata = unsafe rdata, let name = unsafe text(name), let name = try? DNSName(name) {
        let bytes = unsafe Array(UnsafeRawBufferPointer(start: rdata, count: size))
        let type = RecordType(rawValue: type)
        let data = (try? RecordData(type: type, rdata: bytes.span)) ?? .raw(type, bytes)
        item = ClaimSighting(
            name: name,
            data: data,
            path: ServicePath(interface: interface, protocol: family),
            isLocal: flags.rawValue & AVAHI_LOOKUP_RESULT_LOCAL.rawValue != 0
        )
    }
    let report = listReport(event, item) { unsafe avahi_client_errno(avahi_record_browser_get_client(browser)) }
    if let report { context.put(.claim(report)) }
}

/// The five events that every kind of browser has; nil for one that Avahi 0.8 does not know.
func listReport<Item: Sendable>(
    _ event: AvahiBrowserEvent,
    _ item: Item?,
    errno: () -> Int32
) -> AvahiListReport<Item>? {
    switch event {
    case AVAHI_BROWSER_NEW: item.map(AvahiListReport.appeared) ?? .malformed
    case AVAHI_BROWSER_REMOVE: item.map(AvahiListReport.vanished) ?? .malformed
    case AVAHI_BROWSER_CACHE_EXHAUSTED: .cacheTold
    case AVAHI_BROWSER_ALL_FOR_NOW: .networkTold
    case AVAHI_BROWSER_FAILURE: .failed(errno())
    default: nil
    }
}

let serviceResolverCallback: AvahiServiceResolverCallback = {
    resolver,
    interface,
    _,
    event,
    _,
    _,
    _,
    host,
    address,
    port,
    txt,
    _,
    userdata in
    guard let context = unsafe context(userdata) else { return }
    switch event {
    case AVAHI_RESOLVER_FOUND:
        guard let host = unsafe text(host) else { return }
        var hint: Resolution.HostAddress?
        if interface > 0, let ip = unsafe IPAddress(address) {
            hint = Resolution.HostAddress(ip: ip, interface: InterfaceIndex(rawValue: UInt32(interface)))
        }
        context.put(.resolver(.found(host: host, port: port, strings: unsafe strings(of: txt), address: hint)))
    case AVAHI_RESOLVER_FAILURE:
        context.put(.resolver(.failed(unsafe avahi_client_errno(avahi_service_resolver_get_client(resolver)))))
    default: break
    }
}

let entryGroupCallback: AvahiEntryGroupCallback = { group, state, userdata in
    guard let context = unsafe context(userdata) else { return }
    switch state {
    case AVAHI_ENTRY_GROUP_REGISTERING: context.put(.group(.registering))
    case AVAHI_ENTRY_GROUP_ESTABLISHED: context.put(.group(.established))
    case AVAHI_ENTRY_GROUP_COLLISION: context.put(.group(.collision))
    case AVAHI_ENTRY_GROUP_FAILURE:
        context.put(.group(.failed(unsafe avahi_client_errno(avahi_entry_group_get_client(group)))))
    default: break
    }
}
