internal import Discoverable

/// `dscv domains`: the domains that are recommended for browsing or publishing.
struct DomainsVerb {
    private let kind: DomainKind
    private let domain: Domain?
    private let scope: DiscoveryScope
    private let end: FollowingEnd
    private let output: Output
    private let discovery = Discovery.shared

    private static let kinds: [(name: String, kind: DomainKind)] = [
        ("browse", .browse), ("default-browse", .defaultBrowse), ("register", .register),
        ("default-register", .defaultRegister), ("legacy", .legacy),
    ]

    init(_ words: [String]) throws(Exit) {
        let options = [.value("kind"), .value("domain")] + Arguments.scopeOptions + FollowingEnd.options
        let arguments = try Arguments(words, options: options)
        guard arguments.operands.isEmpty else { throw .usage("domains takes no operands; see dscv --help") }
        let name = arguments.value("kind") ?? "browse"
        guard let known = Self.kinds.first(where: { $0.name == name }) else {
            let names = Self.kinds.map(\.name).joined(separator: ", ")
            throw .usage("--kind takes one of \(names), not \"\(name)\"")
        }
        kind = known.kind
        domain = try arguments.domain()
        scope = try arguments.scope()
        end = try FollowingEnd(arguments)
        output = Output(arguments)
    }

    func run() async throws(Exit) {
        let report = ListReport<BrowsedDomain>(output: output, end: end) { event, found in
            var line = Line(event)
            line.domain = found.domain.text
            if event != "removed" { line.paths = found.paths.map(Line.Path.init) }
            return line
        }
        try await Following(end: end, output: output, discovery: discovery).run {
            try await report.follow(discovery.browseDomains(kind, domain: domain, on: scope))
        }
        if !Task.isCancelled, await report.foundNothing {
            output.note("no domain is recommended, as on most networks; services are then in the domain local")
        }
    }
}
