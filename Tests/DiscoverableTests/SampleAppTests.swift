import Discoverable
import DiscoverableCore
import Testing

@testable import SampleApp
@testable import SampleAppSwift6

/// The sample apps' own code, as it is, against a server played by hand.
@Suite("Apps that move over", .serialized, .timeLimit(.minutes(1)))
@MainActor
struct SampleAppTests {
    @Test("28: an app of its time, with a service of its own")
    func manager() async throws {
        let server = try await LoopbackServer()
        let manager = ConnectionManager(service: .with(.quick))
        let states = Recorder()
        manager.stateChanged = { states.connectionState(state: $0) }
        manager.connect(to: server.host, on: server.port)
        let client = try await server.admit()
        await states.wait(for: .connected)
        #expect(manager.isConnected)
        manager.greet(as: "the app")
        #expect(try await server.acknowledge(client) == "hello from the app")
        manager.stop()
        #expect(try await server.receiveMessage() == "dscv_disconnect")
        try await server.send("dscv_ack", to: client)
        await states.wait(for: .disconnected)
        #expect(manager.states == [.connecting, .connected, .disconnected])
    }

    @Test("28: an app in Swift 6 on the main actor")
    func model() async throws {
        let server = try await LoopbackServer()
        let model = RemoteModel(service: .with(.quick))
        let changes = Recorder()
        model.changed = { [weak model] in if let model { changes.connectionState(state: model.state) } }
        model.connect(to: server.host, on: server.port)
        #expect(model.state == .connecting)
        let client = try await server.admit()
        await changes.wait(for: .connected)
        model.send("hello")
        #expect(try await server.acknowledge(client) == "hello")
        await changes.wait { $0.count == 3 }
        #expect(model.strength == 100)
        model.stop()
        #expect(model.state == .disconnected)
        #expect(try await server.receiveMessage() == "dscv_disconnect")
    }

    @Test("28: a class of the main actor whose methods are not isolated")
    func meter() async throws {
        let meter = StrengthMeter()
        let service = Discoverable.with(.quick)
        meter.attach(to: service)
        service.connect(to: "127.0.0.1", on: 0)
        #expect(meter.lines == ["connecting", "failed(Discoverable.DiscoverableError.connectAddressUnavailable)"])
    }

    @Test("28: a screen that looks on hands on what it is told")
    func statusBar() async throws {
        let (service, bar) = (Discoverable.with(.quick), StatusBar())
        let recorder = Recorder()
        service.delegate = recorder
        bar.take(over: service)
        service.connect(to: "127.0.0.1", on: 0)
        #expect(bar.text == "○")
        #expect(recorder.states == [.connecting, .failed(.connectAddressUnavailable)])
        bar.giveBack(service)
        #expect(service.delegate is Recorder)
    }

    @Test("What users are told of each error differs")
    func messages() {
        let texts = DiscoverableError.allCases.map { message(for: $0) }
        #expect(Set(texts).count == texts.count)
        #expect(meaning(of: "dscv_ack") == "got it" && meaning(of: "up") == "message")
    }
}
