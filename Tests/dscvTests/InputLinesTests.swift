import Foundation
import Glibc
import Testing

@testable import dscv

@Suite("Lines of standard input", .timeLimit(.minutes(1)))
struct InputLinesTests {
    /// The reading end of a pipe that holds these bytes; its end follows.
    private func pipe(_ bytes: some Collection<UInt8>) throws -> FileHandle {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data(bytes))
        try pipe.fileHandleForWriting.close()
        return pipe.fileHandleForReading
    }

    private func lines(_ bytes: some Collection<UInt8>) throws -> [String] {
        let handle = try pipe(bytes)
        var reader = LineReader(handle.fileDescriptor)
        var lines: [String] = []
        while let line = reader.next() { lines.append(line) }
        return lines
    }

    @Test(
        "Lines come without their ends; the last one needs none",
        arguments: [
            ("", []), ("\n", [""]), ("a", ["a"]), ("a\n", ["a"]), ("a\n\nb", ["a", "", "b"]),
            ("ä 🧀\r\n\rx\r\n", ["ä 🧀", "\rx"]),
        ]
    )
    func ends(input: String, expected: [String]) throws {
        #expect(try lines(input.utf8) == expected)
    }

    @Test("A line may lie across the pieces that are read", arguments: [4095, 4096, 4097, 20_000])
    func pieces(length: Int) throws {
        let line = String(repeating: "x", count: length)
        #expect(try lines("\(line)\n\(line)\nend".utf8) == [line, line, "end"])
    }

    @Test("Of a line that is far too long the beginning is kept, and the next line is whole")
    func tooLong() async throws {
        let pipe = Pipe()
        let handle = pipe.fileHandleForWriting
        // More than the pipe holds.
        Thread.detachNewThread {
            try? handle.write(contentsOf: Data(repeating: 0x78, count: 300_000) + Data("\nnext\n".utf8))
            try? handle.close()
        }
        var reader = LineReader(pipe.fileHandleForReading.fileDescriptor)
        #expect(reader.next()?.utf8.count == LineReader.maximumLineLength)
        #expect(reader.next() == "next")
        #expect(reader.next() == nil)
    }

    @Test("No more is read than was asked for, apart from what one read brings")
    func onDemand() async throws {
        let count = 10_000
        let text = (1...count).map { "\($0)\n" }.joined()
        let handle = try pipe(text.utf8)
        var lines = InputLines(descriptor: handle.fileDescriptor).makeAsyncIterator()
        for number in 1...5_000 { #expect(await lines.next() == "\(number)") }
        var left: Int32 = 0
        #expect(unsafe ioctl(handle.fileDescriptor, UInt(FIONREAD), &left) == 0)
        let taken = (1...5_000).reduce(0) { $0 + "\($1)\n".utf8.count }
        #expect(Int(left) == text.utf8.count - (taken + 4095) / 4096 * 4096)
        for number in 5_001...count { #expect(await lines.next() == "\(number)") }
        #expect(await lines.next() == nil)
    }

    @Test("Who waits for a line that nobody types is let go when the task is cancelled")
    func cancelled() async throws {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForReading.fileDescriptor
        let (asked, asking) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            var count = 0
            asking.yield()
            for await _ in InputLines(descriptor: descriptor) { count += 1 }
            return count
        }
        for await _ in asked { break }
        task.cancel()
        #expect(await task.value == 0)
        try pipe.fileHandleForWriting.close()
    }
}
