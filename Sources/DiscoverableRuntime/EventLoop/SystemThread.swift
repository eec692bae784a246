internal import CSockets
internal import DiscoverableCore
internal import Glibc

/// A thread of the system's, for what must not run on Swift's cooperative pool because it waits.
package enum SystemThread {
    /// Carries the body over the C boundary.
    private final class Start: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// The calling thread, as a number that no other living thread has.
    package static var current: UInt { UInt(pthread_self()) }

    /// Starts a detached thread that runs `body` and ends. The thread takes no signals: those belong to the app's threads.
    static func start(name: String, body: @escaping @Sendable () -> Void) throws(UnderlyingError) {
        let context = unsafe Unmanaged.passRetained(Start(name: name, body: body)).toOpaque()
        let result = withSignalsBlocked {
            var thread = pthread_t()
            let result = unsafe pthread_create(&thread, nil, SystemThread.run, context)
            if result == 0 { pthread_detach(thread) }
            return result
        }
        guard result == 0 else {
            unsafe Unmanaged<Start>.fromOpaque(context).release()
            throw .system(result, call: "pthread_create")
        }
    }

    private static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        guard let context = unsafe context else { return nil }
        let start = unsafe Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
        _ = unsafe discoverable_set_thread_name(pthread_self(), String(start.name.prefix(15)))
        start.body()
        return nil
    }

    /// A new thread inherits the mask of the one that starts it.
    private static func withSignalsBlocked(_ body: () -> Int32) -> Int32 {
        var all = sigset_t()
        var before = sigset_t()
        _ = unsafe sigfillset(&all)
        _ = unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { _ = unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        return body()
    }
}
