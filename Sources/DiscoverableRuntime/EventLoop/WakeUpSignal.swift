internal import CSockets
internal import DiscoverableCore
internal import Glibc

/// A descriptor that any thread can make readable (`eventfd`): what ends the loop's wait when there is other work.
final class WakeUpSignal: Sendable {
    private let descriptor: FileDescriptor

    init() throws(UnderlyingError) {
        let number = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        guard number >= 0 else { throw .lastSystemCall("eventfd") }
        descriptor = FileDescriptor(owning: number)
    }

    var rawDescriptor: Int32 { descriptor.rawValue }

    /// Makes the descriptor readable. A full counter (EAGAIN) is readable as well, so nothing can fail here.
    func raise() { _ = eventfd_write(rawDescriptor, 1) }

    /// Makes it unreadable again.
    func lower() {
        var count: eventfd_t = 0
        _ = unsafe eventfd_read(rawDescriptor, &count)
    }
}
