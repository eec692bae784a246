internal import Foundation
internal import Glibc

/// A program that the demo runs on one of the testbed's hosts.
final class DemoProcess {
    private let process = Process()
    /// Its output, line by line. For one consumer.
    let lines: AsyncStream<String>
    private let (statuses, status) = AsyncStream.makeStream(of: Int32.self)

    /// Starts the testbed's control program: `on beta dscv publish …`, `daemon alpha restart`.
    init(_ words: [String], of testbed: Testbed) throws(Exit) {
        process.executableURL = URL(filePath: "/usr/bin/env")
        // Our own signals are ignored here, and a child would inherit that.
        process.arguments = ["--default-signal=INT,TERM", testbed.control] + words
        process.standardInput = FileHandle.nullDevice
        let pipe = Pipe()
        process.standardOutput = pipe
        lines = Self.lines(of: pipe.fileHandleForReading)
        process.terminationHandler = { [status] process in
            status.yield(process.terminationStatus)
            status.finish()
        }
        do {
            try withNoSignalBlocked { try process.run() }
        } catch {
            throw .failed("the testbed's control program \(testbed.control) does not start: \(error)")
        }
    }

    deinit { end() }

    /// Asks the program to end (SIGTERM).
    func end() {
        if process.isRunning { process.terminate() }
    }

    /// Waits until the program has ended by itself.
    func succeeded() async -> Bool {
        for await status in statuses { return status == 0 }
        return false
    }

    private static func lines(of handle: FileHandle) -> AsyncStream<String> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                var rest = Data()
                while let data = bytes(from: handle.fileDescriptor) {
                    rest.append(data)
                    while let end = rest.firstIndex(of: 0x0a) {
                        continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
                        rest = Data(rest[(end + 1)...])
                    }
                }
                continuation.finish()
            }
        }
    }
}

/// What a pipe has; waits until there is something. Nil at its end. `FileHandle.availableData` ends the whole program where a signal
/// interrupts it.
private func bytes(from descriptor: Int32) -> Data? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
        let count = unsafe read(descriptor, &buffer, buffer.count)
        if count > 0 { return Data(buffer[..<count]) }
        if count == 0 || errno != EINTR { return nil }
    }
}

/// Swift's threads block most signals; a child that is started on one would inherit that and never hear SIGTERM.
private func withNoSignalBlocked(_ body: () throws -> Void) rethrows {
    var none = sigset_t()
    var before = sigset_t()
    unsafe sigemptyset(&none)
    unsafe pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    try body()
}
