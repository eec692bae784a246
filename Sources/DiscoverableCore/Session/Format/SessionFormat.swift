/// A wire format: how statements are written, and what may be said. The machines know nothing else of it, so that another
/// format is another type that conforms.
///
/// What the machines take from a format's statements: an acknowledgement without a number settles the oldest message, one with
/// a number that message; a message's own number is repeated in its acknowledgement.
package protocol SessionFormat: Sendable {
    /// Reads a datagram, and appends what it says, in order.
    ///
    /// - Returns: whether it is a datagram of this format; if not, nothing is appended.
    func parse(_ datagram: Span<UInt8>, into statements: inout [SessionStatement]) -> Bool

    /// The datagram that says `statement`.
    func encode(_ statement: SessionStatement) -> [UInt8]

    /// How many bytes `encode` gives.
    func encodedLength(of statement: SessionStatement) -> Int

    /// Whether peers of this format read numbers. Where not, an acknowledgement settles whatever is the oldest.
    var numbersMessages: Bool { get }

    /// Checks a text that is to be sent as a message.
    func checkMessage(_ text: String) throws(MessageRefusal)

    /// A client's first word, and its question whether the server is still there. A name that is too long is cut.
    func discover(name: String) -> SessionStatement

    /// What answers a discover: together never more than three times as long as the shortest one, since its sender's
    /// address may be forged.
    func admission(text: String) -> [SessionStatement]
}

extension SessionFormat {
    /// What a whole datagram says, if it says one thing; nil where it is malformed.
    package func parse(_ datagram: [UInt8]) -> SessionStatement? {
        var statements: [SessionStatement] = []
        guard parse(datagram.span, into: &statements), statements.count == 1 else { return nil }
        return statements.first
    }
}
