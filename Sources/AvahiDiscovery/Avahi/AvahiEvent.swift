internal import DiscoverableCore

/// Which C object a callback belongs to. Never used twice, so that what a freed object still had to say finds nobody.
struct HandleID: Hashable, Sendable {
    let rawValue: UInt64
}

/// What Avahi's callbacks say, copied out of its memory.
enum AvahiEvent: Sendable {
    case client(AvahiClientReport)
    case serviceBrowser(AvahiListReport<Sighting<ServiceInstance>>)
    case typeBrowser(AvahiListReport<Sighting<BrowsedServiceType.Identity>>)
    case domainBrowser(BrowseReport<Domain>)
    case resolver(AvahiResolverReport)
    case hostRecord(AvahiListReport<Sighting<IPAddress>>)
    case record(AvahiListReport<Sighting<DNSRecord>>)
    case group(AvahiGroupReport)
    case claim(AvahiListReport<ClaimSighting>)
}

/// The state of a client.
enum AvahiClientReport: Sendable {
    case waiting
    case connected(DaemonLink.ClientState)
    case failed
}

/// What every kind of browser says.
enum AvahiListReport<Item: Sendable>: Sendable {
    case appeared(Item)
    case vanished(Item)
    case cacheTold
    case networkTold
    case failed(Int32)
    /// Something that is no valid item: a peer's fault, passed over.
    case malformed
}

/// What a browser says that may also tell of things which nobody sees.
enum BrowseReport<Identity: Hashable & Sendable>: Sendable {
    case network(AvahiListReport<Sighting<Identity>>)
    /// The daemon's configuration names it.
    case configured(Identity)
}

/// What a resolver says.
enum AvahiResolverReport: Sendable {
    case found(host: String, port: UInt16, strings: [[UInt8]], address: Resolution.HostAddress?)
    case failed(Int32)
}

/// The state of an entry group.
enum AvahiGroupReport: Sendable {
    case registering
    case established
    case collision
    case failed(Int32)
}

/// Where callbacks leave what they have to say. They never act: a callback stands on the stack of a call into Avahi, which
/// may be our own call in the middle of a change. The connection empties the inbox when no such call is on the stack.
final class AvahiInbox {
    private var events: [(HandleID, AvahiEvent)] = []

    var isEmpty: Bool { events.isEmpty }

    func put(_ event: AvahiEvent, for handle: HandleID) {
        events.append((handle, event))
    }

    func takeAll() -> [(HandleID, AvahiEvent)] {
        defer { events = [] }
        return events
    }
}

/// What a C object carries as its `userdata`: whose callback it is and where to leave the event.
final class CallbackContext {
    let handle: HandleID
    let inbox: AvahiInbox
    init(handle: HandleID, inbox: AvahiInbox) {
        self.handle = handle
        self.inbox = inbox
    }

    func put(_ event: AvahiEvent) {
        inbox.put(event, for: handle)
    }
}
