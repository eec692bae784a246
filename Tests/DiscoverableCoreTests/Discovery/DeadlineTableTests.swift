import DiscoverableCore
import Testing

@Suite struct DeadlineTableTests {
    private func at(_ seconds: Int) -> Instant { .seconds(seconds) }

    @Test func theEarliestIsThatOfAllThatAreThere() {
        var table = DeadlineTable<String>()
        #expect(table.earliest() == nil)
        table["b"] = at(2)
        table["a"] = at(1)
        table["c"] = at(3)
        #expect(table.earliest() == at(1))
        table["a"] = at(4)
        #expect(table.earliest() == at(2))
        table["b"] = nil
        #expect(table.earliest() == at(3))
        table["c"] = nil
        table["a"] = nil
        #expect(table.earliest() == nil)
    }

    @Test func whatIsDueStaysUntilItIsChanged() {
        var table = DeadlineTable<Int>()
        for number in 1...4 { table[number] = at(number) }
        #expect(table.due(at: at(0)).isEmpty)
        #expect(table.due(at: at(2)).sorted() == [1, 2])
        #expect(table.due(at: at(2)).sorted() == [1, 2])
        table[1] = nil
        table[2] = at(9)
        #expect(table.due(at: at(3)) == [3])
        #expect(table[2] == at(9))
    }

    @Test func itAgreesWithASearchWhateverChanges() {
        var random = SystemRandomNumberGenerator()
        var table = DeadlineTable<Int>()
        var plain: [Int: Instant] = [:]
        for _ in 0..<5_000 {
            let key = Int.random(in: 0..<12, using: &random)
            let deadline = Bool.random(using: &random) ? at(Int.random(in: 0..<20, using: &random)) : nil
            table[key] = deadline
            plain[key] = deadline
            if Bool.random(using: &random) { #expect(table.earliest() == plain.values.min()) }
            let now = at(Int.random(in: 0..<20, using: &random))
            #expect(table.due(at: now).sorted() == plain.filter { $0.value <= now }.map(\.key).sorted())
        }
    }
}
