internal import Discoverable

/// What the command line of `dscv publish` asks for.
struct PublishPlan {
    private(set) var advertisement = Advertisement()
    /// The flags of all of its parts.
    private(set) var flags: Arguments

    private static let options: [Option] =
        [.value("domain"), .value("subtype"), .value("host"), .value("alias"), .flag("no-rename")]
        + Arguments.scopeOptions

    /// Takes the parts between `--` apart: each is a service, or has nothing but hosts and aliases.
    init(_ words: [String]) throws(Exit) {
        let parts = words.split(separator: "--", omittingEmptySubsequences: false).map(Array.init)
        flags = try Arguments([], options: [])
        for part in parts {
            let arguments = try Arguments(part, options: Self.options)
            flags.adopt(arguments)
            try add(arguments)
        }
        if flags.has("no-rename") { advertisement.onCollision = .fail }
    }

    private mutating func add(_ arguments: Arguments) throws(Exit) {
        let scope = try arguments.scope()
        for text in arguments.values("host") { advertisement.hosts.append(try host(text, on: scope)) }
        for text in arguments.values("alias") {
            let name = try orExit { () throws(DiscoveryError) in try fullName(text) }
            advertisement.aliases.append(AliasAdvertisement(name: name, scope: scope))
        }
        let needsService = arguments.values("host").isEmpty && arguments.values("alias").isEmpty
        if needsService || !arguments.operands.isEmpty {
            advertisement.services.append(try service(arguments, on: scope))
        }
    }
}

private func service(_ arguments: Arguments, on scope: DiscoveryScope) throws(Exit) -> ServiceAdvertisement {
    let operands = arguments.operands
    guard operands.count >= 3 else {
        throw .usage("publish takes a name, a type and a port, such as: dscv publish Office _http._tcp 8080 path=/")
    }
    guard let port = UInt16(operands[2]) else {
        throw .usage("\"\(operands[2])\" is no port; a port is a number from 0 to 65535")
    }
    let domain = try arguments.domain()
    return try orExit { () throws(DiscoveryError) in
        try ServiceAdvertisement(
            name: ServiceName(operands[0]),
            type: ServiceType(operands[1]),
            subtypes: arguments.values("subtype").map { text throws(DiscoveryError) in try ServiceSubtype(text) },
            port: port,
            txt: TXTRecord(operands[3...].map(entry)),
            domain: domain,
            scope: scope
        )
    }
}

/// `NAME=ADDRESS`; a name without a dot is one of `.local`.
private func host(_ text: String, on scope: DiscoveryScope) throws(Exit) -> HostAdvertisement {
    let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2, let address = IPAddress(parts[1]) else {
        throw .usage("--host takes a name and an address, such as printer.local=192.0.2.7, not \"\(text)\"")
    }
    return try orExit { () throws(DiscoveryError) in
        HostAdvertisement(name: try fullName(parts[0]), address: address, scope: scope)
    }
}

/// A host's name; without a dot it is one of `.local`.
func fullName(_ text: String) throws(DiscoveryError) -> DNSName {
    try DNSName(text.contains(".") ? text : "\(text).local")
}

/// `KEY=VALUE`, or `KEY` without a value.
private func entry(_ word: String) -> TXTRecord.Entry {
    guard let mark = word.firstIndex(of: "=") else { return TXTRecord.Entry(key: word, text: nil) }
    return TXTRecord.Entry(key: String(word[..<mark]), text: String(word[word.index(after: mark)...]))
}
