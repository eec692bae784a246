import DiscoverableCore
import Testing

@Suite("How many datagrams a receive call looks for")
struct ReceivePaceTests {
    private var pace = ReceivePace()

    @Test("As many as there is room for, until one came alone; then one, a few times, until that is checked again")
    mutating func singles() {
        #expect(pace.slots == .max)
        for _ in 0..<2 {
            pace.received(1, isAll: true)
            for _ in 0..<8 {
                #expect(pace.slots == 1)
                // One slot, one datagram: whether there were more is not known.
                pace.received(1, isAll: false)
            }
            #expect(pace.slots == .max)
        }
    }

    @Test("Several at once are no singles, and neither is one that filled the only slot")
    mutating func several() {
        pace.received(2, isAll: true)
        #expect(pace.slots == .max)
        pace.received(64, isAll: false)
        #expect(pace.slots == .max)
        pace.received(1, isAll: false)
        #expect(pace.slots == .max)
    }
}
