internal import Discoverable

extension Output {
    /// Where the lines of a verb go. With `--verbose` what the library does with the daemon is told on stderr from now on.
    init(_ arguments: Arguments) {
        self.init(asJSON: arguments.has("json"))
        guard arguments.has("verbose") else { return }
        Discovery.shared.setDiagnostics(
            DiscoveryDiagnostics(minimumLevel: .debug) { [self] in note($0.description) }
        )
    }
}
