internal import DiscoverableCore
internal import DiscoverableRuntime

/// What is on the scripted network.
struct Scenery {
    var services: [ServiceInstance: ScriptedService] = [:]
    var domains: [DomainKind: Set<Domain>] = [:]
    /// The interfaces by their names.
    var interfaces: [String: InterfaceIndex]
}

/// What is to be told, in order, once nothing is locked.
typealias Delivery = @Sendable () -> Void

/// One consumer's browse of the scripted network.
protocol StagedBrowse: Sendable {
    /// Whether a service, in any of its states, may change what is told here.
    func concerns(_ service: ScriptedService) -> Bool
    /// Looks at everything again and tells what changed.
    mutating func look(at scenery: Scenery, affectedBy service: ScriptedService?) -> [Delivery]
    /// Tells that all that is there has been told.
    mutating func settle() -> [Delivery]
    mutating func daemonWent()
    /// The daemon is back, has told everything, and what it did not tell is believed gone.
    mutating func daemonReturned(to scenery: Scenery, settles: Bool) -> [Delivery]
    func fail(_ error: DiscoveryError) -> [Delivery]
}

/// What a browse looks for.
protocol StagedQuestion: Sendable {
    associatedtype Found: Browsed
    /// The thing of this browse that a service shows; nil where it shows none.
    func identity(of service: ScriptedService) -> Found.Identity?
    /// All things of this browse, with the ways on which they are seen.
    func seen(in scenery: Scenery, only identity: Found.Identity?) -> [Found.Identity: [ServicePath: SightingFlags]]
}

struct ScriptedBrowse<Question: StagedQuestion>: StagedBrowse {
    private let question: Question
    private let output: BrowseOutput<Question.Found>
    private var merger = PathMerger<Question.Found>()
    /// What the merger believes to be there.
    private var told: [Question.Found.Identity: Set<ServicePath>] = [:]

    init(_ question: Question, _ output: BrowseOutput<Question.Found>) {
        self.question = question
        self.output = output
    }

    func concerns(_ service: ScriptedService) -> Bool { question.identity(of: service) != nil }

    mutating func look(at scenery: Scenery, affectedBy service: ScriptedService?) -> [Delivery] {
        let only = service.flatMap { question.identity(of: $0) }
        let seen = question.seen(in: scenery, only: only)
        let known = only.map { [$0] } ?? Array(told.keys)
        var events: [BrowseEvent<Question.Found>?] = []
        for (identity, places) in seen.sorted(by: { $0.key < $1.key }) {
            for (path, flags) in places.sorted(by: { $0.key < $1.key }) {
                events.append(merger.appeared(Sighting(identity, on: path, flags: flags)))
            }
        }
        for identity in known.sorted() {
            for path in (told[identity] ?? []).subtracting((seen[identity] ?? [:]).keys).sorted() {
                events.append(merger.vanished(Sighting(identity, on: path)))
            }
            told[identity] = nil
        }
        for (identity, places) in seen where !places.isEmpty { told[identity] = Set(places.keys) }
        return deliver(events)
    }

    mutating func settle() -> [Delivery] { deliver([merger.allForNow(now: .origin)]) }

    mutating func daemonWent() { merger.connectionLost() }

    mutating func daemonReturned(to scenery: Scenery, settles: Bool) -> [Delivery] {
        let changes = look(at: scenery, affectedBy: nil)
        return settles ? changes + settle() : changes
    }

    func fail(_ error: DiscoveryError) -> [Delivery] { [{ [output] in output.finish(throwing: error) }] }

    private func deliver(_ events: [BrowseEvent<Question.Found>?]) -> [Delivery] {
        events.compactMap { $0 }.map { event in { [output] in output.push(event) } }
    }
}
