internal import Discoverable

/// Everything that a browse has told, for the demo to look back at.
actor BrowseLog {
    private var log: [BrowseEvent<BrowsedService>] = []
    private var waiters: [CheckedContinuation<Void, Never>] = []

    init(_ browser: ServiceBrowser) {
        Task { await self.follow(browser) }
    }

    var count: Int { log.count }

    func events(from start: Int) -> [BrowseEvent<BrowsedService>] { Array(log[start...]) }

    /// Waits until a service of this name is told as added, and so far once only.
    func waitForAddition(of name: String, within limit: Duration) async throws(Exit) -> BrowsedService {
        try await wait(within: limit, "\"\(name)\" to be found") { log in log.contains { $0.isAddition(of: name) } }
        guard log.filter({ $0.isAddition(of: name) }).count == 1 else {
            throw .failed("\"\(name)\" was told twice")
        }
        // The latest word on it, with all the paths that came meanwhile.
        for case .added(let service) in log.reversed() where service.instance.name.text == name {
            return latest(service)
        }
        throw .failed("\"\(name)\" was not found")
    }

    func waitForRemovals(of names: [String], within limit: Duration) async throws(Exit) {
        try await wait(within: limit, "the removals") { log in
            names.allSatisfy { name in log.contains { $0.isRemoval(of: name) } }
        }
    }

    private func latest(_ service: BrowsedService) -> BrowsedService {
        for event in log.reversed() {
            if case .updated(let newer) = event, newer.instance == service.instance { return newer }
        }
        return service
    }

    private func follow(_ browser: ServiceBrowser) async {
        do throws(DiscoveryError) {
            for try await event in browser { add(event) }
        } catch {
            Output(asJSON: false).note(error.description)
        }
    }

    private func add(_ event: BrowseEvent<BrowsedService>) {
        log.append(event)
        for waiter in waiters { waiter.resume() }
        waiters = []
    }

    private func wait(
        within limit: Duration,
        _ what: String,
        until fits: @escaping @Sendable ([BrowseEvent<BrowsedService>]) -> Bool
    ) async throws(Exit) {
        try await dscv.within(limit, what) { await self.wait(until: fits) }
    }

    private func wait(until fits: @Sendable ([BrowseEvent<BrowsedService>]) -> Bool) async {
        while !fits(log) { await withCheckedContinuation { waiters.append($0) } }
    }
}

extension BrowseEvent<BrowsedService> {
    func isAddition(of name: String) -> Bool {
        if case .added(let service) = self { service.instance.name.text == name } else { false }
    }

    func isRemoval(of name: String) -> Bool {
        if case .removed(let service) = self { service.instance.name.text == name } else { false }
    }

    var isAdditionOrRemoval: Bool {
        switch self {
        case .added, .removed: true
        case .updated, .settled: false
        }
    }
}
