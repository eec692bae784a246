/// What a row is, apart from how it is measured.
package struct RowTitle: Sendable, Equatable {
    package var suite: String
    package var name: String
    package var unit: String
    package var better: Better
    /// nil for a row that is only there to compare with.
    package var goal: Goal?
    package var comparison: Comparison

    package init(
        suite: String,
        name: String,
        unit: String,
        better: Better,
        goal: Goal? = nil,
        comparison: Comparison = .ratio
    ) {
        self.suite = suite
        self.name = name
        self.unit = unit
        self.better = better
        self.goal = goal
        self.comparison = comparison
    }
}

/// A row with what its rounds have shown.
package struct RowResult: Sendable, Equatable {
    package var title: RowTitle
    package var outcome: Outcome

    package enum Outcome: Sendable, Equatable {
        case measured(Figures)
        /// Why there are no figures.
        case failed(String)
    }

    package struct Figures: Sendable, Equatable {
        /// Medians, absolute; no reference where the row's own figure is what the goal speaks of.
        package var ours: Double
        package var reference: Double?
        /// The median of the rounds' ratios (or differences), which is steadier than the ratio of the medians: what disturbs the machine
        /// disturbs both figures of a round.
        package var ratio: Double
        package var spread: Double
        package var rounds: Int
    }

    /// Sums up what the rounds measured, in the order of the rounds; a reference has as many values as ours, or is nil.
    package init(title: RowTitle, ours: [Double], reference: [Double]?) {
        self.title = title
        outcome = Self.outcome(ours: ours, reference: reference, title.comparison)
    }

    package init(title: RowTitle, failure: String) {
        self.title = title
        outcome = .failed(failure)
    }

    private static func outcome(ours: [Double], reference: [Double]?, _ comparison: Comparison) -> Outcome {
        if let reference, reference.count != ours.count || reference.contains(where: { $0 <= 0 }) {
            return .failed("the reference measured nothing in some round")
        }
        let ratios = reference.map { reference in zip(ours, reference).map(comparison.of) } ?? ours
        guard let median = ours.median, let ratio = ratios.median, let spread = ratios.spread else {
            return .failed("no round was measured")
        }
        return .measured(
            Figures(ours: median, reference: reference?.median, ratio: ratio, spread: spread, rounds: ours.count)
        )
    }

    /// nil for a row without a goal. A row that could not run has not met its goal.
    package var isMet: Bool? {
        guard let goal = title.goal else { return nil }
        return switch outcome {
        case .measured(let figures): goal.isMet(by: figures.ratio)
        case .failed: false
        }
    }
}
