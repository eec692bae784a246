internal import Measuring

/// A named set of rows that is measured together.
struct Suite: Sendable {
    let name: String
    let summary: String
    let rows: [Row]

    /// Another suite is a value like `datagrams`, and an entry here.
    static let all = [datagrams, discovery]

    var help: String {
        let width = rows.map(\.name.count).max() ?? 0
        let lines = rows.map { row in
            let space = String(repeating: " ", count: width - row.name.count)
            return "  \(row.name)\(space)  \(row.work)"
        }
        return (["\nSuite \(name): \(summary)"] + lines).joined(separator: "\n")
    }
}

/// A row of a suite: what is measured, beside what, and what the ratio has to be.
struct Row: Sendable {
    let name: String
    /// What is done, for `--help`.
    let work: String
    let unit: String
    var better = Better.higher
    var goal: Goal?
    var comparison = Comparison.ratio
    var scene = Scene.bare
    let ours: Figure
    /// nil where the goal speaks of the row's own figure.
    var reference: Figure?

    func title(suite: String) -> RowTitle {
        RowTitle(suite: suite, name: name, unit: unit, better: better, goal: goal, comparison: comparison)
    }

    var figures: [Figure] { [reference, ours].compactMap(\.self) }
}

/// One of the numbers that a probe says.
struct Figure: Sendable {
    let probe: Probe
    var position = 0
}
