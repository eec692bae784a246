import Glibc

/// What a process holds, as the kernel counts it.
struct ProcessState {
    /// Open descriptors.
    let descriptors: Int
    /// Resident memory, in bytes.
    let memory: Int
    let threads: Int

    static var current: ProcessState {
        ProcessState(descriptors: entries("/proc/self/fd"), memory: statm[1], threads: entries("/proc/self/task"))
    }

    /// Whether a sanitizer watches, which maps terabytes and keeps freed memory: then the memory says nothing.
    static var isSanitized: Bool { statm[0] > 1 << 40 }

    /// What the loopback interface has dropped before any socket saw it.
    static var loopbackDrops: Int {
        let line = read("/proc/net/dev").split(separator: "\n").first { $0.contains("lo:") } ?? ""
        let fields = line.split(separator: " ")
        return fields.count > 4 ? Int(fields[4]) ?? 0 : 0
    }

    private static var statm: [Int] {
        read("/proc/self/statm").split(separator: " ").prefix(2).map { (Int($0) ?? 0) * Int(getpagesize()) }
    }

    private static func entries(_ path: String) -> Int {
        guard let directory = unsafe opendir(path) else { return 0 }
        defer { unsafe closedir(directory) }
        var count = 0
        while unsafe readdir(directory) != nil { count += 1 }
        return count
    }

    private static func read(_ path: String) -> String {
        let file = unsafe open(path, O_RDONLY)
        guard file >= 0 else { return "" }
        defer { close(file) }
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 16_384) { buffer, count in
            unsafe count = max(0, Glibc.read(file, buffer.baseAddress, buffer.count))
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
