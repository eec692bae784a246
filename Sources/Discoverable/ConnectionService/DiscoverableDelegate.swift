public import DiscoverableConnection

/// Who is told what becomes of a connection.
///
/// All of it is called on the service's `delegateQueue` (the main queue, unless the app sets another one), one call after the
/// other and never one inside another, and only of what the service does now: nothing of a connection that the app has closed
/// or replaced.
public protocol DiscoverableDelegate {
    /// The connection is in another state than before.
    /// - Parameter state: The new one. Never the same twice in a row.
    func connectionState(state: Discoverable.State)

    /// A message of ours has an outcome, or the app has asked.
    /// - Parameter strength: How many of the last five messages were acknowledged, 0…100 percent; 0 while there was none.
    func connectionStrength(strength: Float)

    /// The peer has sent a message. Does nothing by default.
    /// - Parameter message: Its text; never one of the protocol's own words.
    func connectionReceived(message: String)

    /// A message of ours was not sent, or it is not known to have arrived. Does nothing by default.
    /// - Parameters:
    ///   - message: The text that was to be sent.
    ///   - error: Why: `notConnected`, `closed` and `connectFailed` where there is no connection (any more), `notAcknowledged`
    ///     where it left and may have arrived, `tooManyOutstanding` where too many wait, else what is wrong with the text.
    func connectionFailed(toSend message: String, error: SessionError)
}

extension DiscoverableDelegate {
    /// Does nothing: for apps that receive no messages.
    public func connectionReceived(message: String) {}

    /// Does nothing: for apps to which the strength is enough.
    public func connectionFailed(toSend message: String, error: SessionError) {}
}
