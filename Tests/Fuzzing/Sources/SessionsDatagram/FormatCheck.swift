internal import DiscoverableCore
internal import FuzzSupport

/// The classic format beside what its documentation says, byte by byte.
struct FormatCheck {
    private let format: ClassicFormat
    private let refusesWords: Bool
    private let discover: [UInt8]
    private let shake: [UInt8]
    private let acknowledgement: [UInt8]
    private let disconnect: [UInt8]

    init(prefix: String, refusesWords: Bool) {
        self.refusesWords = refusesWords
        format = ClassicFormat(prefix: prefix, refusesProtocolWords: refusesWords)
        discover = Array("\(prefix)_discover".utf8)
        shake = Array("\(prefix)_shake".utf8)
        acknowledgement = Array("\(prefix)_ack".utf8)
        disconnect = Array("\(prefix)_disconnect".utf8)
    }

    /// Nothing but text is parsed; what is parsed means what the format says, and becomes the same bytes again.
    func checkParsing(_ bytes: [UInt8]) {
        let isText = FuzzInput.text(bytes).utf8.elementsEqual(bytes)
        var statements: [SessionStatement] = []
        let isParsed = format.parse(bytes.span, into: &statements)
        claim(isParsed == isText && statements.count == (isText ? 1 : 0), "UTF-8 is \(isText), parsed as \(statements)")
        guard let statement = statements.first else { return }
        claim(isSame(statement, meaning(of: bytes)), "parsed as \(statement), not as \(meaning(of: bytes))")
        claim(format.encode(statement) == bytes, "\(statement) is encoded otherwise than it came")
        claim(format.encodedLength(of: statement) == bytes.count, "the length of \(statement)")
    }

    /// What may be sent is what the plain rules allow, and arrives as a message.
    func checkMessage(_ text: String) {
        let bytes = Array(text.utf8)
        let contained = [discover, shake, acknowledgement, disconnect].filter { bytes.contains(allOf: $0) }
        do throws(MessageRefusal) {
            try format.checkMessage(text)
            claim((1...ClassicFormat.maximumLength).contains(bytes.count), "\(bytes.count) bytes were accepted")
            claim(!refusesWords || contained.isEmpty, "a word of the protocol was accepted in \(text)")
            claim(arrives(.message(nil, text)), "the message \(text) arrives as something else")
        } catch {
            switch error {
            case .empty: claim(bytes.isEmpty, "\(text) was refused as empty")
            case .tooLong(let count):
                claim(count == bytes.count && count > ClassicFormat.maximumLength, "refused for \(count) bytes")
            case .containsProtocolWord(let word):
                claim(contained.contains(Array(word.utf8)), "\(text) was refused for \(word)")
                claim(refusesWords || !arrives(.message(nil, text)), "\(text) was refused, and would have arrived")
            }
        }
    }

    /// Any name can be told: as much of it as there is room for arrives, and no answer is an amplifier.
    func checkName(_ text: String) {
        let statement = format.discover(name: text)
        let bytes = format.encode(statement)
        claim(bytes.count <= ClassicFormat.maximumLength, "a discover of \(bytes.count) bytes")
        claim(arrives(statement), "\(statement) arrives as something else")
        claim((discover + [0x3a] + Array(text.utf8)).starts(with: bytes), "\(statement) holds another name")
        let answers = format.admission(text: text)
        let length = answers.reduce(0) { $0 + format.encodedLength(of: $1) }
        claim(length <= 3 * discover.count, "\(length) bytes answer a discover")
        claim(answers.allSatisfy(arrives), "\(answers) arrive as something else")
    }

    private func arrives(_ statement: SessionStatement) -> Bool {
        format.parse(format.encode(statement)).map { isSame($0, statement) } ?? false
    }

    private func meaning(of bytes: [UInt8]) -> SessionStatement {
        if bytes == acknowledgement { return .acknowledgement(nil) }
        if bytes == disconnect { return .disconnect }
        let colon = bytes.firstIndex(of: 0x3a)
        let word = bytes[..<(colon ?? bytes.count)]
        let argument = colon.map { FuzzInput.text(bytes[($0 + 1)...]) }
        if word.elementsEqual(discover) { return .discover(name: argument) }
        if word.elementsEqual(shake) { return .shake(text: argument) }
        return .message(nil, FuzzInput.text(bytes))
    }

    /// Compares texts by their bytes, which is less than what `==` takes for equal.
    private func isSame(_ left: SessionStatement, _ right: SessionStatement) -> Bool {
        left == right && format.encode(left) == format.encode(right)
    }
}

extension [UInt8] {
    fileprivate func contains(allOf wanted: [UInt8]) -> Bool {
        indices.contains { self[$0] == wanted[0] && self[$0...].starts(with: wanted) }
    }
}
