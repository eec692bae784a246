internal import DiscoverableCore
internal import DiscoverableRuntime

/// Tells a client that the engine does not hold: one that goes when nobody else wants it, and shuts the engine down then.
final class WeakClient: DatagramEngineClient {
    private weak let client: (any DatagramEngineClient)?

    init(_ client: any DatagramEngineClient) { self.client = client }

    func hasRoom(on engine: DatagramEngine) -> Bool { client?.hasRoom(on: engine) ?? false }

    func received(_ batch: DatagramBatch, on engine: DatagramEngine) { client?.received(batch, on: engine) }

    func failed(_ failure: DatagramFailure, on engine: DatagramEngine) { client?.failed(failure, on: engine) }

    func stopped(_ error: UnderlyingError, on engine: DatagramEngine) { client?.stopped(error, on: engine) }
}
