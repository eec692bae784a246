import TestSupport
import Testing

@_spi(Package) @testable import DiscoverableCore

@Suite("Sending, whatever happens in whatever order")
struct SendPropertyTests {
    @Test(
        "Nothing is lost, sent twice or overtaken, and every ticket gets one outcome",
        arguments: 0..<8 as Range<UInt64>
    )
    func anySequence(block: UInt64) {
        for seed in block * 40..<block * 40 + 40 {
            var run = SendRun(chance: SeededGenerator(seed: seed), usesSegmentation: seed % 5 != 0)
            for _ in 0..<50 where run.violation == nil { run.step() }
            run.drain()
            #expect(run.violation == nil, "seed \(seed)")
            if run.violation != nil { return }
        }
    }
}
