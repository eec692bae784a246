internal import Discoverable
internal import Foundation

/// The lines of standard input, read on a thread of their own: a read from a terminal blocks until the user has typed.
enum InputLines {
    /// The lines, without their ends, until the end of the input. For one consumer.
    static func read() -> AsyncStream<String> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        }
    }
}
