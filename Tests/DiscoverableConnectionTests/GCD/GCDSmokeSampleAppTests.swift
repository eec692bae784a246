import Foundation
import SampleUdpApp
import SampleUdpAppOlder
import Testing

@Suite("GCD style in short: the sample apps", .timeLimit(.minutes(1)))
struct GCDSmokeSampleAppTests {
    @Test("An older app's link talks to a newer one's, and both open again after closing")
    func talk() async throws {
        let queue = DispatchQueue(label: "app")
        let (events, continuation) = AsyncStream<String>.makeStream()
        var iterator = events.makeAsyncIterator()
        let server = MessageLink(delegateQueue: queue)
        server.onEvent = { event in
            if case .message(let text, _) = event { continuation.yield("server: \(text)") }
            if case .closed = event { continuation.yield("server: closed") }
        }
        let client = LegacyLink(queue: DispatchQueue(label: "older app"))
        client.onLog = { continuation.yield("client: \($0)") }
        for _ in 1...2 {
            #expect(server.listen(on: 0))
            #expect(client.open() != 0)
            client.connect(host: "127.0.0.1", port: server.port)
            client.send("ping", tag: 4)
            var lines: Set<String> = []
            while lines.count < 4, let line = await iterator.next(isolation: #isolation) { lines.insert(line) }
            #expect(
                lines == [
                    "client: connected", "client: sent 4", "server: ping", "client: received pong from 127.0.0.1",
                ]
            )
            client.close()
            #expect(await iterator.next(isolation: #isolation) == "client: closed")
            server.stop()
            #expect(await iterator.next(isolation: #isolation) == "server: closed")
        }
    }
}
