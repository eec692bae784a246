import DiscoverableCore
import Testing

@Suite("Service subtypes")
struct ServiceSubtypeTests {
    private let longest = "_" + String(repeating: "x", count: 62)

    @Test("An underscored label is a subtype; with its type it is the name that is asked for")
    func fullText() throws {
        let type = try ServiceType("_http._tcp")
        for text in ["_printer", "_CM", "_L840", "_a-b_c", longest] {
            let subtype = try ServiceSubtype(text)
            #expect(subtype.text == text)
            #expect(subtype.fullText(of: type) == "\(text)._sub._http._tcp")
            let parts = try ServiceSubtype.parse(fullText: subtype.fullText(of: type))
            #expect(parts.subtype == subtype && parts.type == type)
        }
        #expect(try ServiceSubtype("_Printer") == ServiceSubtype("_PRINTER"), "equal as DNS sees it")
    }

    @Test(
        "Anything else is refused",
        arguments: ["", "_", "_a", "printer", "_a b", "_a.b", "_h\u{e9}", "_ab\0", "__é"]
    )
    func refused(text: String) {
        let error = #expect(throws: DiscoveryError.self) { try ServiceSubtype(text) }
        #expect(error?.code == .invalidName)
        #expect(throws: DiscoveryError.self) { try ServiceSubtype(longest + "x") }
    }

    @Test(
        "A text that is no subtype of a type is refused",
        arguments: [
            "", "_http._tcp", "_printer._sub", "_printer._sub._http", "_printer._bus._http._tcp", "a._sub._b._tcp",
        ]
    )
    func refusedInFull(text: String) {
        let error = #expect(throws: DiscoveryError.self) { try ServiceSubtype.parse(fullText: text) }
        #expect(error?.code == .invalidName)
    }
}
