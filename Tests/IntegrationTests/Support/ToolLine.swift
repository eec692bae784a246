import Foundation
import Testing

/// A line that `dscv … --json` prints.
struct ToolLine: Decodable, Hashable, Sendable {
    struct Path: Decodable, Hashable, Sendable {
        let interface: String
        let family: String
    }

    struct TXTItem: Decodable, Hashable, Sendable {
        enum Value: Hashable, Sendable {
            case none
            case text(String)
            case base64(String)
        }

        let key: String
        let value: Value

        private enum Key: String, CodingKey { case key, value, base64 }
    }

    var event: String
    var name: String?
    var type: String?
    var domain: String?
    var paths: [Path]?
    var host: String?
    var port: Int?
    var addresses: [String]?
    var data: String?
    var alias: String?
    var txt: [TXTItem]?
    var peer: String?
    var text: String?
    var strength: Int?
    var rtt: Double?
    var reason: String?
    // Of a ping's summary.
    var sent: Int?
    var acknowledged: Int?
    var lost: Int?
    var abandoned: Int?
    var loss: Double?
    var rttMin: Double?
    var rttMedian: Double?
    var rttP95: Double?
    var rttP99: Double?
    var rttMax: Double?

    init(_ line: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(line.utf8))
    }
}

extension ToolLine.TXTItem {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        key = try container.decode(String.self, forKey: .key)
        if let base64 = try container.decodeIfPresent(String.self, forKey: .base64) {
            value = .base64(base64)
        } else if try container.decodeNil(forKey: .value) {
            // Not the same as a value that is left out, which throws.
            value = .none
        } else {
            value = .text(try container.decode(String.self, forKey: .value))
        }
    }
}

/// The tool, run as users run it.
enum Dscv {
    /// Runs it on our host to its end.
    static func run(_ words: String..., within limit: Duration = .seconds(30)) async throws -> ChildProcess.Finished {
        try await ChildProcess.run([Testbed.dscv] + words, within: limit)
    }

    /// Starts it on our host.
    static func start(_ words: String..., input: ChildProcess.Input = .nothing) throws -> ChildProcess {
        try ChildProcess([Testbed.dscv] + words, input: input)
    }

    /// Starts it on another host.
    static func start(
        on host: String,
        _ words: String...,
        input: ChildProcess.Input = .nothing
    ) throws -> ChildProcess {
        let control = try #require(Testbed.control)
        return try ChildProcess([control, "on", host, Testbed.dscv] + words, input: input)
    }
}

extension ChildProcess {
    /// The next line of the tool, of those with this event, that fits.
    @discardableResult
    func told(
        _ event: String,
        within limit: Duration = .seconds(15),
        where fits: @escaping @Sendable (ToolLine) -> Bool = { _ in true }
    ) async throws -> ToolLine {
        let line = try await line(within: limit) { text in
            guard let line = try? ToolLine(text) else { return false }
            return line.event == event && fits(line)
        }
        return try ToolLine(line)
    }
}

extension ChildProcess.Finished {
    /// The lines of the output, parsed.
    var toolLines: [ToolLine] {
        get throws { try output.split(separator: "\n").map { try ToolLine(String($0)) } }
    }

    var errorLineCount: Int { errors.split(separator: "\n", omittingEmptySubsequences: false).count { !$0.isEmpty } }
}
