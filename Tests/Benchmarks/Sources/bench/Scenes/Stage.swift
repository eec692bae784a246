internal import Glibc

/// A scene while it stands. What plays in it ends with this value.
struct Stage: ~Copyable {
    private let scene: Scene
    private let control: String?
    /// What runs beside the workers: the publisher on the other host, or the scripted daemon.
    private var player: Child?

    /// How long it may take until the other host's services are all seen: each is claimed and announced first.
    private static let patience: Duration = .seconds(240)

    /// Sets the scene.
    /// - Throws: where there is no testbed, or it refuses.
    init(_ scene: Scene, workshop: Workshop) throws(ProbeError) {
        self.scene = scene
        control = unsafe getenv("TESTBED").map { unsafe String(cString: $0) }
        guard scene != .bare else { return }
        Output.showProgress("preparing ...")
        for words in scene.preparations { try tell(words) }
        if scene == .scriptedDaemon {
            player = try started(workshop.arguments(of: .reference(["daemon"])))
        } else if !scene.services.isEmpty {
            let publisher = workshop.arguments(of: .reference(["serve"] + scene.services.flatMap(\.words)))
            player = try started([try testbed(), "on", "beta"] + publisher)
        }
        for set in scene.services {
            let words = ["await"] + set.words + [String(scene.paths)]
            _ = try started(workshop.arguments(of: .reference(words)))
        }
        Output.showProgress("")
    }

    /// Puts back what the scene has changed of the hosts.
    consuming func end() throws(ProbeError) {
        player = nil
        for words in scene.restorations { try tell(words) }
    }

    private func tell(_ words: [String]) throws(ProbeError) {
        var child = try Child([try testbed()] + words)
        guard try child.succeeds(within: Self.patience) else {
            throw .failed("the testbed refuses: \(words.joined(separator: " "))")
        }
    }

    private func testbed() throws(ProbeError) -> String {
        guard let control else { throw .failed("this needs hosts: Tests/testbed swift run ...") }
        return control
    }

    /// A program that has said that it is ready.
    private func started(_ arguments: [String]) throws(ProbeError) -> Child {
        var child = try Child(arguments)
        _ = try child.line(within: Self.patience)
        return child
    }
}
