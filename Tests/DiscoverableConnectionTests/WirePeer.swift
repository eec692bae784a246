import DiscoverableConnection
import DiscoverableCore
@_spi(Package) import DiscoverableRuntime

/// `wire.py` on a host: a foreign peer, which tells what the wire shows.
final class WirePeer: Sendable {
    struct Failure: Error {
        let text: String
    }

    private let control: UDPSocket
    private let address: SocketAddress
    /// What was told and not asked for yet: reports of one event can come in any order.
    private let kept = Locked<[Report]>([])

    /// Runs `body` with a peer, which ends with it.
    static func run(on host: NetworkHost, _ body: (WirePeer) async throws -> Void) async throws {
        let peer = try await WirePeer(on: host)
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body(peer)) } catch { outcome = .failure(error) }
        try await peer.control.send(bytes("quit"), to: peer.address)
        try outcome.get()
    }

    private init(on host: NetworkHost) async throws {
        control = try await host.socket(at: .loopback(.ipv4))
        let port = try await control.localAddress.port
        let script = "\(NamespaceKeeper.folder)/wire.py"
        try await NamespaceKeeper.start("/usr/bin/python3 '\(script)' \(port)", in: host.namespace)
        let ready = try await control.receive()
        address = ready.source
        guard ready.bytes == bytes("ready") else { throw Failure(text: String(decoding: ready.bytes, as: UTF8.self)) }
    }

    /// Has the peer do something, and waits until it is done.
    func tell(_ command: String) async throws {
        try await control.send(bytes(command), to: address)
        _ = try await report("done")
    }

    /// The next report of a kind for which the words are so; others are kept.
    func report(_ kind: String, _ words: [String: String] = [:]) async throws -> Report {
        func isWanted(_ report: Report) -> Bool {
            report.kind == kind && words.allSatisfy { report.words[$0.key] == $0.value }
        }
        let known = kept.withLock { kept in kept.firstIndex(where: isWanted).map { kept.remove(at: $0) } }
        if let known { return known }
        while true {
            let report = try await next()
            if isWanted(report) { return report }
            kept.withLock { $0.append(report) }
        }
    }

    private func next() async throws -> Report {
        let report = Report(String(decoding: try await control.receive().bytes, as: UTF8.self))
        guard report.kind != "failed" else { throw Failure(text: report.text) }
        return report
    }

    /// What the peer tells: a kind, and words of the form key=value.
    struct Report: Sendable {
        let text: String
        let kind: String
        let words: [String: String]

        fileprivate init(_ text: String) {
            self.text = text
            let parts = text.split(separator: " ", omittingEmptySubsequences: false)
            kind = parts.first.map(String.init) ?? ""
            words = parts.dropFirst().reduce(into: [:]) { words, part in
                let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                if pair.count == 2 { words[String(pair[0])] = String(pair[1]) }
            }
        }

        subscript(word: String) -> String? { words[word] }
    }
}
