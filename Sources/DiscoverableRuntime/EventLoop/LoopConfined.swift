/// State that only an event loop's thread touches, in an object that others may refer to: the confinement is checked at every
/// access, and costs no lock.
package final class LoopConfined<Value: ~Copyable>: @unchecked Sendable {  // safe because each access is checked to be on one thread
    @usableFromInline let loop: EventLoop
    @usableFromInline var value: Value

    package init(_ value: consuming sending Value, on loop: EventLoop) {
        self.value = value
        self.loop = loop
    }

    /// Lends the state. Nothing that may come back here (a callback of an app's) runs inside.
    @inlinable
    package func withValue<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        loop.checkIsolated()
        return try body(&value)
    }
}
