internal import CInstruments
internal import Glibc
internal import Synchronization

/// How many datagrams have arrived: counted by one thread at a time, watched from outside the loop.
final class Progress: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .relaxed) }

    /// No atomic addition, whose locked instruction the references do not need either: there is one writer.
    func add(_ more: Int) {
        count.store(count.load(ordering: .relaxed) &+ more, ordering: .relaxed)
    }

    /// Counts a second within the measured time. Blocks the caller's thread.
    func rate(under load: Load, whenSilent refill: () -> Void = {}) -> Double {
        wait(load.warmUpMilliseconds, whenSilent: refill)
        let (firstCount, firstTime) = (value, instruments_now_nanoseconds())
        wait(load.measuredMilliseconds, whenSilent: refill)
        return Double(value - firstCount) * 1e9 / Double(instruments_now_nanoseconds() - firstTime)
    }

    private func wait(_ milliseconds: Int, whenSilent refill: () -> Void) {
        var left = milliseconds
        while left > 0 {
            let step = min(left, silenceMilliseconds)
            let seen = value
            pause(milliseconds: step)
            if step == silenceMilliseconds, value == seen { refill() }
            left -= step
        }
    }
}

/// As the references have it.
private let silenceMilliseconds = 50

/// Blocks the thread, and allocates nothing.
func pause(milliseconds: Int) { usleep(UInt32(clamping: milliseconds * 1000)) }
