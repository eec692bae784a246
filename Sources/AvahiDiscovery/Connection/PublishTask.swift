package import DiscoverableCore
@_spi(Package) package import DiscoverableRuntime

/// One publication: what is published, where it stands, and the daemon's entry group while there is one.
final class PublishTask {
    let operation: String
    private(set) var advertisement: Advertisement
    var machine: PublicationMachine
    var handle: HandleID?
    /// What looks for the names that cannot be exchanged.
    var look: NameLook?
    /// What the present group has.
    var published: PublishedGroup?
    private let record: PublicationRecord

    init(_ advertisement: Advertisement, record: PublicationRecord) {
        operation = advertisement.operation
        self.advertisement = advertisement
        self.record = record
        machine = PublicationMachine(advertisement)
    }

    /// What stands in the way now, for those who wait in vain.
    var obstacle: DiscoveryError? {
        get { record.obstacle }
        set { record.obstacle = newValue }
    }

    func setTXT(_ txt: TXTRecord, ofService position: Int) { advertisement.services[position].txt = txt }

    /// Tells the holder; returns the state where it is another than before.
    func tellState() -> PublicationState? {
        let (state, before) = (machine.state, record.states.current)
        record.become(state, names: machine.names)
        return state == before ? nil : state
    }

    /// The numbers that those interfaces have now which are named by their names, and exist.
    var presentInterfaces: [String: InterfaceIndex] {
        var interfaces: [String: InterfaceIndex] = [:]
        for name in advertisement.interfaceNames { interfaces[name] = NetworkInterface.index(of: name) }
        return interfaces
    }

    func absence(ofInterface name: String) -> DiscoveryError {
        DiscoveryError(
            .invalidArgument,
            operation: operation,
            explanation: "there is no interface \(name) now; it is waited for, see `ip link`"
        )
    }

    /// Whether an interface that it is told on has another number than when it was registered.
    var hasMovedInterface: Bool {
        guard let published else { return false }
        return published.interfaces.contains { name, index in
            NetworkInterface.index(of: name).map { $0 != index } ?? false
        }
    }
}

/// What the daemon was told in the present group.
struct PublishedGroup {
    /// The services with the TXT records that were told last.
    var services: [ServiceAdvertisement]
    let names: [ServiceName]
    /// The numbers that the interfaces had which are named by their names.
    let interfaces: [String: InterfaceIndex]
    /// Where each service is told, also when its interface has gone since.
    let scopes: [AvahiScope]
}

/// What the holder of a publication can see of it.
package final class PublicationRecord: Sendable {
    private struct Shared {
        var names: [ServiceName]
        var obstacle: DiscoveryError?
    }

    package let states = StateBroadcast(PublicationState.waitingForDaemon)
    package let operation: String
    private let advertisement: Advertisement
    private let limit: @Sendable (DiscoveryScope) -> PacketLimit?
    private let shared: Locked<Shared>

    /// - Parameter limit: what an interface's packets carry; nil for as much as may be.
    init(_ advertisement: Advertisement, fitting limit: @escaping @Sendable (DiscoveryScope) -> PacketLimit?) {
        operation = advertisement.operation
        let names = PublicationMachine(advertisement).names
        self.advertisement = advertisement
        self.limit = limit
        shared = Locked(Shared(names: names))
    }

    /// One whose packets carry as much as may be.
    package convenience init(_ advertisement: Advertisement) {
        self.init(advertisement) { _ in nil }
    }

    /// The names that were established last; before that those that were asked for.
    var names: [ServiceName] { shared.withLock { $0.names } }

    var obstacle: DiscoveryError? {
        get { shared.withLock { $0.obstacle } }
        set { shared.withLock { $0.obstacle = newValue } }
    }

    /// Refuses a TXT record that cannot be told, before anything is sent.
    func check(_ txt: TXTRecord, ofService position: Int) throws(DiscoveryError) {
        let operation = "changing a TXT record of \"\(names[0])\""
        let count = advertisement.services.count
        guard (0..<count).contains(position) else {
            throw DiscoveryError(
                .invalidArgument,
                operation: operation,
                explanation: "it has \(count) services, and none at position \(position); count from 0"
            )
        }
        try txt.checkLength(while: operation)
        var service = advertisement.services[position]
        service.txt = txt
        try Advertisement([service]).check(fitting: limit)
    }

    package func become(_ state: PublicationState, names: [ServiceName]) {
        if case .established = state {
            shared.withLock {
                $0.names = names
                $0.obstacle = nil
            }
        }
        states.send(state)
        if state.isFinal { states.finish() }
    }
}

extension Advertisement {
    /// Every scope that something is told in.
    private var scopes: [DiscoveryScope] {
        services.map(\.scope) + hosts.map(\.scope) + aliases.map(\.scope) + records.map(\.scope)
    }

    /// The names of the interfaces that are named so.
    var interfaceNames: Set<String> {
        Set(scopes.compactMap { if case .name(let name) = $0.interface { name } else { nil } })
    }
}
