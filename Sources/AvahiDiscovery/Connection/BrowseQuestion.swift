internal import DiscoverableCore

/// What a browse asks the daemon for. All consumers of one question share one object of the daemon.
protocol BrowseQuestion: Hashable, Sendable {
    associatedtype Found: Browsed

    /// What is being done, for errors.
    var operation: String { get }
    var scope: DiscoveryScope { get }
    /// What is there without the network's telling.
    var configured: [Found.Identity] { get }

    func makeBrowser(
        _ client: borrowing AvahiClient,
        on scope: AvahiScope,
        _ handle: HandleID,
        _ inbox: AvahiInbox
    ) throws(AvahiFailure) -> AvahiObject

    /// What an event says; nil where it is of another kind of object.
    func report(_ event: AvahiEvent) -> BrowseReport<Found.Identity>?
}

/// For the services of a type, or of a subtype of it.
struct ServiceQuestion: BrowseQuestion {
    typealias Found = BrowsedService
    let type: ServiceType
    let subtype: ServiceSubtype?
    let domain: Domain?
    let scope: DiscoveryScope

    var operation: String { "browsing for \(name)" }
    var configured: [ServiceInstance] { [] }
    private var name: String { subtype?.fullText(of: type) ?? type.text }

    func makeBrowser(
        _ client: borrowing AvahiClient,
        on scope: AvahiScope,
        _ handle: HandleID,
        _ inbox: AvahiInbox
    ) throws(AvahiFailure) -> AvahiObject {
        try client.makeServiceBrowser(name, domain: domain, on: scope, handle: handle, inbox: inbox)
    }

    func report(_ event: AvahiEvent) -> BrowseReport<ServiceInstance>? {
        if case .serviceBrowser(let report) = event { .network(report) } else { nil }
    }
}

/// For the types of which there are services.
struct TypeQuestion: BrowseQuestion {
    typealias Found = BrowsedServiceType
    let domain: Domain?
    let scope: DiscoveryScope

    var operation: String { "browsing for service types" }
    var configured: [BrowsedServiceType.Identity] { [] }

    func makeBrowser(
        _ client: borrowing AvahiClient,
        on scope: AvahiScope,
        _ handle: HandleID,
        _ inbox: AvahiInbox
    ) throws(AvahiFailure) -> AvahiObject {
        try client.makeTypeBrowser(domain: domain, on: scope, handle: handle, inbox: inbox)
    }

    func report(_ event: AvahiEvent) -> BrowseReport<BrowsedServiceType.Identity>? {
        if case .typeBrowser(let report) = event { .network(report) } else { nil }
    }
}

/// For recommended domains.
struct DomainQuestion: BrowseQuestion {
    typealias Found = BrowsedDomain
    let kind: DomainKind
    let domain: Domain?
    let scope: DiscoveryScope
    /// What this process's environment names.
    let configured: [Domain]

    var operation: String { "browsing for domains (\(kind.listName))" }

    func makeBrowser(
        _ client: borrowing AvahiClient,
        on scope: AvahiScope,
        _ handle: HandleID,
        _ inbox: AvahiInbox
    ) throws(AvahiFailure) -> AvahiObject {
        try client.makeDomainBrowser(kind, domain: domain, on: scope, handle: handle, inbox: inbox)
    }

    func report(_ event: AvahiEvent) -> BrowseReport<Domain>? {
        if case .domainBrowser(let report) = event { report } else { nil }
    }
}

extension DomainQuestion {
    /// The domains that `AVAHI_BROWSE_DOMAINS` names, separated by colons. Avahi's client library would read them itself, but
    /// only together with the user's configuration file, of which it leaks a descriptor each time.
    static func domains(listedIn text: String) -> [Domain] {
        text.split(separator: ":").compactMap { try? Domain(String($0)) }
    }
}
