import Discoverable
import Foundation

/// The main screen of a remote control: finds the computer by itself, then sends it commands.
class RemoteViewController {
    let statusLabel = Label()
    let strengthLabel = Label()
    let connectButton = Button()
    /// For the screen around this one.
    var screenChanged: (() -> Void)?

    private var lastState: Discoverable.State = .disconnected

    init() {}

    func viewDidLoad() {
        Discoverable.shared.delegate = self
        statusLabel.text = "Not connected"
    }

    func viewWillAppear() {
        if Discoverable.shared.state == .disconnected {
            Discoverable.shared.discover(type: "_discoverable._udp", on: 1024)
        }
    }

    func connectTapped() {
        Discoverable.shared.discover(type: "_discoverable._udp", on: nil)
    }

    func upTapped() {
        Discoverable.shared.send(DiscoverableProtocol.up)
    }

    func downTapped() {
        Discoverable.shared.send(DiscoverableProtocol.down)
    }

    func sendTapped(_ text: String) {
        Discoverable.shared.send(text)
    }

    func greetTapped() {
        Discoverable.shared.send("hello")
    }

    func shutDownTapped() {
        Discoverable.shared.send(DiscoverableProtocol.disconnect.rawValue)
    }

    func refreshTapped() {
        Discoverable.shared.fetchConnectionStrength()
    }

    func disconnectTapped() {
        Discoverable.shared.close()
    }

    func applicationDidEnterBackground() {
        Discoverable.shared.close(false)
    }

    func cancelTapped() {
        Discoverable.shared.close(false, state: .failed(.connectOther))
    }
}

extension RemoteViewController: DiscoverableDelegate {
    func connectionState(state: Discoverable.State) {
        if state == lastState { return }
        lastState = state
        switch state {
        case .connected:
            statusLabel.text = "Connected"
            Discoverable.shared.fetchConnectionStrength()
        case .connecting:
            statusLabel.text = "Connecting…"
        case .disconnected:
            statusLabel.text = "Not connected"
        case .failed(let error):
            statusLabel.text = message(for: error)
        }
        connectButton.isEnabled = state != .connected && state != .connecting
        screenChanged?()
    }

    func connectionStrength(strength: Float) {
        strengthLabel.text = "\(Int(strength)) %"
        screenChanged?()
    }
}
