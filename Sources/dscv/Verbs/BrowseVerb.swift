internal import Discoverable

/// `dscv browse [TYPE]`.
struct BrowseVerb {
    private enum End {
        case never
        case after(Duration)
        case whenSettled

        var isSettlement: Bool { if case .whenSettled = self { true } else { false } }
    }

    private let type: ServiceType?
    private let domain: Domain?
    private let scope: DiscoveryScope
    private let resolves: Bool
    private let end: End
    private let output: Output
    private let discovery = Discovery.shared

    /// How long a browse that has an end waits for a daemon.
    private static let daemonLimit = Duration.seconds(5)

    init(_ words: [String]) throws(Exit) {
        let arguments = try Arguments(
            words,
            options: [.flag("resolve"), .value("domain"), .value("interface"), .value("for"), .flag("until-settled")]
        )
        guard arguments.operands.count <= 1 else {
            throw .usage("browse takes one type at the most, such as: dscv browse _http._tcp")
        }
        type = try orExit { () throws(DiscoveryError) in
            try arguments.operands.first.map { text throws(DiscoveryError) in try ServiceType(text) }
        }
        domain = try orExit { () throws(DiscoveryError) in
            try arguments.value("domain").map { text throws(DiscoveryError) in try Domain(text) }
        }
        let interface = try arguments.value("interface").map { name throws(Exit) in try findInterface(name) }
        scope = interface.map(DiscoveryScope.interface) ?? .everywhere
        resolves = arguments.has("resolve")
        output = Output(asJSON: arguments.has("json"))
        switch (try arguments.seconds("for"), arguments.has("until-settled")) {
        case (nil, false): end = .never
        case (let duration?, false): end = .after(duration)
        case (nil, true): end = .whenSettled
        case (.some, true): throw .usage("browse takes either --for or --until-settled; leave one out")
        }
    }

    func run() async throws(Exit) {
        let report = BrowseReport(output: output, discovery: discovery, resolves: resolves, collects: end.isSettlement)
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await browse(into: report) }
                group.addTask { try await watchDaemon() }
                group.addTask { try await waitForEnd() }
                // Whoever is first ends the verb: the settlement, the time, an error, or the user's interruption.
                _ = try await group.nextResult()?.get()
                group.cancelAll()
            }
        } catch let exit as Exit {
            throw exit
        } catch let error as DiscoveryError {
            throw Exit(error)
        } catch is CancellationError {
        } catch {
            throw .failed("\(error)")
        }
        await report.finish()
        if !Task.isCancelled, await report.foundNothing { noteNothingFound() }
    }

    private func browse(into report: BrowseReport) async throws {
        guard let type else { return try await browseAllTypes(into: report) }
        let browser = discovery.browse(type, domain: domain, on: scope)
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

    /// A browse with an end gives up on a daemon that stays away; one without says so and waits.
    private func watchDaemon() async throws {
        switch end {
        case .never: await DaemonWatch(discovery).note { output.note($0) }
        case .after, .whenSettled:
            if let absence = await DaemonWatch(discovery).absence(after: Self.daemonLimit) {
                throw Exit.unavailable(absence)
            }
        }
        try await sleepUntilCancelled()
    }

    private func waitForEnd() async throws {
        if case .after(let duration) = end { return try await Task.sleep(for: duration) }
        try await sleepUntilCancelled()
    }

    private func noteNothingFound() {
        let what = type.map { "no service of type \($0)" } ?? "no service"
        output.note(
            "\(what) was found: either there is none, or it is on another link, or multicast (UDP port 5353) is filtered"
        )
    }
}

/// Waits for nothing but the end of the task.
private func sleepUntilCancelled() async throws {
    while true { try await Task.sleep(for: .seconds(3_600)) }
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
