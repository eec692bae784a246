import Discoverable
import Foundation

/// Connects to a server whose address the user has typed, by a service of its own and the names that the README uses.
class ConnectionManager: ConnectionServiceDelegate {
    private(set) var states: [ConnectionService.State] = []
    private(set) var strength: Float = 0
    var stateChanged: ((ConnectionService.State) -> Void)?

    private let service: ConnectionService

    init() {
        service = ConnectionService()
        service.delegate = self
    }

    init(service: ConnectionService) {
        self.service = service
        self.service.delegate = self
    }

    var isConnected: Bool {
        return service.state == .connected
    }

    func connect(to address: String, on port: UInt16) {
        service.connect(to: address, on: port)
    }

    func connectToDefaultServer() {
        service.connect(to: "192.0.2.1", on: 1024)
    }

    func search() {
        service.discover(type: "_discoverable._udp", on: nil)
    }

    func greet(as name: String) {
        service.send("hello from " + name)
    }

    func leave() {
        service.close(false)
    }

    func stop() {
        service.close(true, state: .disconnected)
    }

    func fail() {
        service.close(false, state: .failed(.connectTimeout))
    }

    func connectionState(state: ConnectionService.State) {
        // The screen is updated on the main thread.
        DispatchQueue.main.async {
            self.states.append(state)
            self.stateChanged?(state)
        }
    }

    func connectionStrength(strength: Float) {
        DispatchQueue.main.async {
            self.strength = max(0, min(100, strength))
        }
    }
}

/// Who looks on while another screen talks.
class StatusBar {
    private(set) var text = ""
    var delegate: DiscoverableDelegate?

    init() {}

    func take(over service: Discoverable) {
        delegate = service.delegate
        service.delegate = self
    }

    func giveBack(_ service: Discoverable) {
        service.delegate = delegate
        delegate = nil
    }
}

extension StatusBar: DiscoverableDelegate {
    func connectionState(state: Discoverable.State) {
        text = state == .connected ? "●" : "○"
        delegate?.connectionState(state: state)
    }

    func connectionStrength(strength: Float) {
        delegate?.connectionStrength(strength: strength)
    }
}
