import Testing

@testable import DiscoverableRuntime

@Suite("Registrations")
struct RegistrationTableTests {
    private final class Handler: ReadinessHandler {
        func becameReady(_ readiness: EpollSet.Readiness, registration: Registration) {}
    }

    @Test("An id leads to its handler until it is removed, and never to that of a later one")
    func ids() {
        var table = RegistrationTable()
        let handler = Handler()
        var seen: Set<UInt64> = []
        for _ in 0..<100 {
            let ids = (0..<3).map { _ in table.insert(handler, isHeld: false) }
            for id in ids {
                #expect(id != 0 && seen.insert(id).inserted)
                #expect(table.handler(of: id) === handler)
                #expect(table.remove(id) == nil)
            }
        }
        for id in seen { #expect(!table.contains(id) && table.handler(of: id) == nil) }
    }

    @Test("Removing twice removes nobody else; unknown ids lead nowhere")
    func strangers() {
        var table = RegistrationTable()
        let handler = Handler()
        #expect(table.handler(of: 0) == nil && table.handler(of: .max) == nil)
        let first = table.insert(handler, isHeld: false)
        _ = table.remove(first)
        let second = table.insert(handler, isHeld: false)
        _ = table.remove(first)
        #expect(table.handler(of: second) === handler)
    }

    @Test("A handler is not kept alive, unless it is held")
    func lifetime() {
        var table = RegistrationTable()
        weak var dropped: Handler?
        weak var held: Handler?
        let ids = {
            let (one, other) = (Handler(), Handler())
            (dropped, held) = (one, other)
            return (table.insert(one, isHeld: false), table.insert(other, isHeld: true))
        }()
        #expect(dropped == nil && table.handler(of: ids.0) == nil && table.contains(ids.0))
        #expect(held != nil && table.handler(of: ids.1) === held)
        #expect(table.remove(ids.1) != nil)
        #expect(held == nil)
    }
}
