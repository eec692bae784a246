/// What the two ends of a session say to each other, however it is written.
package enum SessionStatement: Hashable, Sendable {
    /// A client asks to be admitted, or whether the server is still there; nil where it gives no name.
    case discover(name: String?)
    /// A server admits. The text is its address or its name, and only for people.
    case shake(text: String?)
    /// Something has arrived: the message of this number, or nil in a format that does not say what.
    case acknowledgement(MessageID?)
    /// The sender ends the session.
    case disconnect
    /// An app's message; its number is nil in a format that has none.
    case message(MessageID?, String)
}

/// Why a text cannot be a message.
package enum MessageRefusal: Error, Hashable, Sendable {
    /// Peers disagree about empty messages: some acknowledge them, some do not.
    case empty
    /// More bytes than fit into a datagram of the format.
    case tooLong(bytes: Int)
    /// Contains a word of the protocol. Peers that look for it anywhere in a text would end the session.
    case containsProtocolWord(String)
}
