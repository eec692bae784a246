import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Dispatch
import Testing

@testable import Discoverable

@Suite("What waits for the delegate when the app closes", .timeLimit(.minutes(1)))
struct ClosedNoticesTests {
    private typealias Notice = ConnectionMachine.Notice
    private let lost = SessionError(.closed(.lost), "sending a message")

    /// A connection that has come and gone by itself, of which nothing has been told yet.
    private func over() -> ConnectionDriver.Content {
        var content = ConnectionDriver.Content(configuration: .quick)
        content.begin()
        let epoch = content.machine.epoch
        content.tell(content.machine.connected(in: epoch))
        content.tell(content.machine.settled("a", acknowledged: true, in: epoch))
        content.tell(content.machine.ended(.disconnected, abandoned: ["b"], because: lost, in: epoch))
        return content
    }

    /// What the delegate would be told now.
    private func drain(_ content: inout ConnectionDriver.Content) -> [Notice] {
        var notices: [Notice] = []
        while let delivery = content.notices.next(in: content.machine.epoch) {
            if let notice = delivery.notice { notices.append(notice) }
        }
        return notices
    }

    @Test("Without a close all of it is told")
    func undisturbed() {
        var content = over()
        let end = [Notice.strength(100), .notSent("b", lost), .state(.disconnected)]
        #expect(drain(&content) == [.state(.connecting), .state(.connected)] + end)
    }

    @Test("Of a connection that is over already, a close leaves the end only, where that is news")
    func closedAfterTheEnd() {
        var content = over()
        for _ in 1...2 { #expect(content.notices.next(in: content.machine.epoch) != nil) }
        #expect(content.close(tellingPeer: true, .failed(.connectOther), isTold: true) == nil)
        #expect(drain(&content) == [.state(.disconnected)])

        content = over()
        #expect(content.close(tellingPeer: true, .disconnected, isTold: true) == nil)
        #expect(drain(&content) == [], "disconnected it was before all of that")
    }

    @Test("A service that goes tells nothing more")
    func dropped() {
        var content = over()
        for _ in 1...2 { #expect(content.notices.next(in: content.machine.epoch) != nil) }
        #expect(content.close(tellingPeer: true, .disconnected, isTold: false) == nil)
        #expect(drain(&content) == [])
    }

    @Test("Whoever waits for a notice that is dropped goes on")
    func done() async {
        var content = over()
        let done = SingleAnswer<Void>()
        content.notices.append(.received("c"), content.machine.epoch, done: done)
        #expect(content.close(tellingPeer: false, .disconnected, isTold: true) == nil)
        var answers = 0
        while let delivery = content.notices.next(in: content.machine.epoch) {
            if let done = delivery.done {
                #expect(delivery.notice == nil)
                done.give(())
                answers += 1
            }
        }
        #expect(answers == 1)
        await done.wait()
    }

    @Test("What was asked for while there was no connection is told in any case")
    func unconnected() async {
        let (service, recorder, queue) = Discoverable.recorded()
        let blocked = DispatchSemaphore(value: 0)
        queue.async { blocked.wait() }
        service.send("nobody there")
        service.fetchConnectionStrength()
        service.close()
        blocked.signal()
        await recorder.wait(for: .strength(0))
        #expect(recorder.told == [.notSent("nobody there", .notConnected), .strength(0)])
    }

    @Test("On a busy queue, an attempt that has failed before the close is told as failed, its messages are not")
    func busyQueue() async throws {
        let (service, recorder, queue) = Discoverable.recorded(.hasty)
        let blocked = DispatchSemaphore(value: 0)
        queue.async { blocked.wait() }
        service.connect(to: "127.0.0.1", on: try await closedPort())
        service.send("waits")
        while service.state == .connecting, !Task.isCancelled { await Task.yield() }
        service.close(false, state: .failed(.connectOther))
        blocked.signal()
        await queue.settle()
        #expect(recorder.told == [.state(.failed(.connectRefused))])
    }

    @Test(
        "A close while the peer is being greeted tells it, or does not, as the app has said",
        arguments: [true, false]
    )
    func closedWhileGreeting(tellingPeer: Bool) async throws {
        let server = try await LoopbackServer()
        let driver = Discoverable.with(.quick).driver
        let epoch = driver.content.withLock { content in
            content.begin()
            return content.machine.epoch
        }
        driver.close(tellingPeer: tellingPeer, state: .disconnected)
        await driver.greet([server.address], .quick, epoch)
        let arrived = try await server.arrived()
        #expect(arrived.first == "dscv_discover:test device")
        #expect(arrived.contains("dscv_disconnect") == tellingPeer)
    }

    @Test("Nothing is kept of attempts that were closed early")
    func nothingKept() async throws {
        let server = try await LoopbackServer()
        let service = Discoverable.with(.quick)
        for _ in 0..<50 {
            service.connect(to: server.host, on: server.port)
            service.close()
        }
        while service.driver.content.withLock({ !$0.farewells.isEmpty }), !Task.isCancelled { await Task.yield() }
        #expect(service.driver.content.withLock { $0.farewells.isEmpty })
    }
}
