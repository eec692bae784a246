public import Synchronization

/// A value behind a lock, for the few places where confinement to an executor is impossible: what a blocked executor's
/// waiters must still reach. Nothing that blocks, calls out or resumes a continuation may run inside `withLock`.
///
/// Public, for this package only: generic code of `package` access is not specialised in other modules, which costs a multiple.
@_spi(Package) public final class Locked<Value: ~Copyable>: Sendable {
    @usableFromInline let mutex: Mutex<Value>

    /// A value that is not locked now.
    @inlinable
    public init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    /// Never inlined, so that one line in the thread sanitizer's suppressions covers it: the sanitizer does not know the
    /// futex protocol of `Mutex` and reports races that are none. Inlinable all the same, so that other modules get a copy
    /// that is specialised to their values.
    @inlinable
    @inline(never)
    public func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock(body)
    }
}

/// As `Locked`, standing in the object that has it: no allocation of its own, and nothing that the runtime looks up when it goes. For
/// what exists once a socket; a value that closures share is a `Locked`.
@_spi(Package) public struct LockedInPlace<Value: ~Copyable>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Value>

    /// A value that is not locked now.
    @inlinable
    public init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    /// As `Locked.withLock`.
    @inlinable
    @inline(never)
    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock(body)
    }
}
