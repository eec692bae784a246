import Discoverable

/// The model of a screen, in Swift 6: everything on the main actor, also what the service tells.
@MainActor
final class RemoteModel {
    private(set) var state: Discoverable.State = .disconnected
    private(set) var strength: Float = 0
    var changed: (@MainActor () -> Void)?

    private let service: Discoverable

    init(service: Discoverable = .shared) {
        self.service = service
        service.delegate = self
    }

    func search() { service.discover(type: "_discoverable._udp", on: nil) }
    func connect(to host: String, on port: UInt16) { service.connect(to: host, on: port) }
    func send(_ text: String) { service.send(text) }
    func stop() { service.close() }

    /// The service may be handed to whoever needs it.
    nonisolated static func stopLater(_ service: Discoverable) {
        Task { service.close(false) }
    }
}

extension RemoteModel: @MainActor DiscoverableDelegate {
    func connectionState(state: Discoverable.State) {
        self.state = state
        changed?()
    }

    func connectionStrength(strength: Float) {
        self.strength = strength
        changed?()
    }
}

/// The same for a class that has to be known to be on the main thread by itself.
@MainActor
final class StrengthMeter {
    private(set) var lines: [String] = []

    init() {}

    func attach(to service: Discoverable) { service.delegate = self }
}

extension StrengthMeter: DiscoverableDelegate {
    nonisolated func connectionState(state: Discoverable.State) {
        MainActor.assumeIsolated { lines.append("\(state)") }
    }

    nonisolated func connectionStrength(strength: Float) {
        MainActor.assumeIsolated { lines.append("\(Int(strength)) %") }
    }
}

/// Replaces the service that all screens share.
@MainActor
func replaceSharedService() -> Discoverable {
    let before = Discoverable.shared
    Discoverable.shared = Discoverable()
    return before
}
