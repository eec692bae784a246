internal import CInstruments
internal import DiscoverableConnection
internal import Glibc

/// Says the milliseconds that opening, binding and closing that many sockets takes, and how many descriptors it left behind.
@MainActor
func openAndClose(sockets count: Int?) async throws {
    let count = try required(count)
    // The loop and what belongs to it are there before the descriptors are counted.
    let first = try await UDPSocket.bound()
    await first.close()
    let before = try openDescriptors()
    let work = Task(executorPreference: first.taskExecutor) {
        let start = instruments_now_nanoseconds()
        for _ in 0..<count { await (try UDPSocket.bound()).close() }
        return Double(instruments_now_nanoseconds() - start) / 1e6
    }
    let milliseconds = try await work.value
    Output.say("\(milliseconds) \(try openDescriptors() - before)")
}

private func openDescriptors() throws -> Int {
    guard let directory = unsafe opendir("/proc/self/fd") else { throw WorkerError(description: "no /proc/self/fd") }
    defer { unsafe closedir(directory) }
    var count = 0
    while unsafe readdir(directory) != nil { count += 1 }
    return count
}
