import DiscoverableCore
import Testing

/// A format that numbers its messages and puts several statements into a datagram: a line each.
private struct NumberedFormat: SessionFormat {
    var numbersMessages: Bool { true }

    func parse(_ datagram: Span<UInt8>, into statements: inout [SessionStatement]) -> Bool {
        guard let characters = try? UTF8Span(validating: datagram) else { return false }
        let lines = String(copying: characters).split(separator: "\n", omittingEmptySubsequences: false)
        let read = lines.compactMap { statement(String($0)) }
        guard read.count == lines.count else { return false }
        statements += read
        return true
    }

    private func statement(_ line: String) -> SessionStatement? {
        let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
        let number = parts.count > 1 ? UInt64(parts[1]).map(MessageID.init(rawValue:)) : nil
        switch parts.first {
        case "hello": return .discover(name: nil)
        case "welcome": return .shake(text: nil)
        case "got": return .acknowledgement(number)
        case "bye": return .disconnect
        case let word?: return UInt64(word).map { .message(MessageID(rawValue: $0), parts.count > 1 ? parts[1] : "") }
        case nil: return nil
        }
    }

    func encode(_ statement: SessionStatement) -> [UInt8] {
        let text =
            switch statement {
            case .discover: "hello"
            case .shake: "welcome"
            case .acknowledgement(let id): id.map { "got \($0.rawValue)" } ?? "got"
            case .disconnect: "bye"
            case .message(let id, let text): "\(id?.rawValue ?? 0) \(text)"
            }
        return Array(text.utf8)
    }

    func encodedLength(of statement: SessionStatement) -> Int { encode(statement).count }
    func checkMessage(_ text: String) throws(MessageRefusal) { if text.isEmpty { throw .empty } }
    func discover(name: String) -> SessionStatement { .discover(name: name) }
    func admission(text: String) -> [SessionStatement] { [.shake(text: nil)] }
}

/// The machine takes its wire format from outside: here another one, whose acknowledgements say what they are for.
@Suite("Sessions in another format")
struct OtherFormatTests {
    private var client = TestedSession.connectedClient(format: NumberedFormat())

    private mutating func hear(_ text: String, at seconds: Double) -> [Told] {
        client.machine.receive(Array(text.utf8).span, from: peer, now: .seconds(seconds))
        return client.outputs()
    }

    @Test("An acknowledgement settles its own message, not the oldest, and a lost one costs no other its outcome")
    mutating func byNumber() {
        let ids = (0..<3).map { client.mustSend("\($0)", at: 1) }
        let acknowledged = hear("got 3", at: 1.5) + hear("got 2", at: 1.5)
        #expect(acknowledged.contains(.happened(.acknowledged(ids[2], "2", roundTripTime: .seconds(0.5)))))
        #expect(acknowledged.contains(.happened(.acknowledged(ids[1], "1", roundTripTime: .seconds(0.5)))))
        #expect(client.reach(3) == [.happened(.lost(ids[0], "0")), .happened(.strengthChanged(66))])
        #expect(hear("got 1", at: 3.1).isEmpty)
    }

    @Test("One datagram may say several things, in order; one that cannot be read says nothing")
    mutating func several() {
        let id = client.mustSend("x", at: 1)
        #expect(hear("got 1\nnonsense", at: 1).isEmpty)
        #expect(
            hear("7 first\ngot 1\n8 second", at: 1) == [
                .says(.acknowledgement(MessageID(rawValue: 7)), to: peer), .happened(.received("first")),
                .happened(.acknowledged(id, "x", roundTripTime: .zero)), .happened(.strengthChanged(100)),
                .says(.acknowledgement(MessageID(rawValue: 8)), to: peer), .happened(.received("second")),
            ]
        )
    }

    @Test("While closing, only the acknowledgement of the end is the end")
    mutating func closing() {
        _ = client.mustSend("x", at: 1)
        _ = client.close(at: 1)
        #expect(hear("got 1", at: 1.1).isEmpty)
        #expect(hear("got", at: 1.1) == [.happened(.closed(.closedLocally))])
    }
}
