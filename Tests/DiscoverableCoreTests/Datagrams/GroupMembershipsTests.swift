import DiscoverableCore
import Testing

@Suite("Memberships of groups")
struct GroupMembershipsTests {
    private let lan0 = InterfaceIndex(rawValue: 2)
    private let lan1 = InterfaceIndex(rawValue: 3)

    @Test("A group is wanted where it was joined, from whom it was joined")
    func admission() throws {
        let group = try #require(IPAddress("ff05::1"))
        let (host, peer) = (try #require(IPAddress("fd00::1")), try #require(IPAddress("fd00::2")))
        var groups = GroupMemberships()
        #expect(groups.isEmpty && groups.admit(destination: host, interface: lan0, source: peer))
        #expect(groups.admit(destination: nil, interface: nil, source: peer))
        #expect(!groups.admit(destination: group, interface: lan0, source: peer))
        let everybody = GroupMemberships.Membership(group, interface: lan0, source: nil)
        let one = GroupMemberships.Membership(group, interface: lan1, source: peer)
        groups.join(everybody)
        groups.join(one)
        #expect(groups.admit(destination: group, interface: lan0, source: host))
        #expect(!groups.admit(destination: group, interface: lan1, source: host))
        #expect(groups.admit(destination: group, interface: lan1, source: peer))
        groups.leave(everybody)
        groups.leave(one)
        #expect(groups.isEmpty)
        groups.join(GroupMemberships.Membership(group, interface: nil, source: nil))
        #expect(groups.admit(destination: group, interface: lan1, source: host))
    }
}
