import Measuring
import Testing

@Suite struct RowResultTests {
    private let title = RowTitle(suite: "s", name: "n", unit: "round trips/s", better: .higher, goal: .atLeast(2))

    private func figures(_ result: RowResult) throws -> RowResult.Figures {
        guard case .measured(let figures) = result.outcome else {
            throw Unmeasured(outcome: result.outcome)
        }
        return figures
    }

    private struct Unmeasured: Error { let outcome: RowResult.Outcome }

    @Test func ratioIsTheMedianOfTheRoundsNotTheRatioOfTheMedians() throws {
        let result = RowResult(title: title, ours: [10, 40, 90], reference: [10, 10, 30])
        let figures = try figures(result)
        #expect(figures.ratio == 3)
        #expect(figures.ours == 40)
        #expect(figures.reference == 10)
        #expect(figures.rounds == 3)
        #expect(result.isMet == true)
    }

    @Test func withoutReferenceTheFigureItselfIsTheRatio() throws {
        let title = RowTitle(suite: "s", name: "n", unit: "descriptors", better: .lower, goal: .atMost(0))
        #expect(RowResult(title: title, ours: [0, 0, 3], reference: nil).isMet == true)
        #expect(RowResult(title: title, ours: [0, 1, 3], reference: nil).isMet == false)
        #expect(try figures(RowResult(title: title, ours: [0, 1, 3], reference: nil)).ratio == 1)
    }

    @Test func aDifferenceIsWhatItsGoalSpeaksOf() throws {
        let title = RowTitle(
            suite: "s",
            name: "n",
            unit: "MB",
            better: .lower,
            goal: .atMost(12),
            comparison: .difference
        )
        let result = RowResult(title: title, ours: [30, 20, 17], reference: [5, 9, 5])
        let figures = try figures(result)
        #expect(figures.ratio == 12)
        #expect(figures.ours == 20)
        #expect(result.isMet == true)
        #expect(RowResult(title: title, ours: [18], reference: [5]).isMet == false)
    }

    @Test(arguments: [[], [1.0], [1.0, 0]])
    func aReferenceThatMeasuredNothingIsAFailure(reference: [Double]) {
        let result = RowResult(title: title, ours: [1, 2], reference: reference)
        #expect(result.outcome == .failed("the reference measured nothing in some round"))
        #expect(result.isMet == false)
    }

    @Test func aRowWithoutAGoalIsNeitherMetNorMissed() {
        let title = RowTitle(suite: "s", name: "n", unit: "u", better: .higher)
        #expect(RowResult(title: title, ours: [1], reference: [2]).isMet == nil)
        #expect(RowResult(title: title, failure: "why").isMet == nil)
    }

    @Test func goalsAreMetAtTheirLimit() {
        #expect(Goal.atLeast(1).isMet(by: 1))
        #expect(!Goal.atLeast(1).isMet(by: 0.99))
        #expect(Goal.atMost(0).isMet(by: 0))
        #expect(!Goal.atMost(0).isMet(by: 0.001))
    }

    @Test func jsonHasTheMembersOfTheContract() {
        let result = RowResult(title: title, ours: [10, 10], reference: [4, 4])
        let line =
            #"{"suite":"s","name":"n","ours":10,"reference":4,"unit":"round trips/s","ratio":2.5,"#
            + #""better":"higher","goal":2,"met":true,"rounds":2,"spread":0}"#
        #expect(result.json == line)
    }

    @Test func jsonOfAFailureSaysWhy() {
        let line =
            #"{"suite":"s","name":"n","ours":null,"reference":null,"unit":"round trips/s","ratio":null,"#
            + #""better":"higher","goal":2,"met":false,"rounds":0,"spread":null,"reason":"a \"b\"\u000a"}"#
        #expect(RowResult(title: title, failure: "a \"b\"\n").json == line)
    }

    @Test func tableAlignsItsColumns() {
        let failed = RowResult(title: title, failure: "no cc")
        let lines = Table([RowResult(title: title, ours: [312_345], reference: [300_000]), failed]).lines
        #expect(lines.count == 3)
        #expect(lines[1].hasPrefix("n    312345     300000  round trips/s"))
        #expect(lines[1].hasSuffix("1.04     0 %  ≥ 2.00  no"))
        #expect(lines[2].hasSuffix("no: no cc"))
    }
}
