import DiscoverableCore
import TestSupport
import Testing

@Suite("Merging whatever the daemon may tell")
struct PathMergerPropertyTests {
    @Test(
        "30: a consumer that believes every event is never told nonsense and knows what is there",
        arguments: 1...40 as ClosedRange<UInt64>
    )
    func anySequence(seed: UInt64) throws {
        var run = try Run(seed: seed)
        for _ in 0..<300 {
            run.step()
            try #require(run.consumer.violations == [])
            try #require(run.consumer.known == run.believed)
            try #require(run.merger.nextDeadline == run.review)
            try #require(run.lateConsumer.violations == [])
            try #require(run.lateConsumer.known == run.believed)
        }
        let truth = run.reconnect()
        #expect(run.consumer.violations == [])
        #expect(run.consumer.known == truth)
    }
}

/// A merger beside the plainest account of what it should know: each path by itself, in doubt or not.
private struct Run {
    private typealias Seen = Sighting<ServiceInstance>

    var merger = PathMerger<BrowsedService>()
    var consumer = BelievingConsumer<BrowsedService>()
    private(set) var review: Instant?

    private var isConfirmed: [Seen: Bool] = [:]
    private var now = Instant.origin
    private var generator: SeededGenerator
    private let sightings: [Seen]

    init(seed: UInt64) throws {
        generator = SeededGenerator(seed: seed)
        let names = try ["Office", "OFFICE", "Workshop", "Caf\u{e9}", "Cafe\u{301}"].map(service)
        let paths: [ServicePath] = [.ipv4(1), .ipv6(1), .ipv4(2)]
        sightings = names.flatMap { name in paths.map { Seen(name, on: $0) } }
    }

    /// One that comes now.
    var lateConsumer: BelievingConsumer<BrowsedService> {
        var consumer = BelievingConsumer<BrowsedService>()
        for event in merger.story { consumer.apply(event) }
        return consumer
    }

    var believed: [ServiceInstance: [ServicePath]] { byService(isConfirmed.keys) }

    mutating func step() {
        let sighting = sightings.randomElement(using: &generator) ?? sightings[0]
        switch Int.random(in: 0..<100, using: &generator) {
        case ..<42: appear(sighting)
        case ..<80: vanish(sighting)
        case ..<85: lose()
        case ..<86: loseInterface()
        case ..<93: tellAll()
        default: wait(.milliseconds(Int.random(in: 0...7_000, using: &generator)))
        }
    }

    /// The daemon comes back to a network on which half of everything is there.
    mutating func reconnect() -> [ServiceInstance: [ServicePath]] {
        let truth = Set(sightings.filter { _ in Bool.random(using: &generator) })
        lose()
        for sighting in truth.shuffled(using: &generator) { appear(sighting) }
        tellAll()
        wait(PathMerger<BrowsedService>.reviewDelay)
        return byService(truth)
    }

    private mutating func appear(_ sighting: Seen) {
        // Flags change nothing of what is told.
        let flags = SightingFlags(rawValue: UInt8.random(in: 0...7, using: &generator))
        let told = Seen(sighting.identity, on: sighting.path, flags: flags)
        if let event = merger.appeared(told) { consumer.apply(event) }
        isConfirmed[sighting] = true
    }

    private mutating func vanish(_ sighting: Seen) {
        if let event = merger.vanished(sighting) { consumer.apply(event) }
        isConfirmed[sighting] = nil
    }

    private mutating func lose() {
        merger.connectionLost()
        isConfirmed = isConfirmed.mapValues { _ in false }
        review = nil
    }

    private mutating func loseInterface() {
        for event in merger.interfaceLost() { consumer.apply(event) }
        isConfirmed = [:]
        review = nil
    }

    private mutating func tellAll() {
        if let event = merger.allForNow(now: now) { consumer.apply(event) }
        if isConfirmed.values.contains(false) { review = now.advanced(by: PathMerger<BrowsedService>.reviewDelay) }
    }

    private mutating func wait(_ duration: Duration) {
        now = now.advanced(by: duration)
        for event in merger.deadlineReached(now: now) { consumer.apply(event) }
        guard let due = review, due <= now else { return }
        review = nil
        isConfirmed = isConfirmed.filter(\.value)
    }

    private func byService(_ sightings: some Sequence<Seen>) -> [ServiceInstance: [ServicePath]] {
        Dictionary(grouping: sightings, by: \.identity).mapValues { $0.map(\.path).sorted() }
    }
}
