import DiscoverableCore
import TestSupport
import Testing

@Suite("Questions that no cache answers, as packets")
struct FreshQueryTests {
    private let query: FreshQuery
    private let name: [UInt8] =
        [1, 0x58, 4] + Array("_ipp".utf8) + [4] + Array("_tcp".utf8) + [5] + Array("local".utf8) + [0]
    /// A responder's header: an answer to our question, with one question and one answer.
    private let header: [UInt8] = [0x12, 0x34, 0x84, 0, 0, 1, 0, 1, 0, 0, 0, 0]
    /// `h.local`, the end of the name in the question.
    private let target: [UInt8] = [1, 0x68, 0xc0, 24]

    init() throws {
        let instance = try ServiceInstance(name: ServiceName("X"), type: ServiceType("_ipp._tcp"))
        query = FreshQuery(id: 0x1234, name: try DNSName(instance), type: .srv)
    }

    private var question: [UInt8] { name + [0, 33, 0, 1] }

    private func answer(to name: [UInt8] = [0xc0, 12], flags: UInt8 = 0x80, life: UInt8 = 10) -> [UInt8] {
        name + [0, 33, flags, 1, 0, 0, 0, life, 0, UInt8(6 + target.count), 0, 0, 0, 0, 0, 80] + target
    }

    private func location() throws -> RecordData {
        .srv(RecordData.ServiceLocation(port: 80, target: try DNSName("h.local")))
    }

    @Test("The packet asks one question of the class of the Internet")
    func packet() {
        #expect(query.packet == [0x12, 0x34, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0] + question)
    }

    @Test("An answer with names that point back is read")
    func compressed() throws {
        let answers = query.answers(in: (header + question + answer()).span)
        #expect(answers == [DNSRecord(name: query.name, data: try location())])
    }

    @Test("An answer without the question, its name in other case, is read")
    func withoutQuestion() throws {
        var header = header
        header[5] = 0
        let shouted = name.map { (0x61...0x7a).contains($0) ? $0 - 0x20 : $0 }
        // The target's end lies elsewhere in this packet: after 12 bytes of header, at `local`.
        #expect(query.answers(in: (header + answer(to: shouted, flags: 0)).span).map(\.data) == [try location()])
    }

    @Test("What is no answer to the question says nothing")
    func foreign() {
        let whole = header + question + answer()
        func changed(_ place: Int, to byte: UInt8) -> [UInt8] {
            var packet = whole
            packet[place] = byte
            return packet
        }
        #expect(query.answers(in: changed(1, to: 0x35).span).isEmpty)  // another id
        #expect(query.answers(in: changed(2, to: 0).span).isEmpty)  // a question
        #expect(query.answers(in: changed(7, to: 0).span).isEmpty)  // no answer inside
        #expect(query.answers(in: (header + question + answer(life: 0)).span).isEmpty)  // a goodbye
        #expect(query.answers(in: (header + question + answer(to: [0xc0, 24])).span).isEmpty)  // another name
        #expect(query.answers(in: (header + question + answer(to: [0xc0, 41])).span).isEmpty)  // a pointer forwards
    }

    @Test("A packet that ends anywhere is read without harm and says nothing")
    func truncated() {
        let whole = header + question + answer()
        for length in 0..<whole.count { #expect(query.answers(in: Array(whole.prefix(length)).span).isEmpty) }
    }

    @Test("A packet with any bytes changed is read without harm", arguments: 1...300 as ClosedRange<UInt64>)
    func mutated(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var packet = header + question + answer()
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            let place = Int.random(in: 2..<packet.count, using: &generator)
            packet[place] = UInt8.random(in: 0...255, using: &generator)
        }
        let answers = query.answers(in: packet.span)
        #expect(answers.allSatisfy { $0.name == query.name && $0.type == .srv })
        #expect(answers.count <= 1)
    }
}
