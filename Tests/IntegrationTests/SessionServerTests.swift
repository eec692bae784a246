import Discoverable
import Foundation
import Testing

extension DaemonTests {
    @Suite("Our server and a client that others wrote", .needsTestbed, .timeLimit(.minutes(1)))
    struct ServingReferenceClient {
        /// A line of what the client tells.
        private struct Line: Decodable {
            let event: String
            let text: String?
            let reason: String?
            let answers: [String]?
        }

        private func client(_ host: String, port: UInt16, _ words: String...) throws -> ChildProcess {
            try Testbed.start(on: Testbed.peer, Testbed.peerScript("dscv_client.py") + ["\(host):\(port)"] + words)
        }

        /// What the client told of an event, once it has ended.
        private func lines(_ event: String, of client: ChildProcess) async throws -> [Line] {
            _ = try await client.finished()
            return try client.lines.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
                .filter { $0.event == event }
        }

        private func serve() async throws -> (SessionListener, Follower<Session>) {
            let listener = try await SessionListener.bind(port: 0)
            return (listener, Follower(listener.sessions))
        }

        /// A whole session: handshake, three messages, one of ours, the client's end.
        private func converse(at host: String) async throws {
            let (listener, sessions) = try await serve()
            let client = try client(
                host,
                port: listener.port,
                "--name",
                "Käse",
                "--message",
                "one",
                "two 🧀",
                "three",
                "--linger",
                "0.5"
            )
            let session = try await sessions.first(within: .seconds(10))
            #expect(session.peerName == "Käse")
            let messages = Follower(session.messages)
            _ = try await messages.first(within: .seconds(10)) { $0 == "three" }
            #expect(messages.all == ["one", "two 🧀", "three"])
            try await session.send("from the server")
            #expect(await session.strength == 100)
            #expect(try await client.finished().status == 0)
            #expect(try await lines("acknowledged", of: client).count == 3)
            #expect(try await lines("received", of: client).map(\.text) == ["from the server"])
            // Our answer to its disconnect is an acknowledgement, once, and no disconnect.
            #expect(try await lines("closed", of: client).map(\.answers) == [["dscv_ack"]])
            await messages.ended()
            #expect(await session.state == .closed(.closedByPeer))
            #expect(await listener.sessionCount == 0)
            await listener.close()
        }

        @Test("A client is admitted over IPv4, its messages are acknowledged, ours reach it")
        func overIPv4() async throws {
            try await converse(at: try await ipv4Address(of: "alpha"))
        }

        @Test("A client is admitted over IPv6, unique local and link-local", .needsHosts, arguments: IPv6Kind.allCases)
        func overIPv6(kind: IPv6Kind) async throws {
            try await converse(at: try await kind.address(of: "alpha"))
        }

        @Test("Of two clients at once each has its own session, and the end of one is not the other's")
        func twoClients() async throws {
            let host = try await ipv4Address(of: "alpha")
            let (listener, sessions) = try await serve()
            let long = try client(host, port: listener.port, "--name", "long", "--message", "a", "--linger", "30")
            let first = try await sessions.first(within: .seconds(10))
            let short = try client(host, port: listener.port, "--name", "short", "--message", "b", "--linger", "0.3")
            let second = try await sessions.first(within: .seconds(10))
            #expect([first.peerName, second.peerName] == ["long", "short"])
            #expect(try await short.waitForEnd() == 0)
            let messages = Follower(second.messages)
            await messages.ended()
            #expect(messages.all == ["b"])
            #expect(await second.state == .closed(.closedByPeer))
            try await first.send("still there")
            #expect(await first.state == .connected)
            #expect(await listener.sessionCount == 1)
            // Closing the listener ends the session of the one that is left, and it is told.
            await listener.close()
            let closed = try await lines("closed", of: long)
            #expect(closed.map(\.reason) == ["peer"])
            #expect(try await lines("received", of: long).map(\.text) == ["still there"])
        }

        @Test("Bytes that are no text end nothing and are not acknowledged; a text longer than ours may be comes whole")
        func rawBytes() async throws {
            let (listener, sessions) = try await serve()
            let host = try await ipv4Address(of: "alpha")
            let long = String(repeating: "x", count: 1500)
            let script = Testbed.peerScript("dscv_client.py").joined(separator: " ")
            // The shell makes bytes that a Swift string cannot hold.
            let client = try Testbed.start(
                on: Testbed.peer,
                "bash",
                "-c",
                #"exec \#(script) \#(host):\#(listener.port) --raw $'\xff\xfe' --message good --raw \#(long)"#
            )
            let session = try await sessions.first(within: .seconds(10))
            let messages = Follower(session.messages)
            #expect(try await lines("acknowledged", of: client).map(\.text) == ["good", long])
            await listener.close()
            await messages.ended()
            #expect(messages.all == ["good", long])
        }

        @Test("dscv serve admits the client, echoes what it says, and tells each step")
        func tool() async throws {
            let server = try Dscv.start(
                "serve",
                "For others",
                "--type",
                "_others._udp",
                "--port",
                "0",
                "--echo",
                "--json"
            )
            let serving = try await server.told("serving")
            let port = UInt16(try #require(serving.port))
            let client = try client(
                try await ipv4Address(of: "alpha"),
                port: port,
                "--message",
                "hello",
                "--linger",
                "0.5"
            )
            try await server.told("connected") { $0.peer?.hasPrefix("python-peer (") == true }
            try await server.told("received") { $0.text == "hello" }
            try await server.told("acknowledged") { $0.text == "hello" }
            try await server.told("closed") { $0.reason == "the peer closed it" }
            #expect(try await lines("received", of: client).map(\.text) == ["hello"])
            #expect(try await client.waitForEnd() == 0)
        }
    }
}
