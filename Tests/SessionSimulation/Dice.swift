package import TestSupport

/// The chance of a simulated network.
package typealias Dice = SeededGenerator

extension SeededGenerator {
    /// Whether something happens that does in `percent` of all cases.
    mutating func happens(percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    mutating func milliseconds(_ range: ClosedRange<Int>) -> Duration {
        .milliseconds(Int.random(in: range, using: &self))
    }
}
