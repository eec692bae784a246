internal import Discoverable

/// Turns the events of browses into lines: at once, or collected until the first settlement; with what resolving tells, if
/// that is wanted.
actor BrowseReport {
    private let output: Output
    private let discovery: Discovery
    private let resolves: Bool
    private let collects: Bool

    /// What is there now.
    private var services: [ServiceInstance: BrowsedService] = [:]
    /// What is being resolved; one line follows from each.
    private var resolving: [ServiceInstance: Task<Void, Never>] = [:]
    /// What a line `added` told already.
    private var told: Set<ServiceInstance> = []
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
            if !collects { tellRemoval(of: service) }
            return false
        case .settled:
            if !collects, output.asJSON { output.print(Line("settled")) }
            return true
        }
    }

    /// Prints what was collected, each with what resolving tells.
    func finish() async {
        for task in resolving.values { task.cancel() }
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

    private func tell(_ service: BrowsedService) {
        guard resolves else { return printNow(Line("", service), of: service) }
        resolving[service.instance]?.cancel()
        resolving[service.instance] = Task {
            let line = await line(for: service)
            if !Task.isCancelled, services[service.instance] == service { printNow(line, of: service) }
        }
    }

    private func printNow(_ line: Line, of service: BrowsedService) {
        var line = line
        line.event = told.insert(service.instance).inserted ? "added" : "updated"
        output.print(line)
    }

    private func tellRemoval(of service: BrowsedService) {
        resolving.removeValue(forKey: service.instance)?.cancel()
        if told.remove(service.instance) != nil { output.print(Line("removed", service.instance)) }
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
