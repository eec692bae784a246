import DiscoverableCore
import Testing

@Suite("Errors of discovery")
struct DiscoveryErrorTests {
    @Test(
        "Every code says what a caller can do",
        arguments: [
            (.daemonUnavailable, .tryAgain), (.daemonNotResponding, .tryAgain), (.notFound, .tryAgain),
            (.cancelled, .tryAgain),
            (.daemonError, .tryAgain), (.tooManyObjects, .freeResources), (.nameCollision, .chooseAnotherName),
            (.invalidName, .giveUp), (.invalidTXTRecord, .giveUp), (.invalidRecord, .giveUp),
            (.invalidArgument, .giveUp),
            (.notPermitted, .giveUp), (.notSupported, .giveUp),
        ] as [(DiscoveryError.Code, FailureClass)]
    )
    func failureClass(code: DiscoveryError.Code, expected: FailureClass) {
        #expect(DiscoveryError(code, operation: "browsing", explanation: "no").failureClass == expected)
    }

    @Test("The description is one line: what was being done, what went wrong, and the number under it")
    func description() {
        let underlying = UnderlyingError(
            domain: .avahi,
            number: -17,
            call: "avahi_service_browser_new",
            text: "Too many objects"
        )
        let error = DiscoveryError(
            .tooManyObjects,
            operation: "browsing for _http._tcp",
            explanation: "end some",
            underlying: underlying
        )
        #expect(
            error.description == "browsing for _http._tcp: end some [avahi_service_browser_new: Too many objects (-17)]"
        )
        #expect(String(describing: error) == error.description)
        let bare = DiscoveryError(.notFound, operation: "resolving", explanation: "nobody answered")
        #expect(bare.description == "resolving: nobody answered")
        #expect(bare.underlying == nil)
    }

    @Test("An error about a name shows it, and says what to do")
    func nameInError() {
        let error = #expect(throws: DiscoveryError.self) { try ServiceType("http") }
        #expect(error?.description.contains("\"http\"") == true)
        #expect(error?.description.contains("_http._tcp") == true)
    }

    @Test("A name with line breaks, as anybody on the network may choose it, leaves the description one line")
    func lineBreaks() {
        let error = #expect(throws: DiscoveryError.self) {
            try ServiceName(String(repeating: "a\r\n\u{1b}[2J", count: 20))
        }
        #expect(error?.description.utf8.contains { $0 < 0x20 } == false)
        #expect(error?.description.contains("a") == true)
        let long = #expect(throws: DiscoveryError.self) { try ServiceName(String(repeating: "x", count: 100_000)) }
        #expect((long?.description.count ?? 0) < 1_100)
    }

    @Test("Errors are equal where everything about them is")
    func equality() {
        let error = DiscoveryError(.notFound, operation: "a", explanation: "b")
        #expect(error == DiscoveryError(.notFound, operation: "a", explanation: "b"))
        #expect(error != DiscoveryError(.daemonError, operation: "a", explanation: "b"))
        #expect(error != DiscoveryError(.notFound, operation: "a", explanation: "c"))
    }
}
