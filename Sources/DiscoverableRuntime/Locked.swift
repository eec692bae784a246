internal import CSockets
public import Synchronization

/// A value behind a lock, for the few places where confinement to an executor is impossible: what a blocked executor's
/// waiters must still reach. Nothing that blocks, calls out or resumes a continuation may run inside `withLock`.
///
/// Public, for this package only: generic code of `package` access is not specialised in other modules, which costs a multiple.
@_spi(Package) public final class Locked<Value: ~Copyable>: Sendable {
    @usableFromInline let lock: LockedInPlace<Value>

    /// A value that is not locked now.
    @inlinable
    public init(_ value: consuming sending Value) {
        lock = LockedInPlace(value)
    }

    /// Inlinable, so that other modules get a copy that is specialised to their values.
    @inlinable
    public func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try lock.withLock(body)
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

    /// As `Locked.withLock`. Not inlined itself: its callers are many, and small.
    @inlinable
    @inline(never)
    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        // A mutex never moves, so that its address names it.
        let address = unsafe withUnsafePointer(to: mutex) { unsafe UnsafeRawPointer($0) }
        return try mutex.withLock { value throws(Failure) in
            unsafe SanitizerOrder.acquire(address)
            defer { unsafe SanitizerOrder.release(address) }
            return try body(&value)
        }
    }
}

/// What the thread sanitizer, in an app's process or in our tests, cannot see by itself: that `Mutex` orders what its holders do. The
/// standard library is not built with it.
@usableFromInline enum SanitizerOrder {
    @usableFromInline
    static func acquire(_ address: UnsafeRawPointer) { unsafe discoverable_sanitizer_acquire(address) }

    @usableFromInline
    static func release(_ address: UnsafeRawPointer) { unsafe discoverable_sanitizer_release(address) }
}
