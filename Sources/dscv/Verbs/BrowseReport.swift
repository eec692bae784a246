internal import Discoverable

/// Turns the events of browses into lines: at once, or collected until the first settlement; with where each service listens, if
/// that is wanted, and again whenever that changes.
actor BrowseReport {
    private let output: Output
    private let discovery: Discovery
    private let resolves: Bool
    private let collects: Bool

    /// What is there now.
    private var services: [ServiceInstance: BrowsedService] = [:]
    /// Those who follow where a service listens.
    private var followers: [ServiceInstance: Task<Void, Never>] = [:]
    /// Changes that wait a moment for the ones that belong to them: records come one by one.
    private var changes: [ServiceInstance: Task<Void, Never>] = [:]
    private static let moment = Duration.milliseconds(250)
    /// What they know; nil inside where the network was asked and nobody answered.
    private var known: [ServiceInstance: ResolvedService?] = [:]
    /// The last line of each service that was told.
    private var told: [ServiceInstance: Line] = [:]
    private var hasFound = false

    init(output: Output, discovery: Discovery, resolves: Bool, collects: Bool) {
        self.output = output
        self.discovery = discovery
        self.resolves = resolves
        self.collects = collects
    }

    var foundNothing: Bool { !hasFound }

    /// Takes an event; true where it is the settlement.
    func take(_ event: BrowseEvent<BrowsedService>) -> Bool {
        switch event {
        case .added(let service), .updated(let service):
            hasFound = true
            services[service.instance] = service
            if !collects { tell(service) }
            return false
        case .removed(let service):
            services[service.instance] = nil
            if !collects { tellRemoval(of: service.instance) }
            return false
        case .settled:
            if !collects, output.asJSON { output.print(Line("settled")) }
            return true
        }
    }

    /// Ends what is being followed, and prints what was collected, each with what resolving tells.
    func finish() async {
        for task in Array(followers.values) + Array(changes.values) { task.cancel() }
        guard collects, !Task.isCancelled else { return }
        let services = services.values.sorted { $0.instance < $1.instance }
        let lines = await withTaskGroup(of: (Int, Line).self) { group in
            for (position, service) in services.enumerated() {
                group.addTask { (position, await self.line(for: service)) }
            }
            var lines: [Int: Line] = [:]
            for await (position, line) in group { lines[position] = line }
            return lines
        }
        for position in services.indices { if let line = lines[position] { output.print(line) } }
    }

    /// A service that does not resolve is still there: its line lacks what is not known, and a note says why.
    private func line(for service: BrowsedService) async -> Line {
        var line = Line("added", service)
        guard resolves else { return line }
        do {
            line.add(try await discovery.resolve(service))
        } catch {
            if error.code != .cancelled { output.note(error.description) }
        }
        return line
    }
}

// MARK: - Telling at once

extension BrowseReport {
    private func tell(_ service: BrowsedService) {
        guard resolves else { return printNow(Line("", service), of: service.instance) }
        if followers[service.instance] == nil {
            followers[service.instance] = Task { await follow(service.instance) }
        } else {
            tellAgain(service.instance)
        }
    }

    /// The first line is complete, since resolving waits for all addresses; then come the changes.
    private func follow(_ instance: ServiceInstance) async {
        guard let service = services[instance] else { return }
        do {
            become(try await discovery.resolve(service), instance)
        } catch {
            if Task.isCancelled { return }
            output.note(error.description)
            become(nil, instance)
        }
        do {
            for try await state in discovery.follow(instance) where state.service != nil || state.isSettled {
                changes[instance]?.cancel()
                changes[instance] = Task {
                    if (try? await Task.sleep(for: Self.moment)) != nil { become(state.service, instance) }
                }
            }
        } catch {
            output.note(error.description)
        }
    }

    private func become(_ resolved: ResolvedService?, _ instance: ServiceInstance) {
        if Task.isCancelled { return }
        known[instance] = .some(resolved)
        tellAgain(instance)
    }

    /// Tells what is known of a service, as soon as it is known how it resolves.
    private func tellAgain(_ instance: ServiceInstance) {
        guard let service = services[instance], let resolved = known[instance] else { return }
        var line = Line("", service)
        if let resolved { line.add(resolved) }
        printNow(line, of: instance)
    }

    private func printNow(_ line: Line, of instance: ServiceInstance) {
        let before = told.updateValue(line, forKey: instance)
        if before == line { return }
        var line = line
        line.event = before == nil ? "added" : "updated"
        output.print(line)
    }

    private func tellRemoval(of instance: ServiceInstance) {
        followers.removeValue(forKey: instance)?.cancel()
        changes.removeValue(forKey: instance)?.cancel()
        known[instance] = nil
        if told.removeValue(forKey: instance) != nil { output.print(Line("removed", instance)) }
    }
}
