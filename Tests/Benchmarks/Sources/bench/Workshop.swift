internal import Glibc

/// Makes programs ready to start: finds ourselves, and builds the peers and the references that are programs of their own in
/// a folder that goes with it.
final class Workshop {
    private let folder: String?

    /// The peers' source code stands beside ours.
    private static let sources = package + "/Peers"

    private static let package =
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")

    /// How long a compiler may take, on a cold and slow machine.
    private static let patience: Duration = .seconds(600)

    init() {
        let base = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/discoverable-bench-XXXXXX".utf8CString)
        folder = unsafe mkdtemp(&template).map { unsafe String(cString: $0) }
    }

    deinit {
        guard let folder else { return }
        for peer in Peer.allCases { _ = unsafe unlink(peer.product(in: folder)) }
        _ = unsafe unlink(AvahiReference.product(in: folder))
        _ = unsafe rmdir(folder)
    }

    /// The rows that can run here. Those of a peer that is not installed are left out, with one line.
    func prepare(_ rows: [Row]) throws(Interrupted) -> [Row] {
        var ready: [Row] = []
        var isBuilt: [Recipe: Bool] = [:]
        for row in rows {
            let recipes = recipes(of: row)
            for recipe in recipes where isBuilt[recipe] == nil { isBuilt[recipe] = try build(recipe) }
            if recipes.allSatisfy({ isBuilt[$0] == true }) { ready.append(row) }
        }
        return ready
    }

    /// How something is built that a row needs.
    private struct Recipe: Hashable {
        let title: String
        let arguments: [String]
        /// What brings all that is needed.
        let packages: String
    }

    private func recipes(of row: Row) -> [Recipe] {
        let folder = folder ?? ""
        if row.scene != .bare {
            let references = Self.package + "/AvahiReferences"
            return [
                Recipe(
                    title: "discovery",
                    arguments: AvahiReference.buildArguments(sources: references, folder: folder),
                    packages: AvahiReference.packages
                ),
                Recipe(
                    title: "discovery",
                    arguments: DiscoveryProgram.buildArguments(package: Self.package),
                    packages: AvahiReference.packages
                ),
            ]
        }
        guard let peer = row.peer else { return [] }
        let arguments = peer.buildArguments(sources: Self.sources, folder: folder)
        return [Recipe(title: peer.title, arguments: arguments, packages: peer.package)]
    }

    private func build(_ recipe: Recipe) throws(Interrupted) -> Bool {
        guard folder != nil else { return false }
        do {
            var child = try Child(recipe.arguments, isSilent: true)
            if try child.succeeds(within: Self.patience) { return true }
        } catch .interrupted {
            throw Interrupted()
        } catch {
            // Whether the compiler is missing or the library is: the same packages bring both.
        }
        Output.complain("bench: \(recipe.title) is left out; to measure it too: apt-get install \(recipe.packages)")
        return false
    }

    func arguments(of program: Program) -> [String] {
        switch program {
        case .worker(let arguments): ["/proc/self/exe", Program.workerArgument] + arguments
        case .discoveryWorker(let arguments): [DiscoveryProgram.product] + arguments
        case .reference(let arguments): [AvahiReference.product(in: folder ?? "")] + arguments
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
        case .worker, .discoveryWorker, .reference: nil
        }
    }
}
