internal import CAvahi
internal import DiscoverableCore

/// The one owner of an Avahi client, which is good for one life of the daemon.
@safe
struct AvahiClient: ~Copyable {
    let handle: HandleID
    let pointer: OpaquePointer
    private let context: Unmanaged<CallbackContext>

    /// Connects to the bus and asks for the daemon; blocks for 25 s where the daemon hangs. The callback comes before this
    /// returns. The user's own configuration of browse domains is not read, since Avahi 0.8 leaks a descriptor each time.
    /// - Throws: `AVAHI_ERR_NO_DAEMON` where there is no bus; no daemon on a bus is no error.
    init(poll: AvahiPollAdapter, handle: HandleID, inbox: AvahiInbox) throws(AvahiFailure) {
        let context = unsafe Unmanaged.passRetained(CallbackContext(handle: handle, inbox: inbox))
        let flags = AvahiClientFlags(AVAHI_CLIENT_NO_FAIL.rawValue | AVAHI_CLIENT_IGNORE_USER_CONFIG.rawValue)
        var number: Int32 = 0
        let pointer = unsafe avahi_client_new(poll.api, flags, clientCallback, context.toOpaque(), &number)
        guard let pointer = unsafe pointer else {
            unsafe context.release()
            throw AvahiFailure(number: number, call: "avahi_client_new")
        }
        self.handle = handle
        unsafe self.pointer = pointer
        unsafe self.context = context
    }

    /// The daemon's version, such as `avahi 0.8`; a blocking call.
    func daemonVersion() throws(AvahiFailure) -> String {
        guard let text = unsafe avahi_client_get_version_string(pointer) else {
            throw AvahiFailure(number: unsafe avahi_client_errno(pointer), call: "avahi_client_get_version_string")
        }
        return unsafe String(cString: text)
    }

    /// Closes the connection first, so that nothing blocks, then frees the objects that are left.
    deinit {
        unsafe avahi_client_free(pointer)
        unsafe context.release()
    }
}

// MARK: - Its objects

extension AvahiClient {
    /// A browser for the instances of a type or of a subtype in full; `domain` nil is the daemon's default.
    func makeServiceBrowser(
        _ type: String,
        domain: Domain?,
        on scope: AvahiScope,
        handle: HandleID,
        inbox: AvahiInbox
    ) throws(AvahiFailure) -> AvahiObject {
        try unsafe make(.serviceBrowser, handle, inbox) { client, context in
            unsafe avahi_service_browser_new(
                client,
                scope.interface,
                scope.family,
                type,
                domain?.text,
                noLookupFlags,
                serviceBrowserCallback,
                context
            )
        }
    }

    /// A browser for the types of which there are instances.
    func makeTypeBrowser(
        domain: Domain?,
        on scope: AvahiScope,
        handle: HandleID,
        inbox: AvahiInbox
    ) throws(AvahiFailure) -> AvahiObject {
        try unsafe make(.typeBrowser, handle, inbox) { client, context in
            unsafe avahi_service_type_browser_new(
                client,
                scope.interface,
                scope.family,
                domain?.text,
                noLookupFlags,
                typeBrowserCallback,
                context
            )
        }
    }

    /// A browser for the domains that are recommended for something.
    func makeDomainBrowser(
        _ kind: DomainKind,
        domain: Domain?,
        on scope: AvahiScope,
        handle: HandleID,
        inbox: AvahiInbox
    ) throws(AvahiFailure) -> AvahiObject {
        try unsafe make(.domainBrowser, handle, inbox) { client, context in
            unsafe avahi_domain_browser_new(
                client,
                scope.interface,
                scope.family,
                domain?.text,
                kind.avahiType,
                noLookupFlags,
                domainBrowserCallback,
                context
            )
        }
    }

    /// A resolver for one service on any path.
    func makeServiceResolver(
        _ instance: ServiceInstance,
        handle: HandleID,
        inbox: AvahiInbox
    ) throws(AvahiFailure) -> AvahiObject {
        try unsafe make(.serviceResolver, handle, inbox) { client, context in
            unsafe avahi_service_resolver_new(
                client,
                avahiInterface(nil),
                anyFamily,
                instance.name.text,
                instance.type.text,
                instance.domain.text,
                anyFamily,
                noLookupFlags,
                serviceResolverCallback,
                context
            )
        }
    }

    /// A browser for the A or the AAAA records of a host on all interfaces.
    func makeAddressBrowser(
        host: String,
        family: AddressFamily,
        handle: HandleID,
        inbox: AvahiInbox
    ) throws(AvahiFailure) -> AvahiObject {
        try unsafe make(.recordBrowser, handle, inbox) { client, context in
            unsafe avahi_record_browser_new(
                client,
                avahiInterface(nil),
                anyFamily,
                host,
                UInt16(AVAHI_DNS_CLASS_IN),
                UInt16(family == .ipv4 ? AVAHI_DNS_TYPE_A : AVAHI_DNS_TYPE_AAAA),
                noLookupFlags,
                addressBrowserCallback,
                context
            )
        }
    }

    /// A browser for the records that stand in the way of a claim.
    func makeClaimBrowser(
        _ claim: NameClaim,
        handle: HandleID,
        inbox: AvahiInbox
    ) throws(AvahiFailure) -> AvahiObject {
        try unsafe make(.recordBrowser, handle, inbox) { client, context in
            unsafe avahi_record_browser_new(
                client,
                avahiInterface(nil),
                anyFamily,
                claim.name.text,
                UInt16(AVAHI_DNS_CLASS_IN),
                claim.type.rawValue,
                noLookupFlags,
                claimBrowserCallback,
                context
            )
        }
    }

    /// An empty entry group.
    func makeEntryGroup(handle: HandleID, inbox: AvahiInbox) throws(AvahiFailure) -> AvahiObject {
        try unsafe make(.entryGroup, handle, inbox) { client, context in
            unsafe avahi_entry_group_new(client, entryGroupCallback, context)
        }
    }

    func make(
        _ kind: AvahiObject.Kind,
        _ handle: HandleID,
        _ inbox: AvahiInbox,
        _ call: (_ client: OpaquePointer, _ context: UnsafeMutableRawPointer) -> OpaquePointer?
    ) throws(AvahiFailure) -> AvahiObject {
        try unsafe AvahiObject.make(kind, handle: handle, inbox: inbox, client: pointer) { context in
            unsafe call(pointer, context)
        }
    }
}

private let anyFamily = AvahiProtocol(AVAHI_PROTO_UNSPEC)

/// Never anything else: asking for wide-area lookups crashes a daemon that has them switched off.
private let noLookupFlags = AvahiLookupFlags(rawValue: 0)
