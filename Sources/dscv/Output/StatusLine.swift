internal import Dispatch
internal import Glibc
internal import Synchronization

/// One line at the foot of the terminal that tells how things stand. All else scrolls above it, so that it disturbs neither
/// what is printed nor what the user types.
final class StatusLine: Sendable {
    /// Whose the terminal's foot is.
    private enum Owner {
        case tool
        /// The shell's, while we are stopped by Ctrl-Z; it becomes the tool's again.
        case shell
        /// Given back for good.
        case nobody
    }

    private struct Drawing {
        var text = ""
        /// The size for which the foot is set apart; nil while it is not.
        var size: Terminal.Size?
        /// Whether the foot shows the text.
        var isShown = false
        var owner = Owner.tool
        var sources: [any DispatchSourceSignal] = []
    }

    private let drawing = Mutex(Drawing())
    /// The terminal's rows while the foot is set apart, else 0, and less at the very end: for an end that cannot wait for whoever
    /// draws.
    private let rowsSetApart = Atomic(0)

    /// The one that is there, for an end that no verb gets to see.
    private static let present = Mutex<StatusLine?>(nil)

    /// nil where lines go to a program, or to a terminal that cannot do it.
    static func make(for output: Output) -> StatusLine? {
        guard !output.asJSON, Terminal.hasControl else { return nil }
        let line = StatusLine()
        present.withLock { $0 = line }
        return line
    }

    private init() {
        // The terminal's own answer to Ctrl-Z would leave the foot to the shell.
        Glibc.signal(SIGTSTP, SIG_IGN)
        drawing.withLock { drawing in
            let queue = DispatchQueue(label: "dscv.terminal")
            let handlers: [(Int32, (StatusLine) -> Void)] = [
                (SIGWINCH, { $0.resize() }), (SIGTSTP, { $0.suspend() }), (SIGCONT, { $0.resume() }),
            ]
            drawing.sources = handlers.map { number, handle in
                let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
                source.setEventHandler { [weak self] in self.map(handle) }
                source.activate()
                return source
            }
        }
    }

    /// Shows a text instead of the one before, cut to the terminal's width.
    func show(_ text: String) {
        drawing.withLock { drawing in
            guard drawing.text != text || !drawing.isShown else { return }
            drawing.text = text
            draw(&drawing)
        }
    }

    /// Gives the foot back to the terminal. Nothing is shown from now on.
    func end() {
        drawing.withLock { drawing in
            clear(&drawing)
            drawing.owner = .nobody
            for source in drawing.sources { source.cancel() }
        }
        Glibc.signal(SIGTSTP, SIG_DFL)
    }

    /// Gives the foot back when the process ends at once, where the terminal takes it: without waiting for the lock, since who
    /// draws may hang in a terminal that was stopped by Ctrl-S.
    static func abandonPresent() {
        guard let line = present.withLock({ $0 }) else { return }
        let rows = line.rowsSetApart.exchange(-1, ordering: .acquiringAndReleasing)
        if rows > 0 { Terminal.writeIfTaken(giveBack(rows: rows)) }
    }

    private func resize() {
        drawing.withLock { drawing in
            clear(&drawing)
            draw(&drawing)
        }
    }

    private func suspend() {
        drawing.withLock { drawing in
            guard drawing.owner == .tool else { return }
            clear(&drawing)
            drawing.owner = .shell
        }
        // It may still run for a moment, since this thread is not the one that takes the signal.
        kill(getpid(), SIGSTOP)
    }

    private func resume() {
        drawing.withLock { drawing in
            guard drawing.owner == .shell else { return }
            drawing.owner = .tool
            draw(&drawing)
        }
    }
}

// MARK: - Control sequences (ECMA-48, and DEC's 7 and 8 for keeping the cursor's place)

private let escape = "\u{1b}"

extension StatusLine {
    /// Each drawing is one write, so that no other line comes in between.
    private func draw(_ drawing: inout Drawing) {
        let size = Terminal.size
        drawing.isShown = false
        // A job in the background leaves it to the shell, or to whoever is in the foreground.
        guard drawing.owner == .tool, size.rows >= 3, Terminal.isForeground else { return }
        guard rowsSetApart.load(ordering: .acquiring) >= 0 else { return }
        var sequence = ""
        if drawing.size != size {
            // The line feed makes room where the cursor stands in the last row.
            sequence += "\n\(escape)7\(escape)[1;\(size.rows - 1)r\(escape)8\(escape)[1A"
            drawing.size = size
            rowsSetApart.store(size.rows, ordering: .releasing)
        }
        // Without wrapping, not even a character that is wider than we think reaches the next line.
        sequence += "\(escape)7\(escape)[\(size.rows);1H\(escape)[2K\(escape)[?7l"
        sequence += clip(drawing.text, toColumns: size.columns - 1)
        sequence += "\(escape)[?7h\(escape)8"
        writeAll(sequence, to: STDOUT_FILENO)
        drawing.isShown = true
    }

    private func clear(_ drawing: inout Drawing) {
        guard let size = drawing.size else { return }
        writeAll(Self.giveBack(rows: size.rows), to: STDOUT_FILENO)
        drawing.size = nil
        drawing.isShown = false
        rowsSetApart.store(0, ordering: .releasing)
    }

    private static func giveBack(rows: Int) -> String {
        "\(escape)7\(escape)[r\(escape)[\(rows);1H\(escape)[2K\(escape)8"
    }
}
