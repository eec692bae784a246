/// The classic wire format, of which every part is text: `<prefix>_<word>` with an optional argument behind a colon; anything
/// else is a message. One datagram says one thing, and nothing has a number.
package struct ClassicFormat: SessionFormat, Hashable {
    /// What a reference server reads of a datagram; the rest of a longer one is lost.
    package static let maximumLength = 1024

    private let discoverWord: String
    private let shakeWord: String
    private let acknowledgementWord: String
    private let disconnectWord: String
    private let refusesProtocolWords: Bool

    /// The format with the prefix `dscv`, or another one (`astv` for the predecessor's peers).
    ///
    /// - Parameter refusesProtocolWords: whether a message must not contain a word of the protocol.
    package init(prefix: String, refusesProtocolWords: Bool = true) {
        discoverWord = prefix + "_discover"
        shakeWord = prefix + "_shake"
        acknowledgementWord = prefix + "_ack"
        disconnectWord = prefix + "_disconnect"
        self.refusesProtocolWords = refusesProtocolWords
    }

    package var numbersMessages: Bool { false }

    /// Only UTF-8 means something, and only a whole first token is a word of the protocol: a message that merely contains
    /// one stays a message.
    package func parse(_ datagram: Span<UInt8>, into statements: inout [SessionStatement]) -> Bool {
        guard let characters = try? UTF8Span(validating: datagram) else { return false }
        statements.append(statement(of: String(copying: characters)))
        return true
    }

    private func statement(of text: String) -> SessionStatement {
        if text.hasBytes(of: acknowledgementWord) { return .acknowledgement(nil) }
        if text.hasBytes(of: disconnectWord) { return .disconnect }
        // Everything after the first colon is the argument: names may contain colons.
        let colon = text.utf8.firstIndex(of: UInt8(ascii: ":"))
        let word = text[..<(colon ?? text.endIndex)]
        let argument = colon.map { String(text[text.utf8.index(after: $0)...]) }
        if word.hasBytes(of: discoverWord) { return .discover(name: argument) }
        if word.hasBytes(of: shakeWord) { return .shake(text: argument) }
        return .message(nil, text)
    }

    package func encode(_ statement: SessionStatement) -> [UInt8] { Array(text(of: statement).utf8) }

    package func encodedLength(of statement: SessionStatement) -> Int { text(of: statement).utf8.count }

    private func text(of statement: SessionStatement) -> String {
        switch statement {
        case .discover(let name): discoverWord + (name.map { ":" + $0 } ?? "")
        case .shake(let text): shakeWord + (text.map { ":" + $0 } ?? "")
        case .acknowledgement: acknowledgementWord
        case .disconnect: disconnectWord
        case .message(_, let text): text
        }
    }
}

// MARK: - What may be sent

extension ClassicFormat {
    package func checkMessage(_ text: String) throws(MessageRefusal) {
        guard !text.isEmpty else { throw .empty }
        let length = text.utf8.count
        guard length <= Self.maximumLength else { throw .tooLong(bytes: length) }
        // Whatever an app insists on, its message must not be read as something else by our own rules.
        if case .message = statement(of: text) {} else { throw .containsProtocolWord(firstWord(in: text) ?? text) }
        if refusesProtocolWords, let word = firstWord(in: text) { throw .containsProtocolWord(word) }
    }

    private func firstWord(in text: String) -> String? {
        [discoverWord, shakeWord, acknowledgementWord, disconnectWord].first { text.containsBytes(of: $0) }
    }

    /// Without a name nothing stands behind the word: some old servers take only that.
    package func discover(name: String) -> SessionStatement {
        guard !name.isEmpty else { return .discover(name: nil) }
        return .discover(name: name.cut(toBytes: max(0, Self.maximumLength - discoverWord.utf8.count - 1)))
    }

    /// An acknowledgement, then the shake; a text that is too long is left out.
    package func admission(text: String) -> [SessionStatement] {
        let room = 3 * discoverWord.utf8.count - acknowledgementWord.utf8.count
        let shake = SessionStatement.shake(text: text)
        return [.acknowledgement(nil), encodedLength(of: shake) <= room ? shake : .shake(text: nil)]
    }
}

extension StringProtocol {
    /// Compares bytes, as peers do: equal characters may be written in several ways.
    fileprivate func hasBytes(of other: String) -> Bool { utf8.elementsEqual(other.utf8) }

    /// Looks for bytes, as peers do: characters that combine with a word's last letter do not hide it.
    fileprivate func containsBytes(of word: String) -> Bool {
        let bytes = Array(utf8)
        let wanted = Array(word.utf8)
        guard bytes.count >= wanted.count else { return false }
        return (0...bytes.count - wanted.count).contains { bytes[$0..<$0 + wanted.count].elementsEqual(wanted) }
    }
}

extension String {
    fileprivate func cut(toBytes limit: Int) -> String {
        var kept = self
        while kept.utf8.count > limit { kept.removeLast() }
        return kept
    }
}
