internal import Glibc

enum Output {
    /// A line on standard output, at once, also into a pipe.
    static func say(_ line: String) { write(line, to: STDOUT_FILENO) }

    /// A line on standard error.
    static func complain(_ line: String) { write(line, to: STDERR_FILENO) }

    /// For people who wait: a line that the next one replaces.
    static func showProgress(_ text: String) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        write("\r\u{1B}[K" + text, to: STDERR_FILENO, terminator: "")
    }

    private static func write(_ text: String, to descriptor: Int32, terminator: String = "\n") {
        var bytes = Array((text + terminator).utf8)[...]
        while !bytes.isEmpty {
            let written = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard written > 0 else { return }
            bytes = bytes.dropFirst(written)
        }
    }
}
