import Testing

/// The addresses that a host tells on its links, as text with the interface by which we reach it: IPv6 link-local only
/// where a link has nothing wider.
func addresses(of host: String) async throws -> Set<String> {
    let program = try #require(Testbed.control)
    let list = try await ChildProcess.run([program, "on", host, "ip", "-brief", "address"], within: .seconds(10))
    var result: Set<String> = []
    for line in list.output.split(separator: "\n") where line.hasPrefix("lan") {
        let words = line.split(separator: " ")
        let link = words[0].prefix { $0 != "@" }
        let addresses = words.dropFirst(2).map { $0.prefix { $0 != "/" } }
        let hasWider = addresses.contains { $0.contains(":") && !$0.hasPrefix("fe80") }
        for address in addresses {
            if address.hasPrefix("fe80") {
                if !hasWider { result.insert("\(address)%\(link)") }
            } else {
                result.insert(String(address))
            }
        }
    }
    return result
}

/// The IPv4 address of a host on lan0; the loopback one where there are no links.
func ipv4Address(of host: String) async throws -> String {
    guard Testbed.hasHosts else { return "127.0.0.1" }
    let all = try await addresses(of: host).filter { !$0.contains(":") }.sorted()
    return try #require(all.first)
}

/// The kinds of IPv6 addresses that a host has in the testbed.
enum IPv6Kind: CaseIterable {
    case uniqueLocal
    case linkLocal

    /// A host's address of this kind, in brackets, with a scope where it needs one.
    func address(of host: String) async throws -> String {
        let all = try await addresses(of: host)
        let address = all.first { $0.contains(":") && $0.hasPrefix("fe80") == (self == .linkLocal) }
        return "[\(try #require(address))]"
    }
}
