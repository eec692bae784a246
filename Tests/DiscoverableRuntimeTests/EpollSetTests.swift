import DiscoverableCore
import Testing

@testable import DiscoverableRuntime

@Suite("Epoll sets")
struct EpollSetTests {
    @Test("A member's readiness comes with its id, until the member is removed")
    func readiness() throws {
        let set = try EpollSet()
        let signal = try WakeUpSignal()
        try set.add(signal.rawDescriptor, interest: .readable, id: 7)
        #expect(set.wait(timeoutMilliseconds: 0) { _, _ in } == 0)
        signal.raise()
        var seen: [(UInt64, EpollSet.Readiness)] = []
        #expect(set.wait(timeoutMilliseconds: 0) { seen.append(($0, $1)) } == 1)
        #expect(seen.first?.0 == 7 && seen.first?.1 == .readable)
        try set.modify(signal.rawDescriptor, interest: .writable, id: 8)
        seen = []
        _ = set.wait(timeoutMilliseconds: 0) { seen.append(($0, $1)) }
        #expect(seen.first?.0 == 8 && seen.first?.1 == .writable)
        set.remove(signal.rawDescriptor)
        #expect(set.wait(timeoutMilliseconds: 0) { _, _ in } == 0)
    }

    @Test("An error is the system's, with the call and the text")
    func errors() throws {
        let set = try EpollSet()
        let error = #expect(throws: UnderlyingError.self) { try set.add(-1, interest: .readable, id: 1) }
        #expect(error?.call == "epoll_ctl" && error?.text == "Bad file descriptor" && error?.number == 9)
    }
}
