internal import DiscoverableCore

/// The objects of the present client, each with the request that it belongs to. What is not listed was freed, and is heard
/// no more.
final class AvahiObjectTable {
    /// Whose object it is.
    enum Owner: Sendable {
        case browse(UInt64)
        case resolution(UInt64)
        case addresses(host: String, AddressFamily)
        case publication(UInt64)
        case records(RecordQuestion)
    }

    /// A dictionary cannot hold what cannot be copied.
    private final class Entry {
        var object: AvahiObject?
        let owner: Owner

        init(_ object: consuming AvahiObject, owner: Owner) {
            self.object = .some(object)
            self.owner = owner
        }
    }

    private var entries: [HandleID: Entry] = [:]

    /// How many objects the daemon holds for us.
    var count: Int { entries.count }

    func owner(of handle: HandleID) -> Owner? { entries[handle]?.owner }

    func insert(_ object: consuming AvahiObject, owner: Owner) {
        let handle = object.handle
        entries[handle] = Entry(object, owner: owner)
    }

    /// Takes an object out, for whoever frees it.
    func remove(_ handle: HandleID) -> AvahiObject? {
        entries.removeValue(forKey: handle)?.object.take()
    }

    /// Calls `body` with an object; does nothing where it is not listed.
    func with(_ handle: HandleID, _ body: (borrowing AvahiObject) throws(AvahiFailure) -> Void) throws(AvahiFailure) {
        guard let entry = entries[handle] else { return }
        switch entry.object {
        case .some(let object): try body(object)
        case .none: break
        }
    }

    /// Lets go of everything: the client, which is gone, has freed it.
    func abandonAll() {
        for entry in entries.values {
            if let object = entry.object.take() { object.abandon() }
        }
        entries = [:]
    }
}
