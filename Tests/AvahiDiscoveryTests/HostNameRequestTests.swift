import DiscoverableCore
import DiscoverableRuntime
import Testing

@testable import AvahiDiscovery

@Suite("Names that the host is to get")
struct HostNameRequestTests {
    @Test("One name is claimed after the other, in the order in which they were asked for")
    func order() {
        var requests: [UInt64: HostNameRequest] = [:]
        #expect(HostNameRequest.next(of: requests) == nil)
        for id: UInt64 in [7, 3, 5] { requests[id] = HostNameRequest(name: "host\(id)", output: .init()) }
        for id: UInt64 in [3, 5, 7] {
            #expect(HostNameRequest.next(of: requests) == id)
            requests[id]?.isClaiming = true
            #expect(HostNameRequest.next(of: requests) == nil, "it is still being claimed")
            requests[id] = nil
        }
    }
}
