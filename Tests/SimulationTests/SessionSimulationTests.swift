import DiscoverableCore
import Foundation
import Glibc
import SessionSimulation
import Testing

/// A few of the schedules that the program `simulate` runs by the hundred thousand.
@Suite("Sessions over a simulated network")
struct SessionSimulationTests {
    @Test("Whatever the network does, every invariant holds")
    func invariants() async {
        let broken = await inBackground {
            (0..<2000 as Range<UInt64>).compactMap { seed -> String? in
                let violations = SimulatedWorld(seed: seed).run(acts: 60)
                return violations.isEmpty ? nil : "seed \(seed): \(violations)"
            }
        }
        #expect(broken.isEmpty)
    }

    @Test("On a good network nothing is lost, and nobody is given up", arguments: 1...20 as ClosedRange<UInt64>)
    func goodNetwork(seed: UInt64) {
        let quality = SimulatedNetwork.Quality(delayMilliseconds: 1...5)
        let world = SimulatedWorld(seed: seed, quality: quality, mayLeave: false)
        let violations = world.run(acts: 120)
        #expect(violations.isEmpty)
        let sessions = world.server?.sessions ?? []
        let ends = world.clients.values + sessions
        #expect(sessions.count == world.clients.count)
        #expect(ends.allSatisfy { $0.lost == 0 && $0.machine.strength == 100 })
        #expect(ends.reduce(0) { $0 + $1.received } > 100)
    }

    @Test("With one datagram in ten lost, the strength is about 80: message and acknowledgement must arrive")
    func lossyNetwork() async {
        let (acknowledged, lost, broken) = await inBackground {
            var sums = (acknowledged: 0, lost: 0, broken: 0)
            for seed in 1...40 as ClosedRange<UInt64> {
                let quality = SimulatedNetwork.Quality(lossPercent: 10, delayMilliseconds: 1...5)
                let world = SimulatedWorld(seed: seed, quality: quality, mayLeave: false)
                if !world.run(acts: 120).isEmpty { sums.broken += 1 }
                for client in world.clients.values {
                    sums.acknowledged += client.acknowledged
                    sums.lost += client.lost
                }
            }
            return sums
        }
        #expect(broken == 0)
        let share = Double(acknowledged) / Double(acknowledged + lost)
        #expect((0.77...0.85).contains(share), "\(share)")
    }

    @Test("The same seed gives the same run")
    func reproducible() {
        let results = (0..<2).map { _ in
            let world = SimulatedWorld(seed: 42)
            _ = world.run(acts: 120)
            return world.allEnds.map { [$0.sent, $0.acknowledged, $0.lost, $0.received] }
        }
        #expect(results[0] == results[1] && results[0].joined().reduce(0, +) > 0)
    }
}

/// Computes on a thread of its own with the lowest priority: the other tests wait for real time, and must not wait for these.
private func inBackground<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        let thread = Thread {
            // Of this thread alone: on Linux each has a priority of its own.
            _ = setpriority(Int32(PRIO_PROCESS.rawValue), 0, 19)
            continuation.resume(returning: body())
        }
        thread.stackSize = 1 << 20
        thread.start()
    }
}
