import DiscoverableCore
import Testing

@Suite("Domains")
struct DomainTests {
    private static let label = String(repeating: "x", count: 63)

    @Test(
        "Labels of 1 to 63 bytes of printable ASCII are a domain, up to 253 bytes",
        arguments: [
            "local", "example.org", "a.b.c", "xn--bcher-kva.example", "\\195\\169.local", label, "\(label).local",
            [label, label, label, String(repeating: "y", count: 61)].joined(separator: "."),
        ]
    )
    func accepted(text: String) throws {
        #expect(try Domain(text).text == text)
        #expect(try Domain(text + ".").text == text, "a dot at the end is no part of the domain")
    }

    @Test(
        "Anything else is refused",
        arguments: [
            "", ".", "..", "local..", ".local", "a..b", "a b.local", "b\u{fc}cher.example", "a\0", "a\u{7f}",
            "\(label)x.local",
            [label, label, label, String(repeating: "y", count: 62)].joined(separator: "."),
        ]
    )
    func refused(text: String) {
        let error = #expect(throws: DiscoveryError.self) { try Domain(text) }
        #expect(error?.code == .invalidName)
    }

    @Test("The domain of multicast DNS is what its text says")
    func local() throws {
        #expect(try Domain("LOCAL.") == .local)
        #expect(Domain.local.description == "local")
    }
}
