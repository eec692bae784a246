internal import Discoverable

/// What several verbs take.
extension Arguments {
    /// `--interface` and `--family`.
    static let scopeOptions: [Option] = [.value("interface"), .value("family")]

    /// The part of the network that the user named; all of it where none was.
    func scope() throws(Exit) -> DiscoveryScope {
        var scope = DiscoveryScope.everywhere
        if let text = value("interface") { scope.interface = try Self.interface(text) }
        if let text = value("family") {
            switch text.lowercased() {
            case "ipv4", "4": scope.family = .ipv4
            case "ipv6", "6": scope.family = .ipv6
            default: throw .usage("--family takes ipv4 or ipv6, not \"\(text)\"")
            }
        }
        return scope
    }

    /// An interface that is not there is more likely misspelt than awaited; one that goes later is found again by its name.
    static func interface(_ text: String) throws(Exit) -> DiscoveryScope.Interface {
        if InterfaceIndex(named: text) != nil { return .name(text) }
        if let number = UInt32(text), let index = InterfaceIndex(existing: number) { return .index(index) }
        throw .usage("there is no interface \"\(text)\"; see `ip link` for their names")
    }

    func domain() throws(Exit) -> Domain? {
        guard let text = value("domain") else { return nil }
        return try orExit { () throws(DiscoveryError) in try Domain(text) }
    }

    /// The service that the two operands name, and `--domain`.
    func instance() throws(Exit) -> ServiceInstance {
        let domain = try domain() ?? .local
        return try orExit { () throws(DiscoveryError) in
            try ServiceInstance(name: ServiceName(operands[0]), type: ServiceType(operands[1]), domain: domain)
        }
    }
}

extension InterfaceIndex {
    /// The interface with this number, where there is one.
    fileprivate init?(existing number: UInt32) {
        self.init(rawValue: number)
        if number == 0 || name == nil { return nil }
    }
}
