import Discoverable
import Foundation
import Testing

/// The dscv server that was written from the description of the reference server alone, on the peer's host.
struct ReferenceServer {
    /// A line of what it tells.
    struct Line: Decodable, Sendable {
        let event: String
        let text: String?
        let port: UInt16?
        let reason: String?
        let dropped: Bool?
    }

    let process: ChildProcess
    let address: SocketAddress

    /// Starts it, on any free port where none is named, and returns when it listens.
    static func start(_ variant: String = "normal", prefix: String = "dscv", port: UInt16 = 0) async throws -> Self {
        let process = try Testbed.start(
            on: Testbed.peer,
            Testbed.peerScript("dscv_server.py")
                + ["--variant", variant, "--prefix", prefix, "--port", String(port)]
        )
        let line = try Self.parse(try await process.line(within: .seconds(10)) { $0.contains(#""listening""#) })
        let host = try await ipv4Address(of: Testbed.peer)
        let port = try #require(line.port)
        let address = try #require(SocketAddress.parse("\(host):\(port)"))
        return Self(process: process, address: address)
    }

    /// The texts that it received so far.
    var received: [String] {
        get throws {
            try process.lines.map(Self.parse).filter { $0.event == "received" }.compactMap(\.text)
        }
    }

    /// The messages that it received so far.
    var payloads: [String] {
        get throws { try received.filter { !$0.hasPrefix("dscv_") && !$0.hasPrefix("astv_") } }
    }

    /// The messages that it received, up to this one, for which it waits.
    func payloads(until last: String) async throws -> [String] {
        try await receives { $0 == last }
        return try payloads
    }

    /// Waits until it has received a text that fits.
    func receives(_ fits: @escaping @Sendable (String) -> Bool) async throws {
        _ = try await process.line(within: .seconds(10)) { line in
            guard let line = try? Self.parse(line), line.event == "received", let text = line.text else { return false }
            return fits(text)
        }
    }

    /// Waits until it has told why it ends, and has ended.
    func closed() async throws -> String? {
        let line = try Self.parse(try await process.line(within: .seconds(10)) { $0.contains(#""closed""#) })
        _ = try await process.waitForEnd()
        return line.reason
    }

    private static func parse(_ line: String) throws -> Line {
        try JSONDecoder().decode(Line.self, from: Data(line.utf8))
    }
}

extension SessionConfiguration {
    /// The classic rules with a connecting that takes a second at most.
    static var quick: SessionConfiguration {
        var configuration = SessionConfiguration()
        configuration.deviceName = "tests"
        configuration.discoverInterval = .milliseconds(200)
        return configuration
    }

    /// The same for messages, where peers do not do their part.
    static var impatient: SessionConfiguration {
        var configuration = quick
        configuration.acknowledgementTimeout = .milliseconds(250)
        return configuration
    }
}

/// The code of the session's error that `body` ends with; nil where it succeeds.
func sessionErrorCode(_ body: () async throws -> Void) async -> SessionError.Code? {
    do {
        try await body()
    } catch let error as SessionError {
        return error.code
    } catch {
        Issue.record(error)
    }
    return nil
}

extension SessionEvent {
    /// Whether nothing can follow.
    var isLast: Bool {
        switch self {
        case .closed, .failed: true
        case .connecting, .connected, .sent, .acknowledged, .lost, .abandoned, .received, .strengthChanged: false
        }
    }
}
