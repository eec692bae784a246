internal import DiscoverableCore
internal import DiscoverableRuntime

/// One question's browse: what it asks for, what is known, who wants to know, and the daemon's object while there is one.
protocol BrowseTask: AnyObject {
    /// The daemon's browser, while there is one, and the interface that it was made for where that is known by its name.
    var browser: (handle: HandleID, namedInterface: InterfaceIndex?)? { get set }
    var operation: String { get }
    var scope: DiscoveryScope { get }
    /// When to look again: at what nobody confirmed, or whether the daemon now has room.
    var nextDeadline: Instant? { get }
    func makeBrowser(
        _ client: borrowing AvahiClient,
        on scope: AvahiScope,
        _ handle: HandleID,
        _ inbox: AvahiInbox
    ) throws(AvahiFailure) -> AvahiObject
    func process(_ event: AvahiEvent, now: Instant) -> BrowseTaskOutcome
    func connectionLost()
    func interfaceLost()
    func deadlineReached(now: Instant)
    /// Ends all its streams with an error; what waits is still delivered.
    func fail(_ error: DiscoveryError)
    /// Whether nobody is left.
    func leave(_ consumer: UInt64) -> Bool
}

enum BrowseTaskOutcome {
    case goesOn
    /// The daemon ended the browser; nothing follows from it.
    case browserFailed(AvahiFailure)
}

final class Browse<Question: BrowseQuestion>: BrowseTask {
    typealias Found = Question.Found

    var browser: (handle: HandleID, namedInterface: InterfaceIndex?)?
    private let question: Question
    private var consumers: [UInt64: BrowseOutput<Found>] = [:]
    private var merger = PathMerger<Found>()

    init(_ question: Question) {
        self.question = question
        tellConfigured()
    }

    var operation: String { question.operation }
    var scope: DiscoveryScope { question.scope }
    var nextDeadline: Instant? { merger.nextDeadline }

    /// Whoever comes late is told everything that the others were told and that still is so.
    func join(_ consumer: UInt64, _ output: BrowseOutput<Found>) {
        for event in merger.story { output.push(event) }
        consumers[consumer] = output
    }

    func leave(_ consumer: UInt64) -> Bool {
        consumers[consumer] = nil
        return consumers.isEmpty
    }

    func makeBrowser(
        _ client: borrowing AvahiClient,
        on scope: AvahiScope,
        _ handle: HandleID,
        _ inbox: AvahiInbox
    ) throws(AvahiFailure) -> AvahiObject {
        try question.makeBrowser(client, on: scope, handle, inbox)
    }

    func process(_ event: AvahiEvent, now: Instant) -> BrowseTaskOutcome {
        guard let report = question.report(event) else { return .goesOn }
        switch report {
        case .configured(let identity): tell(merger.configured(identity))
        case .network(.appeared(let sighting)): tell(merger.appeared(sighting))
        case .network(.vanished(let sighting)): tell(merger.vanished(sighting))
        case .network(.networkTold): tell(merger.allForNow(now: now))
        case .network(.cacheTold), .network(.malformed): break
        case .network(.failed(let number)):
            return .browserFailed(AvahiFailure(number: number, call: "a browser of avahi-daemon"))
        }
        return .goesOn
    }

    func connectionLost() {
        merger.connectionLost()
        tellConfigured()
    }

    func interfaceLost() {
        for event in merger.interfaceLost() { tell(event) }
    }

    func deadlineReached(now: Instant) {
        for event in merger.deadlineReached(now: now) { tell(event) }
    }

    func fail(_ error: DiscoveryError) {
        for output in consumers.values { output.finish(throwing: error) }
        consumers = [:]
    }

    private func tellConfigured() {
        for identity in question.configured { tell(merger.configured(identity)) }
    }

    private func tell(_ event: BrowseEvent<Found>?) {
        guard let event else { return }
        for output in consumers.values { output.push(event) }
    }
}

/// All browses, by their questions and by those who want to know.
struct BrowseTable {
    private(set) var tasks: [UInt64: any BrowseTask] = [:]
    private var numbers: [AnyHashable: UInt64] = [:]
    private var questions: [UInt64: AnyHashable] = [:]
    private var followed: [UInt64: UInt64] = [:]

    subscript(_ id: UInt64) -> (any BrowseTask)? { tasks[id] }

    /// Whether one of them is for an interface that is known by its name.
    var needLinks: Bool { tasks.values.contains { $0.scope.interfaceName != nil } }

    /// The browse that asks this already.
    func browse<Question: BrowseQuestion>(for question: Question) -> (id: UInt64, Browse<Question>)? {
        guard let id = numbers[AnyHashable(question)], let browse = tasks[id] as? Browse<Question> else { return nil }
        return (id, browse)
    }

    mutating func insert<Question: BrowseQuestion>(_ browse: Browse<Question>, for question: Question, id: UInt64) {
        tasks[id] = browse
        numbers[AnyHashable(question)] = id
        questions[id] = AnyHashable(question)
    }

    mutating func join(_ consumer: UInt64, to id: UInt64) { followed[consumer] = id }

    /// Returns the browse that nobody wants any more, which is no longer listed.
    mutating func leave(_ consumer: UInt64) -> (id: UInt64, any BrowseTask)? {
        guard let id = followed.removeValue(forKey: consumer), let browse = tasks[id], browse.leave(consumer) else {
            return nil
        }
        remove(id)
        return (id, browse)
    }

    /// Takes one out, with all who follow it.
    mutating func remove(_ id: UInt64) {
        tasks[id] = nil
        if let question = questions.removeValue(forKey: id) { numbers[question] = nil }
        followed = followed.filter { $0.value != id }
    }
}
