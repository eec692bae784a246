internal import Dispatch
internal import Glibc
internal import Synchronization

/// Turns SIGINT and SIGTERM into the cancellation of a task, so that what was published is withdrawn before the end.
final class Interruption: Sendable {
    private let number = Atomic<Int32>(0)

    /// The signal that came, if one did.
    var signal: Int32? {
        let number = number.load(ordering: .relaxed)
        return number == 0 ? nil : number
    }

    /// Runs `body` in a task that the first signal cancels. A second one ends the process at once, and so does SIGQUIT, whatever
    /// the process waits for: also for a terminal that takes nothing.
    func run(_ body: @escaping @Sendable () async -> Int32) async -> Int32 {
        let task = Task { await body() }
        // Of its own, so that it has a thread whatever blocks the others.
        let queue = DispatchQueue(label: "dscv.interruption")
        let sources = [SIGINT, SIGTERM, SIGQUIT].map { number in
            Glibc.signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { self.received(number) { task.cancel() } }
            source.activate()
            return source
        }
        let status = await task.value
        for source in sources { source.cancel() }
        return signal.map { 128 + $0 } ?? status
    }

    private func received(_ received: Int32, first: () -> Void) {
        let before = number.exchange(received, ordering: .relaxed)
        guard before == 0, received != SIGQUIT else {
            StatusLine.abandonPresent()
            // Not `exit`, which waits for whoever reads or writes a C stream.
            _exit(128 + received)
        }
        first()
    }
}
