/// What one consumer of a stream has not taken yet. A backlog of states keeps what is current, not what happened, so that
/// a consumer that sleeps costs bounded memory and finds the truth when it wakes.
public protocol Backlog<Element>: Sendable {
    /// What the consumer takes.
    associatedtype Element: Sendable
    /// Adds what has just happened; may merge with, replace or cancel what waits already.
    mutating func push(_ element: Element)
    /// Takes the next element; nil where nothing waits.
    mutating func pop() -> Element?
}

/// Keeps the newest value only: for a state, of which the last is all that matters.
public struct LatestValue<Element: Sendable>: Backlog {
    private var newest: Element?

    /// An empty backlog.
    public init() {}

    /// Replaces the value that waits.
    public mutating func push(_ element: Element) { newest = element }
    /// Takes the newest value.
    public mutating func pop() -> Element? { newest.take() }
}
