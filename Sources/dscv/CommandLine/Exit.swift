internal import Discoverable

/// How a verb ends: a status and a line on stderr that says what to do.
enum Exit: Error {
    /// 1: what was asked for did not happen.
    case failed(String)
    /// 64: the command line is wrong (`EX_USAGE`).
    case usage(String)
    /// 69: there is no daemon, or it does not answer (`EX_UNAVAILABLE`).
    case unavailable(String)

    /// The exit status of the process.
    var status: Int32 {
        switch self {
        case .failed: 1
        case .usage: 64
        case .unavailable: 69
        }
    }

    var message: String {
        switch self {
        case .failed(let message), .usage(let message), .unavailable(let message): message
        }
    }

    /// An error of the library as an end of the tool.
    init(_ error: DiscoveryError) {
        switch error.code {
        case .daemonUnavailable, .daemonNotResponding: self = .unavailable(error.description)
        case .invalidName, .invalidTXTRecord, .invalidRecord, .invalidArgument: self = .usage(error.description)
        case .notFound, .tooManyObjects, .outOfResources, .nameCollision, .notPermitted, .notSupported, .cancelled,
            .daemonError:
            self = .failed(error.description)
        }
    }
}

extension Exit {
    /// An error of the library as an end of the tool.
    init(_ error: PeerServerError) {
        switch error {
        case .listening(let error): self = .failed(error.description)
        case .publishing(let error): self = Exit(error)
        }
    }
}

/// Runs `body` with the library's error turned into an end of the tool.
func orExit<Value>(_ body: () throws(DiscoveryError) -> Value) throws(Exit) -> Value {
    do { return try body() } catch { throw Exit(error) }
}

/// Runs `body` with the library's error turned into an end of the tool.
func orExit<Value>(_ body: () async throws(DiscoveryError) -> Value) async throws(Exit) -> Value {
    do { return try await body() } catch { throw Exit(error) }
}

/// Runs `body` with the library's error turned into an end of the tool.
func orExit<Value>(_ body: () async throws(SessionError) -> Value) async throws(Exit) -> Value {
    do { return try await body() } catch { throw .failed(error.description) }
}
