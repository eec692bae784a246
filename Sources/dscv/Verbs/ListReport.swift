internal import Discoverable

/// Turns the events of a browse for types, domains or records into lines: at once, or collected until it settles.
actor ListReport<Found: Browsed & Sendable> {
    private let output: Output
    private let end: FollowingEnd
    private let line: @Sendable (_ event: String, Found) -> Line
    private var present: [Found.Identity: Found] = [:]
    private var hasFound = false

    /// - Parameter line: the line that tells an event of one thing.
    init(output: Output, end: FollowingEnd, line: @escaping @Sendable (_ event: String, Found) -> Line) {
        self.output = output
        self.end = end
        self.line = line
    }

    var foundNothing: Bool { !hasFound }

    /// Follows the browse; returns when it has settled and that is the end.
    func follow(
        _ events: some AsyncSequence<BrowseEvent<Found>, DiscoveryError> & Sendable
    ) async throws(DiscoveryError) {
        for try await event in events {
            switch event {
            case .added(let item): tell("added", item)
            case .updated(let item): tell("updated", item)
            case .removed(let item): tell("removed", item)
            case .settled where end.isSettlement:
                for item in present.values.sorted(by: { $0.identity < $1.identity }) {
                    output.print(line("added", item))
                }
                return
            case .settled: if output.asJSON { output.print(Line("settled")) }
            }
        }
    }

    private func tell(_ event: String, _ item: Found) {
        hasFound = true
        present[item.identity] = event == "removed" ? nil : item
        if !end.isSettlement { output.print(line(event, item)) }
    }
}
