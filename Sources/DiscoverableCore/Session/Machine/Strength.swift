/// How well messages get through: the mean of the last outcomes, in percent. Each message counts once.
package struct Strength: Hashable, Sendable {
    private let window: Int
    private let lostBelow: Int
    private var outcomes: [Bool] = []

    package init(window: Int, lostBelow: Int) {
        self.window = max(1, window)
        self.lostBelow = lostBelow
    }

    /// The mean, 0…100; nil before the first outcome.
    package var percent: Int? {
        guard !outcomes.isEmpty else { return nil }
        return 100 * outcomes.count { $0 } / outcomes.count
    }

    /// Whether the window is full and hardly anything in it arrived.
    package var isLost: Bool {
        guard let percent, outcomes.count == window else { return false }
        return percent < lostBelow
    }

    /// Adds the outcome of one message. Returns whether the percentage is another one now.
    package mutating func record(acknowledged: Bool) -> Bool {
        let before = percent
        outcomes.append(acknowledged)
        if outcomes.count > window { outcomes.removeFirst() }
        return percent != before
    }
}
