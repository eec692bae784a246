import Foundation
import Testing

/// What the kernel says of a process's use of the processors, thread by thread (proc(5): schedstat), to the nanosecond: clock
/// ticks are samples, and a process that wakes with the clock is sampled wrong.
struct ProcessTime {
    private let nanoseconds: [String: [Int: Int]]

    /// The time that each thread has run so far.
    init(of process: Int32) throws {
        let folder = "/proc/\(process)/task"
        var nanoseconds: [String: [Int: Int]] = [:]
        for thread in try FileManager.default.contentsOfDirectory(atPath: folder) {
            // A thread may end while it is looked at.
            guard let id = Int(thread), let name = try? read("\(folder)/\(thread)/comm"),
                let time = try? read("\(folder)/\(thread)/schedstat").split(separator: " ").first.flatMap({ Int($0) })
            else { continue }
            nanoseconds[name, default: [:]][id] = time
        }
        try #require(!nanoseconds.isEmpty, "process \(process) has ended")
        self.nanoseconds = nanoseconds
    }

    /// How long the threads of this name, or all of them, have run since `earlier`.
    func since(_ earlier: ProcessTime, thread name: String? = nil) -> Duration {
        var sum = 0
        for (threadName, times) in nanoseconds where name == nil || threadName == name {
            for (id, time) in times { sum += time - (earlier.nanoseconds[threadName]?[id] ?? 0) }
        }
        return .nanoseconds(sum)
    }

    /// Whether there are threads of this name.
    func has(thread name: String) -> Bool { nanoseconds[name] != nil }
}

private func read(_ path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .newlines)
}
