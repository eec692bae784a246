import Testing

@testable import AvahiDiscovery

@Suite("The daemon's version")
struct AvahiVersionTests {
    @Test(
        "A resolver's TXT strings are turned round since 0.9-rc4, and not before",
        arguments: [
            ("avahi 0.8", false), ("avahi 0.7", false), ("avahi 0.9-rc1", false), ("avahi 0.9-rc3", false),
            ("avahi 0.9-rc4", true), ("avahi 0.9", true), ("avahi 0.10", true), ("avahi 1.0", true),
            ("avahi 0.8.1", false),
        ]
    )
    func order(text: String, isReversed: Bool) {
        #expect(AvahiVersion(text)?.reversesStrings == isReversed)
    }

    @Test("What is no version gives none", arguments: ["", "avahi", "avahi x.y", "avahi 8"])
    func noVersion(text: String) {
        #expect(AvahiVersion(text) == nil)
    }
}
