internal import Discoverable

/// `dscv connect [NAME | HOST:PORT]`: sends the lines of standard input, prints what comes, and closes at the input's end.
struct ConnectVerb {
    private let target: SessionTarget
    private let deviceName: String?
    private let output: Output

    init(_ words: [String]) throws(Exit) {
        let arguments = try Arguments(words, options: SessionTarget.options)
        target = try SessionTarget(arguments, verb: "connect")
        deviceName = arguments.value("name")
        output = Output(arguments)
    }

    func run() async throws(Exit) {
        var configuration = SessionConfiguration()
        configuration.deviceName = deviceName
        let status = StatusLine.make(for: output)
        defer { status?.end() }
        guard let (session, report) = try await target.connect(configuration, output, status) else { return }
        try await talk(session, report)
    }

    /// The lines go out one after the other, each when the one before has its outcome. Their end, or an interruption, closes
    /// the session, and that ends the printing.
    private func talk(_ session: Session, _ report: SessionReport) async throws(Exit) {
        let printing = Task { await report.follow(session) }
        let sending = Task {
            await sendLines(to: session)
            await session.close()
        }
        let end = await withTaskCancellationHandler {
            await printing.value
        } onCancel: {
            sending.cancel()
        }
        sending.cancel()
        guard let end, end != .closed(.closedLocally), end != .closed(.closedByPeer) else { return }
        throw .failed("the session with \(report.peer) broke; see the lines above")
    }

    private func sendLines(to session: Session) async {
        for await line in InputLines() {
            do throws(SessionError) {
                try await session.send(line)
            } catch {
                switch error.code {
                // The report has told it.
                case .notAcknowledged: continue
                case .closed, .notConnected, .cancelled: return
                case .connectFailed, .invalidConfiguration, .emptyMessage, .messageTooLong,
                    .messageContainsProtocolWord, .tooManyOutstanding,
                    .socket:
                    output.note(error.description)
                }
            }
        }
    }
}
