internal import Discoverable

/// `dscv browse [TYPE]`.
struct BrowseVerb {
    private let type: ServiceType?
    private let subtype: ServiceSubtype?
    private let domain: Domain?
    private let scope: DiscoveryScope
    private let resolves: Bool
    private let end: FollowingEnd
    private let output: Output
    private let discovery = Discovery.shared

    init(_ words: [String]) throws(Exit) {
        let arguments = try Arguments(
            words,
            options: [.flag("resolve"), .value("subtype"), .value("domain")] + Arguments.scopeOptions
                + FollowingEnd.options
        )
        guard arguments.operands.count <= 1 else {
            throw .usage("browse takes one type at the most, such as: dscv browse _http._tcp")
        }
        (type, subtype) = try orExit { () throws(DiscoveryError) in
            try kind(arguments.operands.first, subtype: arguments.value("subtype"))
        }
        if subtype != nil, type == nil {
            throw .usage("--subtype needs a type, such as: dscv browse _http._tcp --subtype _printer")
        }
        domain = try arguments.domain()
        scope = try arguments.scope()
        resolves = arguments.has("resolve")
        end = try FollowingEnd(arguments)
        output = Output(arguments)
    }

    func run() async throws(Exit) {
        let report = BrowseReport(output: output, discovery: discovery, resolves: resolves, collects: end.isSettlement)
        try await Following(end: end, output: output, discovery: discovery).run { try await browse(into: report) }
        await report.finish()
        if !Task.isCancelled, await report.foundNothing { noteNothingFound() }
    }

    private func browse(into report: BrowseReport) async throws {
        guard let type else { return try await browseAllTypes(into: report) }
        let browser = discovery.browse(type, subtype: subtype, domain: domain, on: scope)
        for try await event in browser {
            if await report.take(event), end.isSettlement { return }
        }
    }

    /// A browse for each type that there is. Settled is when the types are and the browse of each of them is.
    private func browseAllTypes(into report: BrowseReport) async throws {
        let settlement = Settlement()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await browseTypes(into: report, settlement) }
            group.addTask { [end] in
                await settlement.wait()
                if !end.isSettlement { try await sleepUntilCancelled() }
            }
            try await group.next()
            group.cancelAll()
        }
    }

    private func browseTypes(into report: BrowseReport, _ settlement: Settlement) async throws {
        var begun: Set<BrowsedServiceType.Identity> = []
        try await withThrowingTaskGroup(of: Void.self) { browses in
            for try await event in discovery.browseTypes(domain: domain, on: scope) {
                switch event {
                case .added(let found):
                    // A type that goes and returns is still being browsed for.
                    guard begun.insert(found.identity).inserted else { continue }
                    await settlement.begin()
                    let browser = discovery.browse(found.type, domain: found.domain, on: scope)
                    browses.addTask {
                        for try await event in browser {
                            if await report.take(event) { await settlement.reach() }
                        }
                    }
                case .settled: await settlement.reach()
                case .updated, .removed: continue
                }
            }
            browses.cancelAll()
        }
    }

    private func noteNothingFound() {
        let what = type.map { "no service of type \($0)" } ?? "no service"
        output.note(
            "\(what) was found: either there is none, or it is on another link, or multicast (UDP port 5353) is filtered; "
                + "dscv doctor checks this host"
        )
    }
}

/// Counts browses that have not settled yet.
private actor Settlement {
    /// The browse for the types itself is the first.
    private var open = 1
    private let (ends, end) = AsyncStream.makeStream(of: Never.self)

    func begin() { open += 1 }

    func reach() {
        open -= 1
        if open == 0 { end.finish() }
    }

    /// Returns when all have settled, or the task is cancelled.
    nonisolated func wait() async {
        for await _ in ends {}
    }
}

/// What is browsed for: a type, which may be written with its subtype (`_printer._sub._http._tcp`), and a subtype of its own.
private func kind(_ text: String?, subtype: String?) throws(DiscoveryError) -> (ServiceType?, ServiceSubtype?) {
    let subtype = try subtype.map { text throws(DiscoveryError) in try ServiceSubtype(text) }
    guard let text else { return (nil, subtype) }
    guard subtype == nil, text.contains("._sub.") else { return (try ServiceType(text), subtype) }
    let parsed = try ServiceSubtype.parse(fullText: text)
    return (parsed.type, parsed.subtype)
}
