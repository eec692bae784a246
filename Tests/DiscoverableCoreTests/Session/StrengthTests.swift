import DiscoverableCore
import Testing

@Suite("Strength")
struct StrengthTests {
    @Test("5: it is unknown before the first outcome, and always 0…100")
    func range() {
        var strength = Strength(window: 5, lostBelow: 5)
        #expect(strength.percent == nil && !strength.isLost)
        for acknowledged in [true, false, false, true, true, false, false, false, false, false] {
            _ = strength.record(acknowledged: acknowledged)
            #expect((0...100).contains(strength.percent ?? -1))
        }
    }

    @Test("3: it is the mean of the last five, whatever went before")
    func window() {
        var strength = Strength(window: 5, lostBelow: 5)
        for _ in 0..<1000 { _ = strength.record(acknowledged: true) }
        #expect(strength.percent == 100)
        for expected in [80, 60, 40, 20, 0] {
            #expect(strength.record(acknowledged: false) == true)
            #expect(strength.percent == expected)
        }
        #expect(strength.isLost)
    }

    @Test("Four losses are not enough")
    func notYetLost() {
        var strength = Strength(window: 5, lostBelow: 5)
        for _ in 0..<4 { _ = strength.record(acknowledged: false) }
        #expect(strength.percent == 0 && !strength.isLost)
    }

    @Test("An outcome that changes nothing says so")
    func unchanged() {
        var strength = Strength(window: 5, lostBelow: 5)
        #expect(strength.record(acknowledged: true) == true)
        #expect(strength.record(acknowledged: true) == false)
    }
}
