internal import Dispatch
internal import Foundation
internal import Glibc

/// The lines of standard input, without their ends, until the end of the input. For one consumer, once.
///
/// A line is read when it is asked for, so that a file of any size takes no memory. On a thread of its own: a read from a
/// terminal blocks until the user has typed. Cancelling ends the waiting; a line that is typed afterwards is lost.
struct InputLines: AsyncSequence {
    typealias Failure = Never

    /// Where the input comes from, which is read from the first line that is asked for on.
    var descriptor = STDIN_FILENO

    func makeAsyncIterator() -> Iterator { Iterator(descriptor) }

    struct Iterator: AsyncIteratorProtocol {
        private let demand = DispatchSemaphore(value: 0)
        private var lines: AsyncStream<String>.Iterator

        fileprivate init(_ descriptor: Int32) {
            let demand = demand
            // No more than the one line that was asked for is ever in it.
            let (stream, continuation) = AsyncStream.makeStream(of: String.self)
            lines = stream.makeAsyncIterator()
            Thread.detachNewThread {
                var reader = LineReader(descriptor)
                while true {
                    demand.wait()
                    guard let line = reader.next() else { return continuation.finish() }
                    continuation.yield(line)
                }
            }
        }

        mutating func next(isolation actor: isolated (any Actor)?) async -> String? {
            demand.signal()
            return await lines.next(isolation: actor)
        }

        mutating func next() async -> String? {
            await next(isolation: #isolation)
        }
    }
}

/// Lines of a file, a pipe or a terminal, of which no more is kept than a line may be long.
struct LineReader {
    /// The bytes of a line that are kept; far more than fit into a message.
    static let maximumLineLength = 65_536

    private let descriptor: Int32
    private var chunk: ArraySlice<UInt8> = []

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// The next line, without its end (`\n` or `\r\n`) and without what is too much; nil at the end of the input.
    mutating func next() -> String? {
        var line: [UInt8] = []
        while fill() {
            let part = chunk.prefix { $0 != newline }
            line += part.prefix(Self.maximumLineLength - line.count)
            chunk = chunk.dropFirst(part.count)
            if chunk.popFirst() != nil { return text(of: line) }
        }
        return line.isEmpty ? nil : text(of: line)
    }

    private func text(of line: [UInt8]) -> String {
        String(decoding: line.last == carriageReturn ? line.dropLast() : line[...], as: UTF8.self)
    }

    /// Reads on where nothing is left; false at the end of the input, or where it cannot be read.
    private mutating func fill() -> Bool {
        guard chunk.isEmpty else { return true }
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                chunk = bytes[..<count]
                return true
            }
            guard count < 0, isTemporary(errno) else { return false }
        }
    }

    /// Whether to read again: where somebody else has made the input one that does not block, once there is something.
    private func isTemporary(_ code: Int32) -> Bool {
        guard code != EINTR else { return true }
        guard code == EAGAIN else { return false }
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&wanted, 1, -1) >= 0 || errno == EINTR
    }
}

private let newline = UInt8(ascii: "\n")
private let carriageReturn = UInt8(ascii: "\r")
