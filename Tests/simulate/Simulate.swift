import Glibc
import SessionSimulation

/// `simulate [SCHEDULES [FIRST-SEED]]`: runs so many schedules of sessions over a simulated network, 100,000 from seed 0 on if
/// nothing is said, side by side on all processors. Prints the seeds that break an invariant, each with what it broke; the
/// exit status is then 1.
@main
struct Simulate {
    private struct Counts {
        var sessions = 0
        var messages = 0
        var acknowledged = 0
        var received = 0

        mutating func add(_ world: SimulatedWorld) {
            for end in world.allEnds {
                sessions += 1
                messages += end.sent
                acknowledged += end.acknowledged
                received += end.received
            }
        }
    }

    static func main() async {
        let numbers = CommandLine.arguments.dropFirst().map { UInt64($0) }
        guard numbers.count <= 2, let schedules = numbers.first ?? 100_000, let seed = numbers.dropFirst().first ?? 0
        else {
            print("usage: simulate [SCHEDULES [FIRST-SEED]], both of them numbers")
            exit(64)
        }
        let start = ContinuousClock.now
        let (counts, failures) = await run(seed..<(seed + schedules))
        print(
            "\(schedules) schedules from seed \(seed): \(failures) broke an invariant; \(counts.sessions) sessions,",
            "\(counts.messages) messages, \(counts.acknowledged) acknowledged, \(counts.received) received;",
            start.duration(to: .now)
        )
        // A simulation in which nothing happens would find nothing.
        let isAlive = counts.acknowledged > 0 && counts.received > counts.acknowledged / 2
        if !isAlive { print("hardly anything arrived: the simulation itself is broken") }
        if failures > 0 || !isAlive { exit(1) }
    }

    private static func run(_ seeds: Range<UInt64>) async -> (Counts, failures: Int) {
        let step: UInt64 = 500
        return await withTaskGroup(of: (Counts, Int).self) { group in
            for first in stride(from: seeds.lowerBound, to: seeds.upperBound, by: Int(step)) {
                group.addTask { runBlock(first..<min(first + step, seeds.upperBound)) }
            }
            var sum = (Counts(), 0)
            for await (counts, failures) in group {
                sum.0.sessions += counts.sessions
                sum.0.messages += counts.messages
                sum.0.acknowledged += counts.acknowledged
                sum.0.received += counts.received
                sum.1 += failures
            }
            return sum
        }
    }

    private static func runBlock(_ seeds: Range<UInt64>) -> (Counts, Int) {
        var counts = Counts()
        var failures = 0
        for seed in seeds {
            let world = SimulatedWorld(seed: seed)
            let violations = world.run(acts: 60)
            counts.add(world)
            guard !violations.isEmpty else { continue }
            failures += 1
            print("seed \(seed): \(violations.joined(separator: "; "))")
        }
        return (counts, failures)
    }
}
