internal import CAvahi
internal import DiscoverableCore

extension AvahiClient {
    /// A browser for the records of a name and a type.
    ///
    /// Names of addresses are asked on the link and never of a name server, which knows nothing of the link's hosts.
    func makeRecordBrowser(
        _ question: RecordQuestion,
        handle: HandleID,
        inbox: AvahiInbox
    ) throws(AvahiFailure) -> AvahiObject {
        let scope = try AvahiScope(question.scope)
        let isReverse = question.name.text.hasSuffix(".arpa")
        let flags = AvahiLookupFlags(rawValue: isReverse ? AVAHI_LOOKUP_USE_MULTICAST.rawValue : 0)
        return try unsafe make(.recordBrowser, handle, inbox) { client, context in
            unsafe avahi_record_browser_new(
                client,
                scope.interface,
                scope.family,
                question.name.text,
                UInt16(AVAHI_DNS_CLASS_IN),
                question.type.rawValue,
                flags,
                recordBrowserCallback,
                context
            )
        }
    }
}

private let recordBrowserCallback: AvahiRecordBrowserCallback = {
    browser,
    interface,
    proto,
    event,
    name,
    _,
    type,
    rdata,
    size,
    _,
    userdata in
    guard let context = unsafe context(userdata) else { return }
    var item: Sighting<DNSRecord>?
    if let path = ServicePath(interface: interface, protocol: proto), let name = unsafe text(name),
        let record = unsafe DNSRecord(name, RecordType(rawValue: type), rdata, count: size)
    {
        item = Sighting(record, on: path)
    }
    let report = listReport(event, item) { unsafe avahi_client_errno(avahi_record_browser_get_client(browser)) }
    if let report { context.put(.record(report)) }
}

extension DNSRecord {
    /// What the daemon hands over of a record; nil where its name or its data is none, which is a peer's fault.
    fileprivate init?(_ name: String, _ type: RecordType, _ rdata: UnsafeRawPointer?, count: Int) {
        let bytes = unsafe Array(UnsafeRawBufferPointer(start: rdata, count: count))
        guard let name = try? DNSName(name), let data = try? RecordData(type: type, rdata: bytes.span) else {
            return nil
        }
        self.init(name: name, data: data)
    }
}
