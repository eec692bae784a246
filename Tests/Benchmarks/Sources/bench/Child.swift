internal import CInstruments
internal import Glibc

/// A process that was started here. It ends at the latest with this value.
struct Child: ~Copyable {
    private let process: pid_t
    private let output: Int32
    private let name: String
    private var unread: [UInt8] = []
    private var isReaped = false

    /// Starts a program that is looked for in PATH.
    init(_ arguments: [String], isSilent: Bool = false) throws(ProbeError) {
        name = arguments.dropFirst().joined(separator: " ")
        var output: Int32 = -1
        var vector = unsafe arguments.map { unsafe strdup($0) } + [nil]
        process = unsafe instruments_spawn(&vector, isSilent, &output)
        unsafe vector.forEach { unsafe free($0) }
        self.output = output
        guard process > 0 else {
            isReaped = true
            throw .failed("could not start '\(arguments[0])': error \(-process)")
        }
    }

    deinit {
        if output >= 0 { close(output) }
        guard !isReaped else { return }
        kill(process, SIGKILL)
        _ = waitpid(process, nil, 0)
    }

    /// The next line that it says.
    mutating func line(within patience: Duration) throws(ProbeError) -> String {
        let deadline = ContinuousClock.now + patience
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread.removeFirst(end + 1) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            guard try readMore(until: deadline) else { throw .failed("'\(name)' ended without a result") }
        }
    }

    /// Waits until it ends by itself; whether it then reports success.
    mutating func succeeds(within patience: Duration) throws(ProbeError) -> Bool {
        let deadline = ContinuousClock.now + patience
        while try readMore(until: deadline) { unread = [] }
        var status: Int32 = -1
        isReaped = unsafe waitpid(process, &status, 0) == process
        return status == 0
    }

    /// false at the end of its output.
    private mutating func readMore(until deadline: ContinuousClock.Instant) throws(ProbeError) -> Bool {
        let left = max(.zero, ContinuousClock.now.duration(to: deadline))
        var request = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        let ready = unsafe poll(&request, 1, Int32(clamping: left.components.seconds * 1000 + 1))
        if instruments_were_interrupted() { throw .interrupted }
        guard ready != 0 else { throw .failed("'\(name)' said nothing in time") }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(output, $0.baseAddress, $0.count) }
        if count > 0 { unread += buffer[..<count] }
        return count > 0
    }
}
