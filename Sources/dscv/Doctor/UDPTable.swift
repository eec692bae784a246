/// The sockets that /proc/net/udp and /proc/net/udp6 list.
struct UDPTable {
    struct Socket: Equatable {
        let port: UInt16
        let user: UInt32
        let inode: UInt64
    }

    let sockets: [Socket]

    /// Reads the text of such a file; a line that is none of a socket is passed over, as the heading is.
    init(_ text: String) {
        sockets = text.split(separator: "\n").compactMap { line in
            let columns = line.split(separator: " ")
            guard columns.count >= 10,
                let port = columns[1].split(separator: ":").last.flatMap({ UInt16($0, radix: 16) }),
                let user = UInt32(columns[7]), let inode = UInt64(columns[9])
            else { return nil }
            return Socket(port: port, user: user, inode: inode)
        }
    }
}

/// The sources that nsswitch.conf names for host names; nil where it names none.
func hostSources(ofSwitch text: String) -> [String]? {
    for line in text.split(whereSeparator: \.isNewline) {
        let line = line.prefix { $0 != "#" }
        guard line.trimmed.hasPrefix("hosts:"), let mark = line.firstIndex(of: ":") else { continue }
        let words = line[line.index(after: mark)...].split { $0 == " " || $0 == "\t" }.map(String.init)
        return words.filter { !$0.hasPrefix("[") && !$0.hasSuffix("]") }
    }
    return nil
}

/// The configuration file that a daemon's command line names; nil for the usual one, and where the daemon has put its state in
/// the place of its command line.
func configurationPath(ofCommandLine words: [String]) -> String? {
    for (position, word) in words.enumerated() {
        if word == "-f" || word == "--file" { return words.dropFirst(position + 1).first }
        if word.hasPrefix("--file=") { return String(word.dropFirst("--file=".count)) }
        if word.hasPrefix("-f") { return String(word.dropFirst(2)) }
    }
    return nil
}
