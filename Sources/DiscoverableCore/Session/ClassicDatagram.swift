/// A datagram of the classic protocol, of which every part is text.
package enum ClassicDatagram: Hashable, Sendable {
    /// `dscv_discover:NAME`: a client asks to be admitted; nil where it gives no name.
    case discover(name: String?)
    /// `dscv_shake:TEXT`: a server admits. The text is its address or its name, and only for people.
    case shake(text: String?)
    /// `dscv_ack`: something has arrived. It does not say what.
    case acknowledgement
    /// `dscv_disconnect`: the sender ends the session, and a server of the reference implementation itself.
    case disconnect
    /// Anything else: an app's message. Empty ones are sent by nobody but must be expected.
    case payload(String)
}

/// The classic wire format: `<prefix>_<word>` with an optional argument behind a colon, else payload.
package struct ClassicCodec: Hashable, Sendable {
    /// What a reference server reads of a datagram; the rest of a longer one is lost.
    package static let maximumLength = 1024

    private let discoverWord: String
    private let shakeWord: String
    private let acknowledgementWord: String
    private let disconnectWord: String

    /// The format with the prefix `dscv`, or another one (`astv` for the predecessor's peers).
    package init(prefix: String) {
        discoverWord = prefix + "_discover"
        shakeWord = prefix + "_shake"
        acknowledgementWord = prefix + "_ack"
        disconnectWord = prefix + "_disconnect"
    }

    /// What the bytes mean; nil where they are not UTF-8. Only a whole first token is a word of the protocol: payload that
    /// merely contains one stays payload.
    package func parse(_ bytes: [UInt8]) -> ClassicDatagram? {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        if text == acknowledgementWord { return .acknowledgement }
        if text == disconnectWord { return .disconnect }
        // Everything after the first colon is the argument: names may contain colons.
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let argument = parts.count == 2 ? String(parts[1]) : nil
        if parts[0] == discoverWord { return .discover(name: argument) }
        if parts[0] == shakeWord { return .shake(text: argument) }
        return .payload(text)
    }

    /// The bytes that mean `datagram`.
    package func encode(_ datagram: ClassicDatagram) -> [UInt8] { Array(text(of: datagram).utf8) }

    /// How many bytes `encode` gives.
    package func encodedLength(of datagram: ClassicDatagram) -> Int { text(of: datagram).utf8.count }

    private func text(of datagram: ClassicDatagram) -> String {
        switch datagram {
        case .discover(let name): discoverWord + (name.map { ":" + $0 } ?? "")
        case .shake(let text): shakeWord + (text.map { ":" + $0 } ?? "")
        case .acknowledgement: acknowledgementWord
        case .disconnect: disconnectWord
        case .payload(let text): text
        }
    }
}

// MARK: - What may be sent

extension ClassicCodec {
    /// Why a text cannot be a message.
    package enum PayloadRefusal: Error, Hashable, Sendable {
        /// Peers disagree about empty messages: some acknowledge them, some do not.
        case empty
        /// More than 1,024 bytes, which a classic server would cut.
        case tooLong(bytes: Int)
        /// Contains a word of the protocol. Classic peers look for it anywhere in a text, and would end the session.
        case containsProtocolWord(String)
    }

    /// Checks a text that is to be sent as a message.
    package func checkPayload(_ text: String) throws(PayloadRefusal) {
        guard !text.isEmpty else { throw .empty }
        let length = text.utf8.count
        guard length <= Self.maximumLength else { throw .tooLong(bytes: length) }
        for word in [discoverWord, shakeWord, acknowledgementWord, disconnectWord] where text.containsBytes(of: word) {
            throw .containsProtocolWord(word)
        }
    }

    /// A discover that fits into a datagram: a longer name is cut between two characters.
    package func discover(name: String) -> ClassicDatagram {
        .discover(name: name.cut(toBytes: Self.maximumLength - discoverWord.utf8.count - 1))
    }

    /// What answers a discover: an acknowledgement, then the shake. Together never more than three times the shortest
    /// discover, since its sender's address may be forged: a text that is too long is left out.
    package func admission(text: String) -> [ClassicDatagram] {
        let room = 3 * discoverWord.utf8.count - acknowledgementWord.utf8.count
        let shake = ClassicDatagram.shake(text: text)
        return [.acknowledgement, encodedLength(of: shake) <= room ? shake : .shake(text: nil)]
    }
}

extension String {
    /// Compares bytes, as peers do: characters that combine with a word's last letter do not hide it.
    fileprivate func containsBytes(of word: String) -> Bool {
        let bytes = Array(utf8)
        let wanted = Array(word.utf8)
        guard bytes.count >= wanted.count else { return false }
        return (0...bytes.count - wanted.count).contains { bytes[$0..<$0 + wanted.count].elementsEqual(wanted) }
    }

    fileprivate func cut(toBytes limit: Int) -> String {
        var kept = self
        while kept.utf8.count > limit { kept.removeLast() }
        return kept
    }
}
