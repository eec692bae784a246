import Foundation
import Testing

/// What the kernel says of a process's use of the processors.
enum ProcessTime {
    /// The clock ticks that it has used so far, in user space and in the kernel (proc(5): utime and stime).
    static func ticks(of process: Int32) throws -> Int {
        let stat = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        // The second field is the command's name in parentheses, which may hold anything.
        let end = try #require(stat.lastIndex(of: ")"))
        let fields = stat[stat.index(after: end)...].split(separator: " ")
        let times = try [11, 12].map { try #require(Int(fields[$0])) }
        return times[0] + times[1]
    }
}
