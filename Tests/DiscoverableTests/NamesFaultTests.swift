import Discoverable
import Testing

@Suite("The names that apps use")
struct NamesFaultTests {
    @Test("28: the names of the README, the words of the protocol, all errors")
    func publicNames() {
        #expect(ConnectionService.self == Discoverable.self)
        #expect((any ConnectionServiceDelegate).self == (any DiscoverableDelegate).self)
        let words = DiscoverableProtocol.allCases.map(\.rawValue)
        #expect(words == ["dscv_disconnect", "dscv_discover", "dscv_shake", "dscv_ack"])
        #expect(DiscoverableError.allCases.count == 19)
        #expect(Result<Int, DiscoverableError>.success(1) == Swift.Result<Int, DiscoverableError>.success(1))
    }
}
