import DiscoverableCore
import Testing

@Suite("Sessions over a simulated network")
struct SessionSimulationTests {
    @Test("Whatever the network does, every invariant holds", arguments: 0..<10)
    func invariants(block: UInt64) async {
        for seed in (block * 30)..<(block * 30 + 30) {
            let violations = SimulatedWorld(seed: seed).run(acts: 120)
            #expect(violations.isEmpty, "seed \(seed)")
            // Other tests wait for real time: they must not wait for these.
            await Task.yield()
        }
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
        var acknowledged = 0
        var lost = 0
        for seed in 1...40 as ClosedRange<UInt64> {
            let quality = SimulatedNetwork.Quality(lossPercent: 10, delayMilliseconds: 1...5)
            let world = SimulatedWorld(seed: seed, quality: quality, mayLeave: false)
            #expect(world.run(acts: 120).isEmpty, "seed \(seed)")
            await Task.yield()
            for client in world.clients.values {
                acknowledged += client.acknowledged
                lost += client.lost
            }
        }
        let share = Double(acknowledged) / Double(acknowledged + lost)
        #expect((0.77...0.85).contains(share), "\(share)")
    }

    @Test("The same seed gives the same run")
    func reproducible() {
        let results = (0..<2).map { _ in
            let world = SimulatedWorld(seed: 42)
            _ = world.run(acts: 120)
            return world.clients.sorted { $0.key < $1.key }.map {
                [$0.value.acknowledged, $0.value.lost, $0.value.received]
            }
        }
        #expect(results[0] == results[1])
    }
}
