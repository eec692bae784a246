/// The words of the classic protocol, as peers exchange them. An app sends other texts; it may name its own in an extension.
public enum DiscoverableProtocol: String, CaseIterable, Sendable {
    /// The sender ends the session; a classic server shuts down when it is told.
    case disconnect = "dscv_disconnect"
    /// A client greets a server; its device name follows a colon.
    case discover = "dscv_discover"
    /// A server's answer to the greeting.
    case handshake = "dscv_shake"
    /// Something has arrived.
    case acknowledge = "dscv_ack"
}
