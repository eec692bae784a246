import Measuring
import Testing

@Suite struct StatisticsTests {
    @Test func medianOfAnOddNumberIsTheMiddleValue() {
        #expect([9.0, 1, 5].median == 5)
    }

    @Test func medianOfAnEvenNumberIsTheMeanOfTheMiddleValues() {
        #expect([4.0, 1, 3, 100].median == 3.5)
    }

    @Test func nothingHasNoMedianAndNoSpread() {
        #expect([Double]().median == nil)
        #expect([Double]().spread == nil)
    }

    @Test(arguments: [(0.0, 10.0), (0.25, 20), (0.5, 30), (0.6, 34), (1, 50), (7, 50), (-1, 10)])
    func quantileLiesBetweenNeighboursInProportion(share: Double, expected: Double) throws {
        let value = try #require([50.0, 10, 40, 20, 30].quantile(share))
        #expect((value - expected).magnitude < 1e-9)
    }

    @Test func spreadIsTheDistanceOfTheQuartilesOverTheMedian() {
        #expect([1.0, 2, 3, 4, 5].spread == 2.0 / 3)
        #expect([7.0].spread == 0)
        #expect([0.0, 0, 0].spread == 0)
    }
}
