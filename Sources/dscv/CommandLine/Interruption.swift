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

    /// Runs `body` in a task that the first signal cancels; a second one ends the process at once.
    func run(_ body: @escaping @Sendable () async -> Int32) async -> Int32 {
        let task = Task { await body() }
        let sources = [SIGINT, SIGTERM].map { number in
            Glibc.signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
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
        if before != 0 {
            StatusLine.endPresent()
            exit(128 + received)
        }
        first()
    }
}
