internal import Foundation
internal import Glibc

/// What there is to know of the terminal on standard output.
enum Terminal {
    /// Columns and rows of a terminal.
    struct Size: Equatable {
        var columns = 80
        var rows = 24
    }

    /// Whether standard output is a terminal that understands more than plain text.
    static var hasControl: Bool {
        let kind = ProcessInfo.processInfo.environment["TERM"] ?? "dumb"
        return isatty(STDOUT_FILENO) == 1 && kind != "dumb" && kind != ""
    }

    /// Whether we are the job that has the terminal on standard output, and not one in the background.
    static var isForeground: Bool { tcgetpgrp(STDOUT_FILENO) == getpgrp() }

    /// Writes to the terminal that we run on, unless it takes nothing for a fifth of a second. Through an opening of its own:
    /// that standard output does not block would hold for the shell too.
    static func writeIfTaken(_ text: String) {
        let terminal = unsafe open("/dev/tty", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard terminal >= 0 else { return }
        var wanted = pollfd(fd: terminal, events: Int16(POLLOUT), revents: 0)
        if unsafe poll(&wanted, 1, 200) == 1 { writeAll(text, to: terminal) }
        close(terminal)
    }

    /// The present size: the kernel's, else that of COLUMNS and LINES, else that of a terminal that says nothing.
    static var size: Size {
        var window = winsize()
        let known = unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0
        func side(_ kernel: UInt16, _ name: String, _ fallback: Int) -> Int {
            if known, kernel > 0 { return Int(kernel) }
            let value = ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
            return value.flatMap { (1...10_000).contains($0) ? $0 : nil } ?? fallback
        }
        return Size(
            columns: side(window.ws_col, "COLUMNS", Size().columns),
            rows: side(window.ws_row, "LINES", Size().rows)
        )
    }
}

/// The beginning of a text that fits into so many columns; the characters of East Asia and emoji take two.
func clip(_ text: String, toColumns columns: Int) -> String {
    var left = columns
    return String(
        text.prefix { character in
            left -= width(of: character)
            return left >= 0
        }
    )
}

private func width(of character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    if character.unicodeScalars.contains(where: \.properties.isEmojiPresentation) { return 2 }
    // A selector asks for the picture where a character has both forms.
    if character.unicodeScalars.contains("\u{fe0f}") { return 2 }
    return wide.contains { $0.contains(first.value) } ? 2 : 1
}

/// The blocks of UAX #11 that are wide throughout, or nearly so: too few columns used is no harm.
private let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xa960...0xa97c, 0xac00...0xd7a3, 0xf900...0xfaff,
    0xfe30...0xfe6f, 0xff00...0xff60, 0xffe0...0xffe6, 0x1f300...0x1f64f, 0x1f900...0x1f9ff, 0x20000...0x3fffd,
]
