internal import Discoverable
internal import Foundation
internal import Glibc

/// Where lines go: objects for programs, columns for people.
struct Output: Sendable {
    let asJSON: Bool
    private let inColour: Bool

    init(asJSON: Bool) {
        self.asJSON = asJSON
        inColour = !asJSON && isatty(STDOUT_FILENO) == 1
    }

    /// Prints one line at once, also into a pipe.
    func print(_ line: Line) {
        write(asJSON ? json(line) : columns(line), to: STDOUT_FILENO)
    }

    /// Prints what is an object for programs, and a text of several lines for people.
    func print(_ value: some Encodable, asText text: (_ columns: Int) -> String) {
        write(asJSON ? json(value) : text(Terminal.size.columns), to: STDOUT_FILENO)
    }

    /// Says something to the user on stderr that belongs to no result.
    func note(_ text: String) {
        write("dscv: \(printable(text))", to: STDERR_FILENO)
    }

    /// Texts in columns of these widths, the first in its colour, then what has no width.
    func columns(_ fields: [(text: String, width: Int)], _ rest: String) -> String {
        let padded = fields.enumerated().map { position, field in
            let text = pad(field.text, field.width)
            return position == 0 ? coloured(text, field.text) : text
        }
        return (padded + [rest]).joined(separator: "  ").trimmingCharacters(in: .whitespaces)
    }

    private func json(_ line: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(line), as: UTF8.self)
        } catch {
            preconditionFailure("a line of strings and numbers does not encode: \(error)")
        }
    }

    private func columns(_ line: Line) -> String {
        var parts = [coloured(pad(line.event, 12), line.event)]
        if let name = line.name { parts.append(pad(printable(name), 28)) }
        if let type = line.type { parts.append(pad(type, 22)) }
        if line.name == nil, line.type == nil, let domain = line.domain { parts.append(pad(printable(domain), 28)) }
        if let paths = line.paths { parts.append(pad(summary(of: paths), 24)) }
        parts += line.data.map { [printable($0)] } ?? place(line)
        if let peer = line.peer { parts.append(printable(peer)) }
        if let text = line.text { parts.append("\"\(printable(text))\"") }
        if let strength = line.strength { parts.append("strength \(strength) %") }
        if let rtt = line.rtt { parts.append(String(format: "%.1f ms", rtt * 1000)) }
        if let reason = line.reason { parts.append(printable(reason)) }
        if let seconds = line.seconds { parts.append(String(format: "(%.2f s)", seconds)) }
        return parts.joined(separator: "  ").trimmingCharacters(in: .whitespaces)
    }

    /// Where a service or a host is, and what it says of itself.
    private func place(_ line: Line) -> [String] {
        var parts: [String] = []
        if let host = line.host { parts.append(line.port.map { "\(host):\($0)" } ?? host) }
        if line.host == nil, let port = line.port { parts.append("port \(port)") }
        if let alias = line.alias { parts.append("alias \(alias)") }
        if let addresses = line.addresses { parts.append(addresses.joined(separator: " ")) }
        if let txt = line.txt { parts.append(txt.map(text).joined(separator: " ")) }
        return parts
    }

    private func coloured(_ text: String, _ event: String) -> String {
        guard inColour else { return text }
        let colour: String? =
            switch event {
            case "added", "established", "connected", "acknowledged", "done", "ok": "32"
            case "updated", "registering", "waiting", "connecting", "strength", "warning": "33"
            case "removed", "withdrawn", "closed", "lost", "failed", "wrong": "31"
            default: nil
            }
        return colour.map { "\u{1b}[\($0)m\(text)\u{1b}[0m" } ?? text
    }
}

/// `lan0 IPv4+IPv6, lan1 IPv4`.
private func summary(of paths: [Line.Path]) -> String {
    var families: [(interface: String, families: [String])] = []
    for path in paths {
        if families.last?.interface == path.interface {
            families[families.count - 1].families.append(path.family)
        } else {
            families.append((path.interface, [path.family]))
        }
    }
    return families.map { "\($0.interface) \($0.families.joined(separator: "+"))" }.joined(separator: ", ")
}

private func text(of item: Line.TXTItem) -> String {
    guard let value = item.entry.value else { return printable(item.entry.key) }
    let text = item.entry.text.map(printable) ?? "base64:\(base64(value))"
    return "\(item.entry.key)=\(text)"
}

private func pad(_ text: String, _ width: Int) -> String {
    text.count >= width ? text : text + String(repeating: " ", count: width - text.count)
}

/// What comes from the network must not steer the user's terminal.
func printable(_ text: String) -> String {
    String(
        String.UnicodeScalarView(
            text.unicodeScalars.map { $0.value < 0x20 || (0x7f...0x9f).contains($0.value) ? "\u{fffd}" : $0 }
        )
    )
}

private func write(_ line: String, to descriptor: Int32) {
    writeAll("\(line)\n", to: descriptor)
}

/// Writes all of it, whatever the pipe takes at a time. A pipe without a reader ends the tool by SIGPIPE, as it should.
func writeAll(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
        let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno != EINTR { return }
        bytes = bytes.dropFirst(max(0, count))
    }
}
