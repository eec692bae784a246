/// A message that one end of a session has sent, numbered within that session from 1 on.
public struct MessageID: Hashable, Comparable, Sendable {
    /// Its number.
    public let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The earlier message comes first.
    public static func < (left: MessageID, right: MessageID) -> Bool { left.rawValue < right.rawValue }
}
