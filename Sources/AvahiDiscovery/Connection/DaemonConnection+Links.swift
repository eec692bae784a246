internal import DiscoverableCore
internal import DiscoverableRuntime

/// Interfaces that are asked for by their names: which ones they are is looked at again whenever the kernel says that an
/// interface came, went or changed.
extension DaemonConnection {
    /// Begins to listen to the kernel, where nobody did before.
    func watchLinks() throws(UnderlyingError) {
        if linkWatch != nil { return }
        linkWatch = try LinkWatch(on: loop) { [weak self] in
            self?.assumeIsolated { connection in
                connection.rebindBrowses()
                connection.moveToNewInterfaces()
                connection.finishTurn()
            }
        }
    }

    /// Ends that where nothing is for an interface by its name any more.
    func stopWatchingLinks() {
        let needsLinks = browses.needLinks || publications.values.contains { !$0.advertisement.interfaceNames.isEmpty }
        if !needsLinks { linkWatch = nil }
    }
}
