import DiscoverableCore
import Dispatch
import Glibc
import Testing

@testable import DiscoverableRuntime

@Suite("Watching interfaces come and go", .timeLimit(.minutes(1)))
struct LinkWatchTests {
    @Test(
        "An interface that comes, is renamed or goes is told; after the watch's end nothing is",
        .enabled("needs root and iproute2") { await PrivateHost.isAllowed.value }
    )
    func changes() async throws {
        let told = try await PrivateHost.run([]) {
            let loop = try EventLoop(name: "links")
            let news = DispatchSemaphore(value: 0)
            var watch: LinkWatch? = try LinkWatch(on: loop) { news.signal() }
            var told: [Bool] = []
            for command in ["add w0 type veth peer name v0", "set w0 name w1", "set w1 up", "del w1"] {
                try #require(unsafe system("ip link \(command)") == 0)
                told.append(news.wait(timeout: .now() + 5) == .success)
                // One change may be several messages.
                while news.wait(timeout: .now() + .milliseconds(20)) == .success {}
            }
            withExtendedLifetime(watch) {}
            watch = nil
            try #require(unsafe system("ip link add w2 type veth peer name v2") == 0)
            told.append(news.wait(timeout: .now() + .milliseconds(50)) == .success)
            return told
        }
        #expect(told == [true, true, true, true, false])
    }
}
