extension RowResult {
    /// One JSON object on a line. A row that could not run has nulls for its figures, and a `reason`.
    package var json: String {
        var members = [("suite", quoted(title.suite)), ("name", quoted(title.name))]
        switch outcome {
        case .measured(let figures):
            members += [
                ("ours", number(figures.ours)), ("reference", number(figures.reference)), ("unit", quoted(title.unit)),
                ("ratio", number(figures.ratio)),
            ]
            members += verdict + [("rounds", String(figures.rounds)), ("spread", number(figures.spread))]
        case .failed(let reason):
            members += [("ours", "null"), ("reference", "null"), ("unit", quoted(title.unit)), ("ratio", "null")]
            members += verdict + [("rounds", "0"), ("spread", "null"), ("reason", quoted(reason))]
        }
        return "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }

    private var verdict: [(String, String)] {
        [
            ("better", quoted(title.better.rawValue)), ("goal", number(title.goal?.limit)),
            ("met", isMet.map(String.init) ?? "null"),
        ]
    }
}

/// JSON knows no infinity.
private func number(_ value: Double?) -> String {
    guard let value, value.isFinite else { return "null" }
    return value == value.rounded() && value.magnitude < 1e15 ? String(Int64(value)) : String(value)
}

private func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"", "\\": result += "\\\(scalar)"
        case "\u{0}"..<" ": result += "\\u" + String(65_536 + Int(scalar.value), radix: 16).dropFirst()
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result + "\""
}
