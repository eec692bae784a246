internal import Discoverable

/// `dscv types`: the types of which there are services.
struct TypesVerb {
    private let domain: Domain?
    private let scope: DiscoveryScope
    private let end: FollowingEnd
    private let output: Output
    private let discovery = Discovery.shared

    init(_ words: [String]) throws(Exit) {
        let arguments = try Arguments(
            words,
            options: [.value("domain")] + Arguments.scopeOptions + FollowingEnd.options
        )
        guard arguments.operands.isEmpty else {
            throw .usage("types takes no operands; for the services of one type: dscv browse TYPE")
        }
        domain = try arguments.domain()
        scope = try arguments.scope()
        end = try FollowingEnd(arguments)
        output = Output(arguments)
    }

    func run() async throws(Exit) {
        let report = ListReport<BrowsedServiceType>(output: output, end: end) { event, found in
            var line = Line(event)
            line.type = found.type.text
            line.domain = found.domain.text
            if event != "removed" { line.paths = found.paths.map(Line.Path.init) }
            return line
        }
        try await Following(end: end, output: output, discovery: discovery).run {
            try await report.follow(discovery.browseTypes(domain: domain, on: scope))
        }
        if !Task.isCancelled, await report.foundNothing {
            output.note("no service of any type was found; dscv doctor says whether this host could find one")
        }
    }
}
