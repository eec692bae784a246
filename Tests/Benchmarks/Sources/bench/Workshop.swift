internal import Glibc

/// Makes programs ready to start: finds ourselves, and builds the peers in a folder that goes with it.
final class Workshop {
    private let folder: String?

    /// The peers' source code stands beside ours.
    private static let sources =
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
        .joined(separator: "/") + "/Peers"

    /// How long a compiler may take, on a cold and slow machine.
    private static let patience: Duration = .seconds(120)

    init() {
        let base = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/discoverable-bench-XXXXXX".utf8CString)
        folder = unsafe mkdtemp(&template).map { unsafe String(cString: $0) }
    }

    deinit {
        guard let folder else { return }
        for peer in Peer.allCases { _ = unsafe unlink(peer.product(in: folder)) }
        _ = unsafe rmdir(folder)
    }

    /// The rows that can run here. Those of a peer that is not installed are left out, with one line.
    func prepare(_ rows: [Row]) throws(Interrupted) -> [Row] {
        var ready: [Row] = []
        var isBuilt: [Peer: Bool] = [:]
        for row in rows {
            guard let peer = row.peer else {
                ready.append(row)
                continue
            }
            if isBuilt[peer] == nil { isBuilt[peer] = try build(peer) }
            if isBuilt[peer] == true { ready.append(row) }
        }
        return ready
    }

    private func build(_ peer: Peer) throws(Interrupted) -> Bool {
        guard let folder else { return false }
        do {
            var child = try Child(peer.buildArguments(sources: Self.sources, folder: folder), isSilent: true)
            if try child.succeeds(within: Self.patience) { return true }
        } catch .interrupted {
            throw Interrupted()
        } catch {
            // Whether the compiler is missing or the library is: the same packages bring both.
        }
        Output.complain("bench: \(peer.title) is left out; to measure it too: apt-get install \(peer.package)")
        return false
    }

    func arguments(of program: Program) -> [String] {
        switch program {
        case .worker(let arguments): ["/proc/self/exe", Program.workerArgument] + arguments
        case .peer(let peer, let arguments):
            peer.runArguments(sources: Self.sources, folder: folder ?? "") + arguments
        }
    }
}

extension Row {
    /// The peer that the row measures.
    fileprivate var peer: Peer? {
        switch ours.probe.first {
        case .peer(let peer, _): peer
        case .worker: nil
        }
    }
}
