internal import CSockets
internal import Glibc

/// The one owner of an open descriptor: closes it when it goes.
///
/// Closing is the last thing that may happen to a number, since the kernel hands it out again at once: whoever watches the
/// descriptor (an `EpollSet`, a DispatchSource) must have let go of it before.
package struct FileDescriptor: ~Copyable, Sendable {
    /// The descriptor's number; valid as long as this value lives.
    package let rawValue: Int32

    /// Takes over a descriptor that nobody else will close.
    package init(owning rawValue: Int32) {
        precondition(rawValue >= 0, "a failed call's result is not a descriptor")
        self.rawValue = rawValue
    }

    /// Linux frees the number even where close reports an error, so there is nothing to repeat.
    deinit { _ = close(rawValue) }
}
