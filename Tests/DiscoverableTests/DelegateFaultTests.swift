import Discoverable
import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Dispatch
import Testing

@Suite("Whom the class tells, and where", .timeLimit(.minutes(1)))
struct DelegateFaultTests {
    private static let key = DispatchSpecificKey<Bool>()

    @Test("10: the delegate is called on its queue only, one call at a time, whatever thread the app calls on")
    func queue() async throws {
        let listener = try await SessionListener.bind(port: 0, families: [.ipv4], configuration: .quick)
        let queue = DispatchQueue(label: "tests")
        queue.setSpecific(key: Self.key, value: true)
        let inside = Locked(0)
        let (service, recorder, _) = Discoverable.recorded(queue: queue) { _ in
            #expect(DispatchQueue.getSpecific(key: Self.key) == true)
            #expect(
                inside.withLock {
                    $0 += 1; return $0
                } == 1
            )
            inside.withLock { $0 -= 1 }
        }
        await withTaskGroup { group in
            for number in 0..<4 {
                group.addTask {
                    for turn in 0..<50 {
                        switch (number + turn) % 5 {
                        case 0: service.connect(to: "127.0.0.1", on: listener.port)
                        case 1: service.close(turn % 2 == 0)
                        case 2: service.fetchConnectionStrength()
                        case _: service.send("\(number) \(turn)")
                        }
                    }
                }
            }
        }
        service.close(false)
        await queue.settle()
        #expect(service.state == .disconnected)
        for (before, state) in zip(recorder.states, recorder.states.dropFirst()) { #expect(before != state) }
        #expect(recorder.states.last ?? .disconnected == .disconnected)
        await listener.close()
    }

    @Test("10: on the delegate's own queue the app is told before its call returns, elsewhere afterwards")
    func synchronous() async throws {
        let (service, recorder, queue) = Discoverable.recorded()
        await withCheckedContinuation { continuation in
            queue.async {
                service.connect(to: "127.0.0.1", on: 9)
                #expect(recorder.told == [.state(.connecting)])
                service.fetchConnectionStrength()
                #expect(recorder.told == [.state(.connecting), .strength(0)])
                service.close(false)
                #expect(recorder.states == [.connecting, .disconnected])
                continuation.resume()
            }
        }
        let blocked = DispatchSemaphore(value: 0)
        queue.async { blocked.wait() }
        service.connect(to: "127.0.0.1", on: 0)
        #expect(recorder.states == [.connecting, .disconnected])
        #expect(service.state == .failed(.connectAddressUnavailable))
        blocked.signal()
        await queue.settle()
        #expect(recorder.states == [.connecting, .disconnected, .connecting, .failed(.connectAddressUnavailable)])
    }

    @Test("9, 18: what waits for a busy queue when the app closes is not told")
    func busyQueue() async throws {
        let server = try await LoopbackServer()
        let (service, recorder, queue) = Discoverable.recorded()
        service.connect(to: server.host, on: server.port)
        await recorder.wait(for: .connecting)
        let blocked = DispatchSemaphore(value: 0)
        queue.async { blocked.wait() }
        let client = try await server.admit()
        service.send("x")
        try await server.acknowledge(client)
        #expect(service.state == .connected)
        service.close(false, state: .failed(.connectOther))
        blocked.signal()
        await queue.settle()
        #expect(recorder.told == [.state(.connecting), .state(.failed(.connectOther))])
    }

    @Test("The delegate may close, connect and send inside its calls")
    func reentrant() async throws {
        let server = try await LoopbackServer()
        let port = server.port
        let holder = Locked<Discoverable?>(nil)
        let (service, recorder, _) = Discoverable.recorded { told in
            let service = holder.withLock { $0 }
            switch told {
            case .state(.connected): service?.send("from the delegate")
            case .strength: service?.close(false)
            case .state(.disconnected): service?.connect(to: "127.0.0.1", on: 0)
            case .state, .received, .notSent: break
            }
        }
        holder.withLock { $0 = service }
        service.connect(to: "127.0.0.1", on: port)
        let client = try await server.admit()
        #expect(try await server.acknowledge(client) == "from the delegate")
        await recorder.wait(for: .failed(.connectAddressUnavailable))
        #expect(
            recorder.states
                == [.connecting, .connected, .disconnected, .connecting, .failed(.connectAddressUnavailable)]
        )
        holder.withLock { $0 = nil }
    }

    @Test("22: an object is not kept alive as the delegate; a value is kept")
    func lifetime() async throws {
        let service = Discoverable()
        var recorder: Recorder? = Recorder()
        weak let weakRecorder = recorder
        service.delegate = recorder
        #expect(service.delegate is Recorder)
        recorder = nil
        #expect(weakRecorder == nil)
        #expect(service.delegate == nil)
        service.connect(to: "127.0.0.1", on: 0)

        let forwarded = Recorder()
        service.delegateQueue = DispatchQueue(label: "values")
        service.delegate = Forwarder(recorder: forwarded)
        #expect(service.delegate is Forwarder)
        service.connect(to: "127.0.0.1", on: 0)
        await forwarded.wait(for: .failed(.connectAddressUnavailable))
        service.delegate = nil
        #expect(service.delegate == nil)
    }

    private struct Forwarder: DiscoverableDelegate {
        let recorder: Recorder
        func connectionState(state: Discoverable.State) { recorder.connectionState(state: state) }
        func connectionStrength(strength: Float) { recorder.connectionStrength(strength: strength) }
    }

    @Test("22: a service that is dropped goes, also while connected: its peer is told, its delegate is not")
    func dropped() async throws {
        let server = try await LoopbackServer()
        var (service, recorder, queue): (Discoverable?, Recorder, DispatchQueue) = Discoverable.recorded()
        weak let weakService = service
        service?.connect(to: server.host, on: server.port)
        let client = try await server.admit()
        await recorder.wait(for: .connected)
        service = nil
        #expect(weakService == nil)
        #expect(try await server.receiveMessage() == "dscv_disconnect")
        try await server.send("dscv_ack", to: client)
        await queue.settle()
        #expect(recorder.states == [.connecting, .connected])
    }

    @Test("Instances are equal to themselves only, and the shared one can be replaced")
    func identity() {
        let (first, second) = (Discoverable(), Discoverable())
        #expect(first == first && first != second)
        #expect(Set([first, second, first]).count == 2)
        let before = Discoverable.shared
        Discoverable.shared = first
        #expect(Discoverable.shared === first)
        Discoverable.shared = before
    }

    @Test("The main queue is the one that an app need not set")
    @MainActor
    func mainQueue() async throws {
        let service = Discoverable.with(.quick)
        #expect(service.delegateQueue.label == DispatchQueue.main.label)
        let recorder = Recorder { _ in MainActor.assumeIsolated {} }
        service.delegate = recorder
        service.connect(to: "127.0.0.1", on: 0)
        #expect(recorder.states == [.connecting, .failed(.connectAddressUnavailable)])
        let server = try await LoopbackServer()
        service.connect(to: server.host, on: server.port)
        try await server.admit()
        await recorder.wait(for: .connected)
    }
}
