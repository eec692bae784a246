internal import Measuring

/// Finding and publishing services over avahi-daemon; the references are in `AvahiReferences`.
extension Suite {
    static let discovery = Suite(
        name: "discovery",
        summary: "services of another host over avahi-daemon, beside plain C with avahi-client (in a testbed)",
        rows: resolveRows + [growth, fourPaths, publish, latency]
    )

    private static let resolveRows = [
        Row(
            name: "resolve-200-wall",
            work: "browsing for and resolving 200 services",
            unit: "ms",
            better: .lower,
            goal: .atMost(1.05),
            scene: .oneLink,
            ours: .ours(.twoHundred, .wall),
            reference: .reference(.twoHundred, .wall)
        ),
        Row(
            name: "resolve-1000-wall",
            work: "the same with 1,000",
            unit: "ms",
            better: .lower,
            goal: .atMost(1.05),
            scene: .oneLink,
            ours: .ours(.thousand, .wall),
            reference: .reference(.thousand, .wall)
        ),
        Row(
            name: "resolve-1000-cpu",
            work: "what the whole process computes for that",
            unit: "ms",
            better: .lower,
            goal: .atMost(1.5),
            scene: .oneLink,
            ours: .ours(.thousand, .computing),
            reference: .reference(.thousand, .computing)
        ),
        Row(
            name: "resolve-1000-memory",
            work: "its largest resident memory; the goal speaks of the difference",
            unit: "MB",
            better: .lower,
            goal: .atMost(12),
            comparison: .difference,
            scene: .oneLink,
            ours: .ours(.thousand, .memory),
            reference: .reference(.thousand, .memory)
        ),
        Row(
            name: "resolve-3000",
            work: "share of 3,000 services that is resolved; plain C with a resolver each is refused beyond 1,023",
            unit: "share",
            goal: .atLeast(1),
            scene: .oneLink,
            ours: Figure(probe: growth(to: .threeThousand), position: 1)
        ),
    ]

    private static let growth = Row(
        name: "growth",
        work: "what ours computes for a service among 3,000, beside one among 100",
        unit: "µs",
        better: .lower,
        goal: .atMost(1.2),
        scene: .oneLink,
        ours: Figure(probe: growth(to: .threeThousand)),
        reference: Figure(probe: growth(to: .hundred))
    )

    private static func growth(to set: ServiceSet) -> Probe {
        .settled(.discoveryWorker(["growth"] + set.words))
    }

    private static let publish = Row(
        name: "publish-500-wall",
        work: "publishing 500 services until all are visible",
        unit: "ms",
        better: .lower,
        goal: .atMost(1.1),
        scene: .alone,
        ours: Figure(probe: .settled(.discoveryWorker(["publish", "500"]))),
        reference: Figure(probe: .settled(.reference(["publish", "_published._tcp", "500"])))
    )

    private static let fourPaths = Row(
        name: "fourpaths-200-wall",
        work: "200 services on 2 links and 2 families; plain C resolves every path",
        unit: "ms",
        better: .lower,
        goal: .atMost(0.6),
        scene: .fourPaths,
        ours: .ours(.twoHundred, .wall),
        reference: .reference(.twoHundred, .wall, paths: Scene.fourPaths.paths)
    )

    private static let latency = Row(
        name: "event-latency",
        work: "from the daemon's D-Bus signal to the consumer of a browse, median",
        unit: "µs",
        better: .lower,
        goal: .atMost(1.3),
        scene: .scriptedDaemon,
        ours: Figure(probe: .settled(.discoveryWorker(["latency", "200"]))),
        reference: Figure(probe: .settled(.reference(["latency", "200"])))
    )
}

/// The numbers of the line that a worker says who resolves, in order.
private enum Position: Int {
    case wall
    case computing
    case memory
    case share
}

extension Figure {
    fileprivate static func ours(_ set: ServiceSet, _ position: Position) -> Figure {
        Figure(probe: .settled(.discoveryWorker(["resolve"] + set.words)), position: position.rawValue)
    }

    fileprivate static func reference(_ set: ServiceSet, _ position: Position, paths: Int = 1) -> Figure {
        let program = Program.reference(["resolve"] + set.words + [String(paths)])
        return Figure(probe: .settled(program), position: position.rawValue)
    }
}

extension Probe {
    /// After a while in which the daemon frees what the program before has left, and takes its services back.
    fileprivate static func settled(_ program: Program) -> Probe {
        Probe(first: program, rest: .milliseconds(700))
    }
}
