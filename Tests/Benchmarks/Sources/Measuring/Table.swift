/// Results as aligned columns, for people.
package struct Table {
    private let rows: [[String]]

    package init(_ results: [RowResult]) {
        rows = [["row", "ours", "reference", "unit", "ratio", "spread", "goal", "met"]] + results.map(Self.cells)
    }

    package var lines: [String] {
        let widths = (0..<rows[0].count).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row.indices, row).map { column, cell in
                pad(cell, to: widths[column], isText: Self.textColumns.contains(column))
            }
            return String(cells.joined(separator: "  ").trimmingTrailingSpaces)
        }
    }

    private static let textColumns: Set<Int> = [0, 3, 7]

    private static func cells(of result: RowResult) -> [String] {
        let goal =
            switch result.title.goal {
            case .atLeast(let limit): "≥ \(digits(limit))"
            case .atMost(let limit): "≤ \(digits(limit))"
            case nil: "–"
            }
        let met = result.isMet.map { $0 ? "yes" : "no" } ?? "–"
        switch result.outcome {
        case .measured(let figures):
            let percent = "\(Int((figures.spread * 100).rounded())) %"
            return [
                result.title.name, digits(figures.ours), figures.reference.map(digits) ?? "–", result.title.unit,
                digits(figures.ratio), percent, goal, met,
            ]
        case .failed(let reason):
            return [result.title.name, "–", "–", result.title.unit, "–", "–", goal, "\(met): \(reason)"]
        }
    }
}

private func pad(_ text: String, to width: Int, isText: Bool) -> String {
    let space = String(repeating: " ", count: max(0, width - text.count))
    return isText ? text + space : space + text
}

/// As many digits as tell two machines apart: large figures whole, small ones with about three places that count.
private func digits(_ value: Double) -> String {
    switch value.magnitude {
    case 0: "0"
    case 1_000...: "\(Int(value.rounded()))"
    case 100...: fixed(value, places: 1)
    case 0.1...: fixed(value, places: 2)
    default: fixed(value, places: 5)
    }
}

private func fixed(_ value: Double, places: Int) -> String {
    let scale = (0..<places).reduce(1) { scale, _ in scale * 10 }
    let scaled = Int((value.magnitude * Double(scale)).rounded())
    let fraction = String(scale + scaled % scale).dropFirst()
    return "\(value < 0 ? "-" : "")\(scaled / scale).\(fraction)"
}

extension String {
    fileprivate var trimmingTrailingSpaces: Substring {
        var end = endIndex
        while end > startIndex, self[index(before: end)] == " " { end = index(before: end) }
        return self[..<end]
    }
}
