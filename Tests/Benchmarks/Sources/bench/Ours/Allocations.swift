internal import CInstruments
internal import DiscoverableConnection
internal import Glibc

/// An echo server that says how often the process went to the heap, for each datagram that it answered.
@MainActor
func countAllocations(_ load: Load?) async throws {
    let load = try required(load)
    let socket = try await UDPSocket.announced()
    let echo = Echo(socket: socket, isConnected: false)
    await echo.start(.bytes)
    let allocations = try echo.progress.allocations(under: load)
    await socket.close()
    Output.say(String(allocations))
}

extension Progress {
    /// Allocations of the process for each datagram within the measured time. Blocks the caller's thread.
    func allocations(under load: Load) throws -> Double {
        while value == 0 { pause(milliseconds: 1) }
        pause(milliseconds: load.warmUpMilliseconds)
        instruments_count_allocations()
        guard countsSwift(), countsLibc() else { throw WorkerError(description: "the heap's calls are not seen") }
        let before = (instruments_allocations(), value)
        pause(milliseconds: load.measuredMilliseconds)
        let after = (instruments_allocations(), value)
        guard after.1 > before.1 else { throw WorkerError(description: "no datagram came") }
        return Double(after.0 - before.0) / Double(after.1 - before.1)
    }
}

/// Whether what Swift's runtime allocates is counted.
private func countsSwift() -> Bool {
    let before = instruments_allocations()
    let bytes = [UInt8](repeating: 1, count: 100 + CommandLine.arguments.count)
    let sum = unsafe bytes.withUnsafeBytes { unsafe $0.reduce(0) { $0 + Int($1) } }
    return sum > 0 && instruments_allocations() > before
}

/// Whether what libc itself allocates is counted.
private func countsLibc() -> Bool {
    let before = instruments_allocations()
    let path = unsafe realpath("/", nil)
    unsafe free(path)
    return instruments_allocations() > before
}
