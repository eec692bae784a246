import DiscoverableCore
@_spi(Package) import DiscoverableRuntime
import Foundation
import Glibc

/// A process that a test has started, with its output line by line. It is ended when the value goes.
final class ChildProcess: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// All that a process wrote, and how it ended.
    struct Finished {
        let status: Int32
        let output: String
        let errors: String
    }

    /// What the process finds on its standard input.
    enum Input {
        /// Its end.
        case nothing
        /// These lines, then its end.
        case lines([String])
        /// What `write` puts there, until `endInput`.
        case open
    }

    private let process: Locked<Process>
    private let command: String
    private let input: FileHandle
    private let output = Follower<String>()
    private let errors = Follower<String>()
    private let ended = Latch<Int32>()
    let pid: Int32

    init(_ command: [String], input: Input = .nothing) throws {
        self.command = command.joined(separator: " ")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        let pipe = Pipe()
        process.standardInput = pipe
        self.input = pipe.fileHandleForWriting
        process.standardOutput = Self.reading(into: output)
        process.standardError = Self.reading(into: errors)
        process.terminationHandler = { [ended] in ended.close($0.terminationStatus) }
        try withNoSignalBlocked { try process.run() }
        pid = process.processIdentifier
        self.process = Locked(process)
        switch input {
        case .nothing: endInput()
        case .lines(let lines):
            for line in lines { write(line) }
            endInput()
        case .open: break
        }
    }

    deinit { end() }

    /// Asks the process to end (SIGTERM); nothing happens where it has ended already.
    func end() {
        process.withLock { if $0.isRunning { $0.terminate() } }
    }

    /// Sends a signal, such as SIGINT; nothing happens where the process has ended already.
    func send(_ signal: Int32) {
        process.withLock { if $0.isRunning { kill($0.processIdentifier, signal) } }
    }

    /// Types a line. A process that no longer reads is not told.
    func write(_ line: String) {
        try? input.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Ends what the process reads.
    func endInput() {
        try? input.close()
    }

    /// The first line from here on that fits; lines before it are passed over.
    func line(within limit: Duration, where fits: @escaping @Sendable (String) -> Bool) async throws -> String {
        try await first(of: output, within: limit, where: fits)
    }

    /// The same for what it writes to stderr.
    func errorLine(within limit: Duration, where fits: @escaping @Sendable (String) -> Bool) async throws -> String {
        try await first(of: errors, within: limit, where: fits)
    }

    /// The lines that come within `limit` and were not taken yet: for promises that nothing comes.
    func rest(within limit: Duration) async -> [String] { await output.rest(within: limit) }

    private func first(
        of lines: Follower<String>,
        within limit: Duration,
        where fits: @escaping @Sendable (String) -> Bool
    ) async throws -> String {
        do {
            return try await lines.first(within: limit, where: fits)
        } catch {
            throw Failure(description: "\(command): \(error); it said \(output.all) and \(errors.all)")
        }
    }

    /// Waits for the process's own end.
    func waitForEnd(within limit: Duration = .seconds(60)) async throws -> Int32 {
        do {
            return try await ended.value(within: limit)
        } catch .timedOut {
            let said = "it said \(output.all) and \(errors.all)"
            throw Failure(description: "\(command) has not ended within \(limit); \(said)")
        } catch {
            throw error
        }
    }

    /// Waits for the process's own end, and for all that it wrote.
    func finished(within limit: Duration = .seconds(60)) async throws -> Finished {
        let status = try await waitForEnd(within: limit)
        await output.ended()
        await errors.ended()
        return Finished(
            status: status,
            output: lines.joined(separator: "\n"),
            errors: errorLines.joined(separator: "\n")
        )
    }

    /// What the process has written so far.
    var lines: [String] { output.all }
    var errorLines: [String] { errors.all }

    /// Runs a command to its end.
    static func run(_ command: [String], within limit: Duration) async throws -> Finished {
        let child = try ChildProcess(command)
        let timer = EventLoop.shared.schedule(after: limit) { child.end() }
        defer { timer.cancel() }
        return try await child.finished(within: limit + .seconds(10))
    }

    /// Reads on a thread: a dispatch source for each pipe would bring libdispatch's own faults into the tests, which lose or
    /// crash on sources that are torn down at the same time.
    private static func reading(into follower: Follower<String>) -> Pipe {
        let pipe = Pipe()
        let handle = pipe.fileHandleForReading
        Thread.detachNewThread {
            var rest = Data()
            while let data = bytes(from: handle.fileDescriptor) {
                rest.append(data)
                while let end = rest.firstIndex(of: 0x0a) {
                    follower.put(String(decoding: rest[..<end], as: UTF8.self))
                    rest = Data(rest[(end + 1)...])
                }
            }
            if !rest.isEmpty { follower.put(String(decoding: rest, as: UTF8.self)) }
            follower.end()
        }
        return pipe
    }
}

/// What a pipe has; waits until there is something. Nil at its end. `FileHandle.availableData` ends the whole program where a signal
/// interrupts it.
private func bytes(from descriptor: Int32) -> Data? {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = unsafe read(descriptor, &buffer, buffer.count)
        if count > 0 { return Data(buffer[..<count]) }
        if count == 0 || errno != EINTR { return nil }
    }
}

/// Dispatch's threads, and so Swift's, block most signals; a child that is started on one would inherit that and never hear
/// SIGTERM.
private func withNoSignalBlocked(_ body: () throws -> Void) rethrows {
    var none = sigset_t()
    var before = sigset_t()
    unsafe sigemptyset(&none)
    unsafe pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    try body()
}
