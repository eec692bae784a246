internal import CAvahi
internal import DiscoverableCore

/// The one owner of a C object that lives in the daemon: a browser, a resolver or an entry group.
///
/// Freeing it makes a blocking call to the daemon, unless the connection is gone. An object whose client was freed before
/// it is `abandon`ed instead: the client has freed it already.
@safe
struct AvahiObject: ~Copyable {
    enum Kind {
        case serviceBrowser
        case typeBrowser
        case domainBrowser
        case serviceResolver
        case recordBrowser
        case entryGroup

        /// The call that makes one, for errors.
        fileprivate var call: String {
            switch self {
            case .serviceBrowser: "avahi_service_browser_new"
            case .typeBrowser: "avahi_service_type_browser_new"
            case .domainBrowser: "avahi_domain_browser_new"
            case .serviceResolver: "avahi_service_resolver_new"
            case .recordBrowser: "avahi_record_browser_new"
            case .entryGroup: "avahi_entry_group_new"
            }
        }
    }

    let handle: HandleID
    let pointer: OpaquePointer
    private let kind: Kind
    private let context: Unmanaged<CallbackContext>

    fileprivate init(_ kind: Kind, handle: HandleID, pointer: OpaquePointer, context: Unmanaged<CallbackContext>) {
        self.kind = kind
        self.handle = handle
        unsafe self.pointer = pointer
        unsafe self.context = context
    }

    /// Makes an object with a context of its own, which lives until the object is freed: callbacks come before `make`
    /// returns.
    /// - Throws: the client's error number where `make` gives no object.
    static func make(
        _ kind: Kind,
        handle: HandleID,
        inbox: AvahiInbox,
        client: OpaquePointer,
        _ make: (UnsafeMutableRawPointer) -> OpaquePointer?
    ) throws(AvahiFailure) -> AvahiObject {
        let context = unsafe Unmanaged.passRetained(CallbackContext(handle: handle, inbox: inbox))
        guard let pointer = unsafe make(context.toOpaque()) else {
            let number = unsafe avahi_client_errno(client)
            unsafe context.release()
            throw AvahiFailure(number: number, call: kind.call)
        }
        return unsafe AvahiObject(kind, handle: handle, pointer: pointer, context: context)
    }

    /// Frees the object in the daemon.
    /// - Throws: the error number where the daemon did not confirm it.
    consuming func free() throws(AvahiFailure) {
        let (kind, number) = (kind, release())
        unsafe context.release()
        discard self
        if number < 0 { throw AvahiFailure(number: number, call: "freeing a \(kind)") }
    }

    /// Lets go of an object that its client has freed.
    consuming func abandon() {
        unsafe context.release()
        discard self
    }

    deinit {
        _ = release()
        unsafe context.release()
    }

    private func release() -> Int32 {
        switch kind {
        case .serviceBrowser: unsafe avahi_service_browser_free(pointer)
        case .typeBrowser: unsafe avahi_service_type_browser_free(pointer)
        case .domainBrowser: unsafe avahi_domain_browser_free(pointer)
        case .serviceResolver: unsafe avahi_service_resolver_free(pointer)
        case .recordBrowser: unsafe avahi_record_browser_free(pointer)
        case .entryGroup: unsafe avahi_entry_group_free(pointer)
        }
    }
}
