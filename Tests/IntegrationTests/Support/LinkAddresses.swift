import DiscoverableConnection
import DiscoverableCore
import DiscoverableRuntime
import Testing

/// What a link of ours is called and its number.
struct Link {
    let name: String
    let index: InterfaceIndex

    init(_ name: String) throws {
        self.name = name
        index = try #require(NetworkInterface.all().first { $0.name == name }?.index)
    }

    /// The addresses that a host has on the link, without those that it does not tell (`addresses(of:)`).
    func addresses(of host: String) async throws -> Set<String> {
        let program = try #require(Testbed.control)
        let command = [program, "on", host, "ip", "-brief", "address", "show", "dev", name]
        let words = try await ChildProcess.run(command, within: .seconds(10)).output.split(separator: " ").dropFirst(2)
        let told = try await IntegrationTests.addresses(of: host)
        return Set(words.map { String($0.prefix { $0 != "/" }) }.map { $0.hasPrefix("fe80") ? "\($0)%\(name)" : $0 })
            .intersection(told)
    }
}

extension BrowsedAddress {
    /// As `addresses(of:)` spells it: the scope by its name.
    var hostText: String { endpoint(port: 0).hostText }
}
