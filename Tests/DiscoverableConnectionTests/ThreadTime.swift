import DiscoverableRuntime
import Glibc

/// The processor time that a loop's thread has used.
func cpuTime(of loop: EventLoop) async -> Duration {
    await withCheckedContinuation { continuation in
        loop.execute {
            var time = timespec()
            _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            continuation.resume(returning: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec))
        }
    }
}
