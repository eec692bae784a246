internal import Synchronization

/// The thread of one event loop, as something to compare the calling thread with.
@_spi(Package) public final class LoopIdentity: Sendable {
    private let thread = Atomic<UInt>(0)

    /// Whether the caller runs on the loop's thread.
    @usableFromInline var isCurrent: Bool { thread.load(ordering: .relaxed) == SystemThread.current }

    /// Makes the calling thread the loop's.
    func adoptCurrentThread() { thread.store(SystemThread.current, ordering: .relaxed) }

    /// The loop's thread ends; the system may give its number to another one.
    func abandonThread() { thread.store(0, ordering: .relaxed) }
}

/// A value that only the thread of one event loop gets to: what a lock protects elsewhere, without the lock.
///
/// Public, for this package only: generic code of `package` access is not specialised in other modules.
///
/// It goes with its last reference, on whatever thread that is: nobody else can get to the value by then.
@_spi(Package) public final class LoopConfined<Value: ~Copyable>: @unchecked Sendable {  // safe because it traps
    @usableFromInline let identity: LoopIdentity
    /// `withValue` sees to it that accesses do not overlap, for less than the language's own check costs.
    @exclusivity(unchecked)
    @usableFromInline var value: Value
    @exclusivity(unchecked)
    @usableFromInline var isInUse = false

    /// Makes a value of `loop`'s, on any thread.
    @inlinable
    public convenience init(_ value: consuming sending Value, on loop: EventLoop) {
        self.init(value, identity: loop.identity)
    }

    @inlinable
    init(_ value: consuming sending Value, identity: LoopIdentity) {
        self.identity = identity
        unsafe self.value = value
    }

    /// Gives access to the value. To be called on the loop's thread, and not inside itself. What is taken out of the value stays
    /// on the loop's thread, unless it is `Sendable`.
    @inlinable
    public func withValue<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition(identity.isCurrent, "what is confined to an event loop was used on another thread")
        return try lend(body)
    }

    /// As `withValue`; nil on another thread.
    @inlinable
    public func withValueIfCurrent<Result>(_ body: (inout Value) -> Result) -> Result? {
        identity.isCurrent ? lend(body) : nil
    }

    @inlinable
    func lend<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition(unsafe !isInUse, "what is confined to an event loop was used inside its own use")
        unsafe isInUse = true
        defer { unsafe isInUse = false }
        return unsafe try body(&value)
    }
}
