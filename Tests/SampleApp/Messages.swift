import Discoverable
import Foundation

/// The app's own messages.
extension DiscoverableProtocol {
    static let up = "up"
    static let down = "down"

    static func scroll(by lines: Int) -> String {
        return "scroll:\(lines)"
    }

    static let all: [DiscoverableProtocol] = [.disconnect, .discover, .handshake, .acknowledge]
}

/// What a word of the protocol means, for the log.
func meaning(of word: String) -> String {
    guard let command = DiscoverableProtocol(rawValue: word) else { return "message" }
    switch command {
    case .disconnect: return "goodbye"
    case .discover: return "greeting"
    case .handshake: return "welcome"
    case .acknowledge: return "got it"
    }
}

/// What the user is told.
func message(for error: DiscoverableError) -> String {
    switch error {
    case .connectOther: return "Something went wrong."
    case .connectAddressUnavailable: return "The address is not available."
    case .connectPermissionDenied: return "The app is not allowed to use the network."
    case .connectDeviceBusy: return "The device is busy."
    case .connectCanceled: return "The connection was cancelled."
    case .connectRefused: return "The computer refused the connection."
    case .connectHostDown: return "The computer is not reachable."
    case .connectAlreadyConnected: return "The app is connected already."
    case .connectTimeout: return "The connection timed out."
    case .connectNetworkDown: return "The network is down."
    case .connectShakeNoResponse: return "The computer does not answer."
    case .discoverTimeout: return "No computer was found."
    case .discoverResolveServiceNotFound: return "The computer has gone."
    case .discoverResolveBusy: return "The search is busy."
    case .discoverIncorrectConfiguration: return "The search is set up wrongly."
    case .discoverResolveCanceled: return "The search was cancelled."
    case .discoverResolveTimeout: return "The computer did not tell its address."
    case .discoverResolveFailed: return "The computer's address could not be found."
    case .discoverResolveUnknown: return "The search failed."
    }
}

/// Errors as errors.
func rethrow(_ state: Discoverable.State) throws {
    if case .failed(let error) = state {
        throw error
    }
}

func isTimeout(_ error: Error) -> Bool {
    guard let error = error as? DiscoverableError else { return false }
    return error == .connectTimeout || error == .discoverTimeout || error == .connectShakeNoResponse
}
