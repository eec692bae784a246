internal import CInstruments
internal import DiscoverableConnection
internal import Glibc

/// Says the milliseconds that opening, binding and closing that many sockets takes, and how many descriptors it left behind.
@MainActor
func openAndClose(sockets count: Int?) async throws {
    let count = try required(count)
    // The loop is there before the descriptors are counted, and so are three of libdispatch's, which takes its time.
    _ = try await milliseconds(toOpenAndClose: 1)
    pause(milliseconds: 200)
    let before = try openDescriptors()
    let milliseconds = try await milliseconds(toOpenAndClose: count)
    Output.say("\(milliseconds) \(try openDescriptors() - before)")
}

@MainActor
private func milliseconds(toOpenAndClose count: Int) async throws -> Double {
    let work = Task { @EventLoopActor in
        let start = instruments_now_nanoseconds()
        for _ in 0..<count { await (try UDPSocket.bound()).close() }
        return Double(instruments_now_nanoseconds() - start) / 1e6
    }
    return try await work.value
}

private func openDescriptors() throws -> Int {
    guard let directory = unsafe opendir("/proc/self/fd") else { throw WorkerError(description: "no /proc/self/fd") }
    defer { unsafe closedir(directory) }
    var count = 0
    while unsafe readdir(directory) != nil { count += 1 }
    return count
}
