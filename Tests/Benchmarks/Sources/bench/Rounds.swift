internal import Measuring

/// Measures the rows round by round, and keeps what each round showed.
struct Rounds {
    private let rows: [Row]
    private let workshop: Workshop
    /// Each once, a reference before the rows that are held against it.
    private let probes: [Probe]
    private var values: [Probe: [[Double]]] = [:]
    /// A probe that failed is not tried again: a round would wait for it in vain.
    private var failures: [Probe: String] = [:]

    init(rows: [Row], workshop: Workshop) {
        self.rows = rows
        self.workshop = workshop
        var seen: Set<Probe> = []
        probes = rows.flatMap(\.figures).map(\.probe).filter { seen.insert($0).inserted }
    }

    /// Sets the scene and measures round by round.
    mutating func run(_ total: Int, in scene: Scene) throws(Interrupted) {
        do {
            let stage = try Stage(scene, workshop: workshop)
            for round in 0..<total { try run(round, of: total) }
            try stage.end()
        } catch let error as ProbeError {
            switch error {
            case .interrupted: throw Interrupted()
            case .failed(let reason): for probe in probes where values[probe] == nil { failures[probe] = reason }
            }
        } catch {
            throw Interrupted()
        }
    }

    /// Every other round goes backwards, so that a machine that slows down or speeds up favours nobody.
    private mutating func run(_ round: Int, of total: Int) throws(Interrupted) {
        Output.showProgress("round \(round + 1) of \(total) ...")
        for probe in round.isMultiple(of: 2) ? probes : probes.reversed() where failures[probe] == nil {
            do {
                values[probe, default: []].append(try probe.measure(in: workshop))
            } catch {
                switch error {
                case .interrupted: throw Interrupted()
                case .failed(let reason): failures[probe] = reason
                }
            }
        }
        Output.showProgress("")
    }

    func results(suite: String) -> [RowResult] {
        rows.map { row in
            let title = row.title(suite: suite)
            if let reason = row.figures.compactMap({ failures[$0.probe] }).first {
                return RowResult(title: title, failure: reason)
            }
            return RowResult(title: title, ours: figures(row.ours) ?? [], reference: row.reference.flatMap(figures))
        }
    }

    /// nil where a round said too few numbers.
    private func figures(_ figure: Figure) -> [Double]? {
        let rounds = values[figure.probe] ?? []
        guard rounds.allSatisfy({ $0.indices.contains(figure.position) }) else { return nil }
        return rounds.map { $0[figure.position] }
    }
}
